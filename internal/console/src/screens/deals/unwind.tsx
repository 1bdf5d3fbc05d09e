// Undoing a sale, and canceling a product after the delivery.
import { api, type Payment, type PreviewDeal, type PreviewPaymentOutcome } from "../../api.ts";
import { useForm } from "../../form.tsx";
import { cents, money, when } from "../../format.ts";
import { changed, useLoad } from "../../load.ts";
import { MoneyField, Select, TextField } from "../../parts/field.tsx";
import { Loaded } from "../../parts/state.tsx";
import { toast } from "../../parts/toast.tsx";
import { word } from "../../words.ts";
import { DealDialog } from "./dialog.tsx";
import { dealBoat, dealChanged, toCents, usePayments, useStructures } from "./shared.ts";

/** Payments that are not paid back completely. */
function left(payments: Payment[]): Payment[] {
  return payments.filter((p) => !p.refunds_payment_id && p.amount_cents > p.refunded_cents);
}

/** Undoes a sale and says what happens to each payment and the boat. */
export function UnwindDialog({ deal, onClose }: { deal: PreviewDeal; onClose: () => void }) {
  const payments = usePayments(deal.id);
  return <Loaded load={payments} rows={2}>{({ data }) => <UnwindForm deal={deal} payments={left(data)} onClose={onClose} />}</Loaded>;
}

function UnwindForm({ deal, payments, onClose }: { deal: PreviewDeal; payments: Payment[]; onClose: () => void }) {
  const form = useForm<Record<string, string>>({
    name: "unwind " + deal.id,
    values: { reason: "", hull_status: "available", titled: deal.delivered_at ? "yes" : "no", ...Object.fromEntries(payments.flatMap((p) => [[p.id, "refund"], [`${p.id} amount`, ""]])) },
    save: async (v) => {
      await api.preview.deals.unwind(deal.id, {
        reason: v["reason"]!, hull_status: v["hull_status"] as "available" | "not_for_sale", titled: v["titled"] === "yes",
        payments: payments.map((p) => {
          const amount = v[p.id] === "keep" ? null : toCents(v[`${p.id} amount`]);
          return { payment_id: p.id, outcome: v[p.id] as PreviewPaymentOutcome["outcome"], ...(amount !== null && { amount: { amount, currency: "USD" as const } }) };
        }),
      });
      dealChanged(deal.id);
      changed("hull", deal.hull_id);
      toast("Sale undone.");
    },
    onSaved: onClose,
  });
  return (
    <DealDialog title={`Undo the sale of ${dealBoat(deal)}?`} form={form} submit="Undo sale" onClose={onClose}>
      <p>The deal is canceled. Lenders are charged back, products are canceled, and documents are voided. Reports take the sale back this month. Without an amount, a payment is taken back completely. With one, you keep the rest.</p>
      <TextField form={form} name="reason" label="Reason" required />
      {payments.map((p) => (
        <div key={p.id} class="form-row">
          <Select
            form={form} name={p.id} label={`${word(p.kind)} of ${cents(p.amount_cents - p.refunded_cents)}`} required
            choices={[["refund", "Refund it"], ["reversal", "The bank or the lender took it back"], ["keep", "Keep it"]]}
          />
          {form.values[p.id] !== "keep" && <MoneyField form={form} name={`${p.id} amount`} label="Amount" exact />}
        </div>
      ))}
      <div class="form-row">
        <Select form={form} name="hull_status" label="Boat" required choices={[["available", word("available")], ["not_for_sale", word("not_for_sale")]]} />
        <Select form={form} name="titled" label="Titled to the buyer" required choices={[["yes", "Yes, it is used now"], ["no", "No"]]} />
      </div>
    </DealDialog>
  );
}

/** Cancels a product after the delivery, or records a charge-back of the reserve. */
export function CancelProductDialog({ deal, onClose }: { deal: PreviewDeal; onClose: () => void }) {
  const payments = left(usePayments(deal.id).data?.data ?? []);
  const selected = useStructures(deal.id).data?.data.find((s) => s.selected);
  const products: Array<[string, string]> = [
    ...(selected?.products ?? []).map((p, i): [string, string] => [`product ${i}`, `${word(p.kind)}, ${cents(p.price_cents)}`]),
    ...deal.line_items.flatMap((l, i): Array<[string, string]> => l.kind === "product" ? [[`line_item ${i}`, `${l.description ?? word(l.kind)}, ${money(l.amount)}`]] : []),
    ["reserve", "Dealer reserve"],
  ];
  const form = useForm({
    name: "cancel product " + deal.id,
    values: { product: "", refund: "", chargeback: "", payment_id: "", effective_on: "", reason: "" },
    save: async (v) => {
      const [kind, position] = v.product.split(" ");
      const usd = (text: string) => ({ amount: toCents(text) ?? 0, currency: "USD" as const });
      await api.preview.deals.createAdjustment(deal.id, {
        kind: kind as "product" | "line_item" | "reserve", reason: v.reason, effective_on: v.effective_on || null, chargeback: usd(v.chargeback),
        ...(position !== undefined && { position: Number(position), refund: usd(v.refund), payment_id: v.payment_id || null }),
      });
      dealChanged(deal.id);
      toast("Recorded.");
    },
    onSaved: onClose,
  });
  const isProduct = form.values.product.includes(" ");
  return (
    <DealDialog title="Cancel a product" form={form} submit="Cancel product" onClose={onClose}>
      <Select form={form} name="product" label="Product" required empty="Choose" choices={products} />
      <div class="form-row">
        {isProduct && <MoneyField form={form} name="refund" label="Refund" exact />}
        <MoneyField form={form} name="chargeback" label="Charge-back" exact hint="Lowers the profit this month." />
      </div>
      {isProduct && <Select form={form} name="payment_id" label="Refund this payment" empty="Record the refund later" choices={payments.map((p) => [p.id, `${word(p.kind)}, ${cents(p.amount_cents - p.refunded_cents)}`])} />}
      <TextField form={form} name="effective_on" label="Effective on" type="date" />
      <TextField form={form} name="reason" label="Reason" required />
    </DealDialog>
  );
}

/** What changed the profit after the delivery. */
export function Adjustments({ deal }: { deal: PreviewDeal }) {
  const load = useLoad(["adjustments", deal.id], () => api.preview.deals.listAdjustments(deal.id, { limit: 100 }), [deal.id]);
  const all = load.data?.data ?? [];
  if (!all.length) return null;
  return (
    <section class="part" id="adjustments">
      <h2>Adjustments</h2>
      {all.map((a) => {
        const profit = a.front && a.back ? a.front.amount + a.back.amount : 0;
        return (
          <div key={a.id} class="offer">
            <i style={{ "--c": profit < 0 ? "var(--red)" : "var(--green)" }} />
            <span>{[word(a.kind), a.description].filter(Boolean).join(": ")}</span>
            <b>{a.amount.amount !== 0 ? cents(a.amount.amount) : profit !== 0 && cents(profit)}</b>
            <small>{[when(a.created_at), a.reason].filter(Boolean).join(" · ")}</small>
          </div>
        );
      })}
    </section>
  );
}
