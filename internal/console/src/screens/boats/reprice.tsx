// New prices for several boats: one change for all of them, with what each boat cost in view, and one Undo.
import { useState } from "preact/hooks";
import { SlipwayError, api, type PreviewHull, type PreviewNewPrice } from "../../api.ts";
import { FormDialog, useForm } from "../../form.tsx";
import { count, money, usd } from "../../format.ts";
import { changed } from "../../load.ts";
import { parseMoney, withCommas, type Parse } from "../../numbers.ts";
import { confirm } from "../../parts/dialog.tsx";
import { Select, TextField } from "../../parts/field.tsx";
import { Refusal } from "../../parts/state.tsx";
import { loadStyles } from "../../parts/styles.ts";
import { Age } from "../../parts/status.tsx";
import { toastUndo } from "../../parts/toast.tsx";
import { boatName } from "./shared.ts";

void loadStyles("reprice.css");

/** What is done to a price. */
export interface PriceStep {
  down: boolean;
  /** Percent or dollars. */
  by: number;
  percent: boolean;
}

/** Reads 5%, -5 %, +2,000, 5% off and 1.5k. Without a sign, the price is lowered. */
export function readStep(text: string): PriceStep | undefined {
  const found = /^([-+−]?)\s*(.*?)\s*(off|lower|down|higher|more|up)?$/i.exec(text.trim());
  const amount = found?.[2]?.replace(/\s*(%|percent)$/i, "") ?? "";
  const percent = amount !== found?.[2];
  const value = percent && /^\d+(\.\d+)?$/.test(amount) ? amount : percent ? undefined : parseMoney(amount).value;
  const up = found?.[1] === "+" || /^(higher|more|up)$/i.test(found?.[3] ?? "");
  if (!value || Number(value) === 0 || (percent && !up && Number(value) >= 100)) return undefined;
  return { down: !up, by: Number(value), percent };
}

const parseStep: Parse = (text) => (readStep(text) || !text.trim() ? { value: text.trim() } : { error: "must be a percentage or an amount, such as -5% or -2,000" });

/** The price after a step, in whole dollars, rounded. It is never below zero. */
export function stepped(price: number, step: PriceStep, round: number): number {
  const by = step.percent ? (price * step.by) / 100 : step.by;
  const to = step.down ? price - by : price + by;
  return Math.max(0, Math.round(to / round) * round);
}

interface Row {
  boat: PreviewHull;
  before: number;
  /** New price, or undefined while there is none. */
  after: number | undefined;
  cost: number | undefined;
  floor: number | undefined;
  warning: string | undefined;
}

function costOf(boat: PreviewHull): number | undefined {
  const cost = boat.pricing?.cost;
  return cost?.invoice ? Math.round(Object.values(cost).reduce<number>((sum, c) => sum + (c?.amount ?? 0), 0) / 100) : undefined;
}

function rowOf(boat: PreviewHull, after: number | undefined): Row {
  const before = boat.price.amount / 100;
  const [cost, floor] = [costOf(boat), boat.pricing?.floor ? boat.pricing.floor.amount / 100 : undefined];
  let warning: string | undefined;
  if (after !== undefined && after !== before) {
    if (cost !== undefined && after < cost) warning = `${usd(cost - after)} below cost`;
    else if (floor !== undefined && after < floor) warning = `${usd(floor - after)} below the floor`;
    else if (before > 0 && Math.abs(after - before) / before > 0.3) warning = `${Math.round((Math.abs(after - before) / before) * 100)}% ${after < before ? "less" : "more"}`;
  }
  return { boat, before, after, cost, floor, warning };
}

async function send(prices: PreviewNewPrice[], reason: string | null) {
  const { data } = await api.preview.hulls.reprice({ prices, reason });
  changed("hull", ...prices.map((p) => p.hull_id));
  return data;
}

const priceOf = (dollars: number) => ({ amount: dollars * 100, currency: "USD" as const });

/** The prices of several boats. What is typed in a row counts instead of the change for all. */
export function RepriceDialog({ boats, onClose }: { boats: PreviewHull[]; onClose: () => void }) {
  const [typed, setTyped] = useState<Record<string, string>>({});
  const form = useForm({
    name: "prices of boats",
    values: { change: "", round: "100", reason: "" },
    save: async ({ reason }) => {
      const moved = rows.filter((r) => r.after !== undefined && r.after !== r.before);
      if (wrong.length) throw new Refusal(`The price of ${boatName(wrong[0]!)} must be an amount, such as 33,900.`);
      if (!moved.length) throw new Refusal("No price would change. Enter a change, such as -5%, or a price in a row.");
      const doubtful = moved.filter((r) => r.warning);
      if (doubtful.length && !(await confirm({
        title: `Change ${count(moved.length, "price")}?`, action: `Change ${count(moved.length, "price")}`,
        text: doubtful.map((r) => `${boatName(r.boat)}, ${usd(r.after!)}: ${r.warning}.`).join(" "),
      }))) throw new Refusal("No price was changed.");
      const done = await send(moved.map((r) => ({ hull_id: r.boat.id, price: priceOf(r.after!), version: r.boat.pricing?.version ?? null })), reason || null).catch((e: unknown) => {
        if (!(e instanceof SlipwayError) || !e.details.some((d) => d.code === "stale")) throw e;
        changed("hull", ...boats.map((b) => b.id));
        throw new Refusal(`${e.message} The rows show the current prices. Check them, then save again.`);
      });
      const versions = new Map(done.map((p) => [p.hull_id, p.version]));
      const back = moved.map((r) => ({ hull_id: r.boat.id, price: priceOf(r.before), version: versions.get(r.boat.id) ?? null }));
      toastUndo(`${count(moved.length, "price")} changed.`, () => send(back, "Undone"), "The prices are as before.");
    },
    onSaved: onClose,
  });
  const step = readStep(form.values.change);
  const wrong = boats.filter((b) => typed[b.id] !== undefined && parseMoney(typed[b.id]!).error);
  const rows = boats.map((boat) => {
    const own = typed[boat.id];
    const price = own !== undefined ? parseMoney(own).value : undefined;
    return rowOf(boat, price ? Number(price) : step && stepped(boat.price.amount / 100, step, Number(form.values.round)));
  });
  const sum = rows.reduce((total, r) => total + (r.after ?? r.before) - r.before, 0);
  const warnings = rows.filter((r) => r.warning).length;
  return (
    <FormDialog title={`Prices of ${count(boats.length, "boat")}`} wide form={form} submit="Change prices" onClose={onClose}>
      <div class="form-row">
        <Change form={form} step={step} />
        <Select form={form} name="round" label="Round to" required choices={[["1", "$1"], ["100", "$100"], ["500", "$500"], ["1000", "$1,000"]]} />
      </div>
      <div class="scroll-x reprice" role="region" aria-label="New prices" tabIndex={0}>
        <table class="rows">
          <thead><tr><th scope="col">Boat</th><th scope="col" class="r">In stock</th><th scope="col" class="r">Cost</th><th scope="col" class="r">Floor</th><th scope="col" class="r">Now</th><th scope="col" class="r">New price</th></tr></thead>
          <tbody>
            {rows.map((r) => (
              <tr key={r.boat.id} class={r.warning && "late"}>
                <th scope="row"><span class="reprice-name">{boatName(r.boat)}</span><small>{r.warning ?? r.boat.stock_number}</small></th>
                <td data-of="In stock" class="r"><Age days={r.boat.days_in_stock} /></td>
                <td data-of="Cost" class="r num">{r.cost === undefined ? "—" : usd(r.cost)}</td>
                <td data-of="Floor" class="r num">{r.floor === undefined ? "—" : usd(r.floor)}</td>
                <td data-of="Now" class="r num">{money(r.boat.price)}</td>
                <td class="r">
                  <input
                    class="num" inputMode="decimal" autocomplete="off" aria-label={`New price of ${boatName(r.boat)}`} aria-invalid={wrong.includes(r.boat)}
                    value={typed[r.boat.id] ?? withCommas(String(r.after ?? r.before))}
                    onInput={(e) => setTyped({ ...typed, [r.boat.id]: e.currentTarget.value })}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="muted" role="status">
        {sum === 0 ? "No change yet." : `${sum < 0 ? "Lower" : "Higher"} by ${usd(Math.abs(sum))} in total.`}
        {warnings > 0 && ` ${count(warnings, "price")} to check.`}
      </p>
      <TextField form={form} name="reason" label="Reason" hint="For the price history. Buyers don't see it." />
    </FormDialog>
  );
}

function Change({ form, step }: { form: Parameters<typeof TextField>[0]["form"]; step: PriceStep | undefined }) {
  const by = step && (step.percent ? `${step.by}%` : usd(step.by));
  return <TextField form={form} name="change" label="Change all by" autofocus placeholder="-5%" parse={parseStep} hint="Such as -5%, -2,000 or +3%." result={step && `${by} ${step.down ? "lower" : "higher"}`} />;
}
