// Moving a deal to its next status, and canceling it.
import { api, type DealStatus, type DepositOutcome, type PreviewDeal, type PreviewDealStep } from "../../api.ts";
import { Form, useForm } from "../../form.tsx";
import { money } from "../../format.ts";
import { changed, useLoad } from "../../load.ts";
import { ButtonLink } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { CheckField, Select, TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Loaded } from "../../parts/state.tsx";
import { toast } from "../../parts/toast.tsx";
import { href, usePlace } from "../../router.ts";
import { word } from "../../words.ts";
import { DealDialog } from "./dialog.tsx";
import { buyerName, canOverride, dealBoat, dealChanged, expansions, stepActions, useNext } from "./shared.ts";

/** Moves a deal to a later status. If something is missing, it lists what. */
export function MoveDialog({ deal, to, onClose }: { deal: PreviewDeal; to: DealStatus; onClose: () => void }) {
  const next = useNext(deal.id);
  return (
    <Dialog title={`${dealBoat(deal)}: ${word(to)}`} onClose={onClose}>
      <Loaded load={next} rows={2}>
        {({ steps }) => {
          const step = steps.find((s) => s.to === to);
          const writeOff = (to === "closed" || to === "funded" && deal.deal_type !== "finance") && !!step?.missing.length && step.missing.every((m) => m.code === "payment") && canOverride();
          if (step?.allowed || writeOff) return <MoveForm deal={deal} to={to} writeOff={writeOff} onClose={onClose} />;
          return <Missing deal={deal} step={step} />;
        }}
      </Loaded>
    </Dialog>
  );
}

function Missing({ deal, step }: { deal: PreviewDeal; step: PreviewDealStep | undefined }) {
  const { path } = usePlace();
  const page = `deals/${deal.id}`;
  return (
    <div class="form">
      <p>{step ? "This is missing:" : `The deal is ${word(deal.status).toLowerCase()}. It can't move there.`}</p>
      {step && <ul class="missing">{step.missing.map((m) => <li key={m.code}><Icon name="clock" />{m.message}</li>)}</ul>}
      {path !== page && <div class="form-end"><ButtonLink kind="primary" href={href(page)}>Open deal</ButtonLink></div>}
    </div>
  );
}

function MoveForm({ deal, to, writeOff, onClose }: { deal: PreviewDeal; to: DealStatus; writeOff: boolean; onClose: () => void }) {
  const form = useForm({
    name: `move ${deal.id} ${to}`,
    values: { reason: "", write_off_reason: "", stock: "" },
    save: async ({ reason, write_off_reason, stock }) => {
      await api.deals.advance(deal.id, { to, reason: reason || null, ...(stock === "now" && { stock_in_trades: true }), ...(writeOff && { write_off_reason: write_off_reason || null }) });
      dealChanged(deal.id);
      changed("hull", deal.hull_id);
      toast(`The deal is ${word(to).toLowerCase()}.`);
    },
    onSaved: onClose,
  });
  return (
    <Form form={form} submit={stepActions[to] ?? `Move to ${word(to)}`} onCancel={onClose}>
      {writeOff
        ? <TextField form={form} name="write_off_reason" label="Reason for the write-off" required hint={`${money(deal.totals.balance_due)} is due. It is recorded as written off.`} />
        : <TextField form={form} name="reason" label="Reason" hint="For the history of the deal." />}
      {to === "delivered" && deal.totals.trade_equity.amount !== 0 && (
        <Select form={form} name="stock" label="Add trade-ins to the inventory" choices={[["", "When the deal is closed"], ["now", "Now"]]} />
      )}
    </Form>
  );
}

const outcomes: Array<[DepositOutcome, string]> = [
  ["refund", "Refund everything"],
  ["transfer", "Move it to another deal"],
  ["forfeit", "Keep it"],
];

/** Cancels a deal and says what happens to the money. */
export function CancelDialog({ deal, onClose }: { deal: PreviewDeal; onClose: () => void }) {
  const paid = deal.totals.paid.amount > 0;
  const form = useForm({
    name: "cancel " + deal.id,
    values: { reason: "", deposit_outcome: "", transfer_to_deal_id: "", override_buyer: "" },
    save: async ({ reason, deposit_outcome, transfer_to_deal_id, override_buyer }) => {
      await api.deals.cancel(deal.id, {
        reason,
        deposit_outcome: (deposit_outcome || null) as DepositOutcome | null,
        transfer_to_deal_id: (deposit_outcome === "transfer" && transfer_to_deal_id) || null,
        ...(override_buyer && { override_buyer: true }),
      });
      dealChanged(deal.id);
      changed("hull", deal.hull_id);
      toast("Deal canceled.");
    },
    onSaved: onClose,
  });
  const { deposit_outcome, override_buyer } = form.values;
  const buyer_id = override_buyer ? undefined : deal.buyer_id;
  const others = useLoad(
    deposit_outcome === "transfer" ? ["deals to transfer to", buyer_id] : undefined,
    () => api.preview.deals.list({ ...(buyer_id && { buyer_id }), status_category: "open", expand: expansions(), limit: 100 }),
  );
  const targets = (others.data?.data ?? []).filter((d) => d.id !== deal.id).map((d): [string, string] => [d.id, [d.number, override_buyer && d.buyer && buyerName(d), dealBoat(d)].filter(Boolean).join(" · ")]);
  return (
    <DealDialog title={`Cancel deal for ${dealBoat(deal)}?`} form={form} submit="Cancel deal" onClose={onClose}>
      <p>The boat is for sale again. Offers and lender applications are withdrawn, and unsigned documents are voided.</p>
      <TextField form={form} name="reason" label="Reason" required />
      {paid && <Select form={form} name="deposit_outcome" label={`What happens to the ${money(deal.totals.paid)} that was paid?`} required empty="Choose" choices={outcomes.filter(([o]) => o !== "refund" || canOverride())} />}
      {paid && deposit_outcome === "transfer" && (
        <>
          <Select form={form} name="transfer_to_deal_id" label="Deal" required empty={targets.length ? "Choose a deal" : "The buyer has no other open deal"} choices={targets} />
          {canOverride() && <CheckField form={form} name="override_buyer" label="Deals of other buyers" hint="The money then pays the boat of someone else. This is recorded in the audit log." />}
        </>
      )}
    </DealDialog>
  );
}
