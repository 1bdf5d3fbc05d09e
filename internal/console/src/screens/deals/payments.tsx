// Money that was received, and refunds.
import { useState } from "preact/hooks";
import { api, type Payment, type PaymentKind, type PaymentMethod, type PreviewDeal } from "../../api.ts";
import { useForm } from "../../form.tsx";
import { cents, date } from "../../format.ts";
import { MoneyField, Select, TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Loaded } from "../../parts/state.tsx";
import { toast, toastUndo } from "../../parts/toast.tsx";
import { href } from "../../router.ts";
import { can } from "../../session.ts";
import { options, word } from "../../words.ts";
import { DealDialog } from "./dialog.tsx";
import { canOverride, dealChanged, fromCents, toCents, usePayments } from "./shared.ts";

/** Types of entries that take money back. */
const taken = ["refund", "reversal", "transfer_out"];

export function Payments({ deal, onAdd }: { deal: PreviewDeal; onAdd: () => void }) {
  const payments = usePayments(deal.id);
  const [refunding, setRefunding] = useState<{ payment: Payment; reversal: boolean }>();
  const { total, paid, balance_due } = deal.totals;
  const writes = can("deals:write");
  const accepts = writes && deal.status !== "cancelled" && (deal.status !== "closed" || balance_due.amount > 0);
  return (
    <section id="payments">
      <h2>Payments{accepts && <span class="part-action"><button type="button" class="link" onClick={onAdd}>Record payment</button></span>}</h2>
      <Loaded load={payments} rows={2}>
        {({ data }) => data.map((p) => (
          <div key={p.id} class="offer">
            <i style={{ "--c": taken.includes(p.type) ? "var(--red)" : "var(--green)" }} />
            <span>{p.type === "payment" ? word(p.kind) : word(p.type)}, {word(p.method).replace(/^[A-Z](?![A-Z])/, (c) => c.toLowerCase())}</span>
            <b>{taken.includes(p.type) && "−"}{cents(p.amount_cents)}</b>
            {writes && canOverride() && !taken.includes(p.type) && (p.status === "succeeded" || p.status === "partially_refunded") && (
              <Menu
                class="btn quiet square" align="end" label={`Actions for ${cents(p.amount_cents)}`} button={<Icon name="more" />}
                items={[
                  { title: "Refund", icon: "undo", onClick: () => setRefunding({ payment: p, reversal: false }) },
                  { title: "Money did not arrive", icon: "blocked", onClick: () => setRefunding({ payment: p, reversal: true }) },
                ]}
              />
            )}
            <small>
              {[date(p.received_on), p.reference, p.status !== "succeeded" && !taken.includes(p.type) && word(p.status), p.reason].filter(Boolean).join(" · ")}
              {p.transfer_deal_id && <> · <a class="link" href={href(`deals/${p.transfer_deal_id}`)}>Other deal</a></>}
            </small>
          </div>
        ))}
      </Loaded>
      <p class="paid"><span>Paid <b>{cents(paid.amount)}</b> of {cents(total.amount)}</span>{balance_due.amount !== 0 && <span>{balance_due.amount > 0 ? "Due" : "Paid too much"} <b>{cents(Math.abs(balance_due.amount))}</b></span>}</p>
      {refunding && <RefundDialog deal={deal} {...refunding} onClose={() => setRefunding(undefined)} />}
    </section>
  );
}

const kinds: PaymentKind[] = ["deposit", "down_payment", "balance", "lender_proceeds"];
const methods: PaymentMethod[] = ["card", "check", "ach", "wire", "cash", "financing"];

/** A payment to record. With balance, it is what is due. */
export function PaymentDialog({ deal, balance = false, onClose }: { deal: PreviewDeal; balance?: boolean; onClose: () => void }) {
  const form = useForm({
    name: `payment ${balance} ${deal.id}`,
    values: { amount_cents: balance ? fromCents(deal.totals.balance_due.amount) : "", kind: balance ? "balance" : "deposit", method: balance ? "check" : "card", received_on: "", reference: "" },
    save: async (v) => {
      const payment = await api.finance.recordPayment(deal.id, {
        amount_cents: toCents(v.amount_cents) ?? 0, kind: v.kind as PaymentKind, method: v.method as PaymentMethod,
        received_on: v.received_on || null, reference: v.reference || null,
      });
      dealChanged(deal.id);
      toastUndo("Payment recorded.", () => api.preview.finance.undoPayment(deal.id, payment.id).then(() => dealChanged(deal.id)), "Payment undone. It is reversed.");
    },
    onSaved: onClose,
  });
  return (
    <DealDialog title="Record payment" form={form} submit="Record payment" onClose={onClose}>
      <MoneyField form={form} name="amount_cents" label="Amount" exact required hint={`Due: ${cents(deal.totals.balance_due.amount)}`} />
      <div class="form-row">
        <Select form={form} name="kind" label="For" required choices={options(kinds)} />
        <Select form={form} name="method" label="Paid by" required choices={options(methods)} />
      </div>
      <div class="form-row">
        <TextField form={form} name="received_on" label="Received on" type="date" hint="Today if empty." />
        <TextField form={form} name="reference" label="Check number or reference" />
      </div>
    </DealDialog>
  );
}

function RefundDialog({ deal, payment, reversal, onClose }: { deal: PreviewDeal; payment: Payment; reversal: boolean; onClose: () => void }) {
  const form = useForm({
    name: "refund " + payment.id,
    values: { amount_cents: "", reason: "", reference: "" },
    save: async (v) => {
      await api.finance.refundPayment(deal.id, payment.id, { amount_cents: toCents(v.amount_cents), reason: v.reason, reference: v.reference || null, reversal });
      dealChanged(deal.id);
      toast(reversal ? "Recorded. The amount is due again." : "Refund recorded.");
    },
    onSaved: onClose,
  });
  return (
    <DealDialog title={reversal ? `${cents(payment.amount_cents)} did not arrive` : `Refund ${cents(payment.amount_cents)}`} form={form} submit={reversal ? "Record" : "Record refund"} onClose={onClose}>
      <p>{reversal ? "Use this for a bounced check or a chargeback." : "This records the refund. Pay the money back where it was paid."}</p>
      <div class="form-row">
        <MoneyField form={form} name="amount_cents" label="Amount" exact hint="All that remains if empty." />
        <TextField form={form} name="reference" label="Reference" />
      </div>
      <TextField form={form} name="reason" label="Reason" required />
    </DealDialog>
  );
}
