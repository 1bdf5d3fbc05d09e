// Offers of the buyer and the dealer.
import { useState } from "preact/hooks";
import { SlipwayError, api, type Offer, type OfferParty, type PreviewDeal } from "../../api.ts";
import { useForm } from "../../form.tsx";
import { ago, usd, when } from "../../format.ts";
import { changed } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { MoneyField, Select, TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Loaded } from "../../parts/state.tsx";
import { toastError, toastUndo } from "../../parts/toast.tsx";
import { can } from "../../session.ts";
import { word } from "../../words.ts";
import { DealDialog } from "./dialog.tsx";
import { canOverride, dealChanged, useOffers } from "./shared.ts";

const colors: Partial<Record<Offer["status"], string>> = { accepted: "var(--green)", pending: "var(--amber)" };

export function Offers({ deal, onAdd }: { deal: PreviewDeal; onAdd: () => void }) {
  const offers = useOffers(deal.id);
  const [dialog, setDialog] = useState<{ offer: Offer; kind: "counter" | "reject" | "withdraw" }>();
  const editable = can("deals:write") && deal.status === "open";
  const close = () => setDialog(undefined);
  return (
    <section id="offers">
      <h2>Offers{editable && <span class="part-action"><button type="button" class="link" onClick={onAdd}>New offer</button></span>}</h2>
      <Loaded load={offers} rows={2}>
        {({ data }) => data.map((offer) => (
          <div key={offer.id} class="offer">
            <i style={{ "--c": colors[offer.status] ?? "var(--line-strong)" }} />
            <span>{word(offer.made_by)}</span>
            <b class={colors[offer.status] ? "" : "no"}>{usd(offer.amount_usd)}</b>
            {editable && offer.status === "pending" && <Answer deal={deal} offer={offer} onDialog={(kind) => setDialog({ offer, kind })} />}
            <small>{describe(offer)}</small>
          </div>
        ))}
      </Loaded>
      {dialog?.kind === "counter" && <OfferDialog deal={deal} answers={dialog.offer} onClose={close} />}
      {dialog && dialog.kind !== "counter" && <RejectDialog deal={deal} offer={dialog.offer} withdraw={dialog.kind === "withdraw"} onClose={close} />}
    </section>
  );
}

function describe(offer: Offer): string {
  const state = offer.status === "pending"
    ? [`Made ${when(offer.created_at)}`, offer.expires_at && `expires ${ago(offer.expires_at)}`]
    : [`${word(offer.status)} ${when(offer.decided_at ?? offer.updated_at)}`];
  return [...state, offer.reason, offer.note].filter(Boolean).join(" · ");
}

function other(side: OfferParty): OfferParty {
  return side === "buyer" ? "dealer" : "buyer";
}

/** What to do with a pending offer. Accepting it takes one click, because it can be undone. */
function Answer({ deal, offer, onDialog }: { deal: PreviewDeal; offer: Offer; onDialog: (kind: "counter" | "reject" | "withdraw") => void }) {
  const by = word(other(offer.made_by));
  const [busy, setBusy] = useState(false);
  const onAccept = () => {
    setBusy(true);
    void accept(deal, offer).finally(() => setBusy(false));
  };
  return (
    <span class="answer">
      <Button small busy={busy} onClick={onAccept}>{by} accepts</Button>
      <Menu
        class="btn small square" align="end" label={`Answer the offer of ${usd(offer.amount_usd)}`} button={<Icon name="down" />}
        items={[
          { title: `${by} counters`, icon: "price", onClick: () => onDialog("counter") },
          { title: `${by} rejects`, icon: "close", onClick: () => onDialog("reject") },
          { title: "Withdraw", icon: "undo", onClick: () => onDialog("withdraw") },
        ]}
      />
    </span>
  );
}

/** Accepts an offer. If the boat is on hold for someone else, a manager can accept it anyway. */
async function accept(deal: PreviewDeal, offer: Offer): Promise<void> {
  try {
    const accepted = await api.deals.acceptOffer(deal.id, offer.id, {}).catch(async (error: unknown) => {
      const onHold = error instanceof SlipwayError && error.details.some((d) => d.code === "hull_on_hold");
      if (!onHold || !canOverride()) throw error;
      if (await confirm({ title: "The boat is on hold for someone else", text: error.message, action: "Accept anyway", danger: true })) {
        return api.deals.acceptOffer(deal.id, offer.id, { override_hold: true });
      }
      throw error;
    });
    negotiated(deal, "Offer accepted. The boat is reserved.", accepted, "Not accepted. The deal is open again.");
  } catch (error) {
    toastError(error);
  }
}

/** Loads what an answer changes, and offers to undo it. */
function negotiated(deal: PreviewDeal, text: string, { id, version }: Offer, undone: string): void {
  const reload = () => (dealChanged(deal.id), changed("hull", deal.hull_id));
  reload();
  toastUndo(text, () => api.preview.deals.undoOffer(deal.id, id, { ifVersion: version }).then(reload), undone);
}

const expirations: Array<[string, string]> = [["24", "In 1 day"], ["48", "In 2 days"], ["72", "In 3 days"], ["168", "In 1 week"]];

/** A new offer, or the answer to one. */
export function OfferDialog({ deal, answers, onClose, onSaved }: { deal: PreviewDeal; answers?: Offer; onClose: () => void; onSaved?: (amountUSD: number) => void }) {
  const form = useForm({
    name: "offer " + deal.id,
    values: { amount_usd: "", made_by: (answers ? other(answers.made_by) : "dealer") as string, hours: "", note: "" },
    save: async ({ amount_usd, made_by, hours, note }) => {
      const made = await api.deals.makeOffer(deal.id, {
        amount_usd: Number(amount_usd), made_by: made_by as OfferParty, note: note || null,
        expires_at: hours ? new Date(Date.now() + Number(hours) * 3_600_000).toISOString() : null,
        ...(answers && { in_reply_to: answers.id }),
      });
      negotiated(deal, "Offer recorded.", made, "Offer withdrawn.");
      onSaved?.(Number(amount_usd));
    },
    onSaved: onClose,
  });
  return (
    <DealDialog title={answers ? `Counter ${usd(answers.amount_usd)}` : "New offer"} form={form} submit="Record offer" onClose={onClose}>
      <div class="form-row">
        <MoneyField form={form} name="amount_usd" label="Price of the boat" required />
        <Select form={form} name="made_by" label="Made by" required disabled={!!answers} choices={[["dealer", "Dealer"], ["buyer", "Buyer"]]} />
      </div>
      <Select form={form} name="hours" label="Expires" empty="Never" choices={expirations} />
      <TextField form={form} name="note" label="Note" hint="For your staff. The buyer doesn't see it." />
    </DealDialog>
  );
}

function RejectDialog({ deal, offer, withdraw, onClose }: { deal: PreviewDeal; offer: Offer; withdraw: boolean; onClose: () => void }) {
  const form = useForm({
    name: "reject " + offer.id,
    values: { reason: "" },
    save: async ({ reason }) => {
      const rejected = await api.deals.rejectOffer(deal.id, offer.id, { by: withdraw ? offer.made_by : other(offer.made_by), reason: reason || null });
      negotiated(deal, withdraw ? "Offer withdrawn." : "Offer rejected.", rejected, "The offer is pending again.");
    },
    onSaved: onClose,
  });
  const verb = withdraw ? "Withdraw" : "Reject";
  return (
    <DealDialog title={`${verb} ${usd(offer.amount_usd)}?`} form={form} submit={`${verb} offer`} onClose={onClose}>
      <TextField form={form} name="reason" label="Reason" />
    </DealDialog>
  );
}
