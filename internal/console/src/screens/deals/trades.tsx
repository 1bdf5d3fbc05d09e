// Boats that the buyer trades in.
import { useState } from "preact/hooks";
import { api, type PreviewDeal, type TradeIn } from "../../api.ts";
import { useForm } from "../../form.tsx";
import { cents, date } from "../../format.ts";
import { useLoad } from "../../load.ts";
import { confirm } from "../../parts/dialog.tsx";
import { CheckField, MoneyField, NumberField, TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Section } from "../../parts/layout.tsx";
import { Menu } from "../../parts/menu.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { can } from "../../session.ts";
import { DealDialog } from "./dialog.tsx";
import { dealChanged, fromCents, toCents } from "./shared.ts";

export function useTradeIns(dealId: string) {
  return useLoad(["trade-ins", dealId], () => api.deals.listTradeIns(dealId, { limit: 100 }), [dealId]);
}

/** 2015 Cutwater 24, or its description. */
export function tradeName(trade: TradeIn): string {
  return [trade.year, trade.make, trade.model].filter(Boolean).join(" ") || trade.description || "Trade-in";
}

export function TradeIns({ deal }: { deal: PreviewDeal }) {
  const trades = useTradeIns(deal.id).data?.data ?? [];
  const [editing, setEditing] = useState<TradeIn | "new">();
  const editable = can("deals:write") && deal.status_category === "open" && !deal.signed_agreement_id;
  if (!trades.length && !editable) return null;
  return (
    <Section title="Trade-ins" action={editable && <button type="button" class="link" onClick={() => setEditing("new")}>Add trade-in</button>}>
      {trades.map((t) => (
        <div key={t.id} class="offer">
          <i /><span>{tradeName(t)}</span><b>{cents(t.allowance_cents)}</b>
          {editable && (
            <Menu
              class="btn quiet square" label={`Actions for ${tradeName(t)}`} align="end" button={<Icon name="more" />}
              items={[
                { title: "Edit", icon: "edit", onClick: () => setEditing(t) },
                { title: "Remove", icon: "trash", onClick: () => void remove(deal, t) },
              ]}
            />
          )}
          <small>
            {[
              t.payoff_cents > 0 && `Payoff ${cents(t.payoff_cents)}${t.lienholder ? ` to ${t.lienholder}` : ""}`,
              t.payoff_good_through_on && `good through ${date(t.payoff_good_through_on)}`,
              t.acv_cents !== null && `worth ${cents(t.acv_cents)}`,
              t.hin, t.stock_in && "goes into the inventory",
            ].filter(Boolean).join(" · ")}
          </small>
        </div>
      ))}
      {!trades.length && <p class="muted small">No trade-ins.</p>}
      {editing && <TradeDialog deal={deal} trade={editing === "new" ? undefined : editing} onClose={() => setEditing(undefined)} />}
    </Section>
  );
}

async function remove(deal: PreviewDeal, trade: TradeIn): Promise<void> {
  if (!(await confirm({ title: `Remove ${tradeName(trade)}?`, action: "Remove trade-in", danger: true }))) return;
  try {
    await api.deals.removeTradeIn(deal.id, trade.id);
    dealChanged(deal.id);
    toast("Trade-in removed.");
  } catch (error) {
    toastError(error);
  }
}

function TradeDialog({ deal, trade, onClose }: { deal: PreviewDeal; trade: TradeIn | undefined; onClose: () => void }) {
  const text = (value: string | number | null | undefined) => (value === null || value === undefined ? "" : String(value));
  const form = useForm({
    name: `trade-in ${trade?.id ?? deal.id}`,
    values: {
      year: text(trade?.year), make: text(trade?.make), model: text(trade?.model), length_ft: text(trade?.length_ft), hin: text(trade?.hin),
      description: text(trade?.description), allowance_cents: fromCents(trade?.allowance_cents), acv_cents: fromCents(trade?.acv_cents),
      payoff_cents: fromCents(trade?.payoff_cents), lienholder: text(trade?.lienholder), payoff_good_through_on: text(trade?.payoff_good_through_on),
      per_diem_cents: fromCents(trade?.per_diem_cents), stock_in: trade?.stock_in ? "yes" : "",
    },
    save: async (v) => {
      await api.deals.addTradeIn(deal.id, {
        year: v.year ? Number(v.year) : null, make: v.make || null, model: v.model || null, length_ft: v.length_ft ? Number(v.length_ft) : null,
        hin: v.hin || null, description: v.description || null, allowance_cents: toCents(v.allowance_cents) ?? 0, acv_cents: toCents(v.acv_cents),
        payoff_cents: toCents(v.payoff_cents) ?? 0, lienholder: v.lienholder || null, payoff_good_through_on: v.payoff_good_through_on || null,
        per_diem_cents: toCents(v.per_diem_cents), stock_in: v.stock_in === "yes", ...(trade && { replaces_id: trade.id }),
      });
      dealChanged(deal.id);
      toast(trade ? "Trade-in saved." : "Trade-in added.");
    },
    onSaved: onClose,
  });
  return (
    <DealDialog title={trade ? `Edit ${tradeName(trade)}` : "Add trade-in"} wide form={form} submit={trade ? "Save" : "Add trade-in"} onClose={onClose}>
      <div class="form-row">
        <NumberField form={form} name="year" label="Model year" />
        <TextField form={form} name="make" label="Make" />
        <TextField form={form} name="model" label="Model" />
      </div>
      <div class="form-row">
        <NumberField form={form} name="length_ft" label="Length" unit="ft" />
        <TextField form={form} name="hin" label="HIN" />
        <TextField form={form} name="description" label="Description" />
      </div>
      <div class="form-row">
        <MoneyField form={form} name="allowance_cents" label="Allowance" exact required hint="What the buyer is credited." />
        <MoneyField form={form} name="acv_cents" label="Actual cash value" exact hint="What the boat is worth to you." />
      </div>
      <div class="form-row">
        <MoneyField form={form} name="payoff_cents" label="Payoff" exact hint="What the buyer still owes." />
        <TextField form={form} name="lienholder" label="Owed to" />
      </div>
      <div class="form-row">
        <TextField form={form} name="payoff_good_through_on" label="Good through" type="date" />
        <MoneyField form={form} name="per_diem_cents" label="Each day after that" exact />
      </div>
      <CheckField form={form} name="stock_in" label="Add it to the inventory when the deal is closed" hint="Requires the make, model, year and length." />
    </DealDialog>
  );
}
