// The Pricing tab: the price, what the boat cost, and how the price changed.
import { useState } from "preact/hooks";
import { api, type HullPricing, type PreviewHull, type PriceChange } from "../../api.ts";
import { FormDialog, useForm } from "../../form.tsx";
import { cents, date, usd, when } from "../../format.ts";
import { changed, useLoad } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { Chart, StepLine } from "../../parts/chart.tsx";
import { CheckField, MoneyField } from "../../parts/field.tsx";
import { Facts, Section } from "../../parts/layout.tsx";
import { Loaded } from "../../parts/state.tsx";
import { toast } from "../../parts/toast.tsx";
import { can, whyNot } from "../../session.ts";
import { word } from "../../words.ts";
import { PriceDialog } from "./actions.tsx";
import { BoatOwner } from "./owner.tsx";

const costs = ["invoice", "freight", "rigging", "reconditioning", "pack"] as const;

export function BoatPricing({ boat }: { boat: PreviewHull }) {
  const pricing = useLoad(["pricing", boat.id], () => api.hulls.getPricing(boat.id), [boat.id]);
  const history = useLoad(["price changes", boat.id], () => api.hulls.listPriceChanges(boat.id, { limit: 100 }), [boat.id]);
  const [dialog, setDialog] = useState<"price" | "costs">();
  const close = () => setDialog(undefined);
  return (
    <Loaded load={pricing}>
      {(p) => (
        <>
          <Section title="Price" action={<Button small icon="price" why={whyNot("hulls:write")} onClick={() => setDialog("price")}>Change price</Button>}>
            <Facts facts={[
              ["Price", <b>{usd(p.price_usd)}</b>],
              ["Shown as", p.price_type === "call" ? "Call for price" : `${word(p.price_type)} price`],
              ["Since", date(p.effective_at)],
              ["First price", usd(p.original_price_usd)],
              ["MSRP", p.msrp_usd !== null && usd(p.msrp_usd)],
              ["Hidden from the public", p.price_hidden ? "Yes" : null],
            ]} />
          </Section>
          {can("hulls:write") && (
            <Section title="Cost" action={<Button small icon="edit" onClick={() => setDialog("costs")}>Edit</Button>}>
              <Facts facts={[
                ["Lowest acceptable price", p.floor_usd !== null ? usd(p.floor_usd) : "Not set"],
                ...costs.map((c): [string, string | null] => [word(c), toText(p.cost?.[`${c}_cents`])]),
              ]} />
            </Section>
          )}
          {can("hulls:write") && <BoatOwner boat={boat} />}
          <Loaded load={history} rows={3}>{(h) => <History changes={h.data} />}</Loaded>
          {dialog === "price" && <PriceDialog boat={boat} onClose={close} />}
          {dialog === "costs" && <CostDialog boat={boat} pricing={p} onClose={close} />}
        </>
      )}
    </Loaded>
  );
}

function toText(amount: number | null | undefined): string | null {
  return amount === null || amount === undefined ? null : cents(amount);
}

/** The price over time. The API returns the newest change first. */
function History({ changes }: { changes: PriceChange[] }) {
  const points = [...changes].reverse().map((c) => ({ label: date(c.at), value: c.new_price_usd, text: usd(c.new_price_usd), at: Date.parse(c.at) }));
  return (
    <Section title="History">
      {points.length > 1 && <Chart title="Asking price" points={points} format={usd}><StepLine points={points} until={Date.now()} format={usd} /></Chart>}
      <table class="plain">
        <thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">Reason</th><th scope="col" class="r">Before</th><th scope="col" class="r">After</th></tr></thead>
        <tbody>
          {changes.map((c) => (
            <tr key={c.id}>
              <td>{when(c.at)}</td><td>{c.actor.label}</td><td class="wrap">{c.reason ?? ""}</td>
              <td class="r num muted">{c.old_price_usd === null ? "" : usd(c.old_price_usd)}</td><td class="r num"><b>{usd(c.new_price_usd)}</b></td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

/** Whole cents of an amount that the user typed. Empty is unknown. */
function toCents(text: string | undefined): number | null {
  return text ? Math.round(Number(text) * 100) : null;
}

function CostDialog({ boat, pricing, onClose }: { boat: PreviewHull; pricing: HullPricing; onClose: () => void }) {
  const dollars = (amount: number | null | undefined) => (amount === null || amount === undefined ? "" : String(amount));
  const cost = (name: (typeof costs)[number]) => {
    const amount = pricing.cost?.[`${name}_cents`];
    return amount === null || amount === undefined ? "" : (amount / 100).toFixed(2);
  };
  const form = useForm({
    name: "costs " + boat.id,
    version: pricing.version,
    values: {
      floor_usd: dollars(pricing.floor_usd), msrp_usd: dollars(pricing.msrp_usd), price_hidden: pricing.price_hidden ? "yes" : "",
      "cost.invoice_cents": cost("invoice"), "cost.freight_cents": cost("freight"), "cost.rigging_cents": cost("rigging"),
      "cost.reconditioning_cents": cost("reconditioning"), "cost.pack_cents": cost("pack"),
    },
    save: async (v, _, options) => {
      await api.hulls.adjustPricing(boat.id, {
        price_usd: pricing.price_usd,
        floor_usd: v.floor_usd ? Number(v.floor_usd) : null,
        msrp_usd: v.msrp_usd ? Number(v.msrp_usd) : null,
        price_hidden: v.price_hidden === "yes",
        cost: Object.fromEntries(costs.map((c) => [`${c}_cents`, toCents(v[`cost.${c}_cents`])])),
      }, options);
      changed("hull", boat.id);
      toast("Costs saved.");
    },
    onSaved: onClose,
  });
  return (
    <FormDialog title="Prices and costs" form={form} submit="Save" onClose={onClose}>
      <div class="form-row">
        <MoneyField form={form} name="floor_usd" label="Lowest acceptable price" />
        <MoneyField form={form} name="msrp_usd" label="MSRP" />
      </div>
      <div class="form-row">{costs.map((c) => <MoneyField key={c} form={form} name={`cost.${c}_cents`} label={word(c)} exact />)}</div>
      <CheckField form={form} name="price_hidden" label="Hide the price from the public" hint="Feeds and listings then have no price." />
    </FormDialog>
  );
}
