// The agreement with the owner of a boat that is sold for someone else.
import { useState } from "preact/hooks";
import { api, type ListingKind, type PreviewHull, type PreviewListingAgreement, type PreviewListingAgreementReplace } from "../../api.ts";
import { useForm } from "../../form.tsx";
import { date, money } from "../../format.ts";
import { changed, useLoad } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { MoneyField, NumberField, Select, TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Facts, Section } from "../../parts/layout.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { href } from "../../router.ts";
import { can } from "../../session.ts";
import { FormDialog, PickerField, contactName } from "../contacts/people.tsx";

const kinds: Array<[ListingKind, string]> = [["exclusive", "Exclusive listing"], ["open", "Open listing"], ["consignment", "Consignment"]];

/** Who owns the boat, and what the dealership gets for selling it. */
export function BoatOwner({ boat }: { boat: PreviewHull }) {
  const agreement = boat.listing_agreement;
  const [editing, setEditing] = useState(false);
  const forOwner = boat.ownership === "consignment" || boat.ownership === "brokerage";
  const delivered = boat.status === "delivered";
  const owner = useOwner(agreement?.owner_contact_id);
  if (delivered && !agreement) return null;
  const actions = !delivered && (
    <span class="acts">
      {agreement && <Button small icon="trash" onClick={() => void remove(boat).catch(toastError)}>Remove</Button>}
      <Button small icon={agreement ? "edit" : "plus"} onClick={() => setEditing(true)}>{agreement ? "Edit" : "Sell for an owner"}</Button>
    </span>
  );
  return (
    <Section title="Owner" action={actions}>
      {!agreement && (forOwner
        ? <p class="note"><Icon name="alert" />The owner is unknown. Papers that name the seller can't be issued.</p>
        : <p class="muted">The boat belongs to the dealership.</p>)}
      {agreement && (
        <Facts facts={[
          ["Owner", can("leads:read") ? <a class="link" href={href(`contacts/${agreement.owner_contact_id}`)}>{owner ? contactName(owner) : "Owner"}</a> : "On file"],
          ["Agreement", kinds.find(([kind]) => kind === agreement.kind)?.[1]],
          ["Commission", agreement.commission_percent ? `${agreement.commission_percent}%` : agreement.commission && money(agreement.commission)],
          ["Owner gets", agreement.net_price && money(agreement.net_price)],
          ["Co-broker", agreement.co_broker && `${agreement.co_broker}, ${agreement.co_broker_split_percent}% of the commission`],
          ["Escrow holder", agreement.escrow_holder],
          ["Ends on", agreement.ends_on && date(agreement.ends_on)],
        ]} />
      )}
      {editing && <AgreementDialog boat={boat} agreement={agreement} onClose={() => setEditing(false)} />}
    </Section>
  );
}

function useOwner(id: string | undefined) {
  return useLoad(id && can("leads:read") ? ["contact", id] : undefined, () => api.contacts.get(id!), id ? [id] : []).data;
}

async function remove(boat: PreviewHull): Promise<void> {
  if (!(await confirm({ title: "Remove the agreement with the owner?", text: "Papers that name the seller can't be issued without it.", action: "Remove agreement", danger: true }))) return;
  await api.preview.hulls.deleteListingAgreement(boat.id);
  changed("hull", boat.id);
  toast("Agreement removed.");
}

function AgreementDialog({ boat, agreement, onClose }: { boat: PreviewHull; agreement: PreviewListingAgreement | undefined; onClose: () => void }) {
  const owner = useOwner(agreement?.owner_contact_id);
  const dollars = (amount: { amount: number } | null | undefined) => (amount ? (amount.amount / 100).toFixed(2) : "");
  const form = useForm({
    name: "listing agreement " + boat.id,
    ...(agreement && { version: agreement.version }),
    values: {
      owner_contact_id: agreement?.owner_contact_id ?? "", kind: (agreement?.kind ?? "exclusive") as string,
      by: agreement?.net_price ? "net_price" : agreement?.commission ? "commission" : "commission_percent",
      commission_percent: agreement?.commission_percent ?? "10", commission: dollars(agreement?.commission), net_price: dollars(agreement?.net_price),
      co_broker: agreement?.co_broker ?? "", co_broker_split_percent: agreement?.co_broker_split_percent ?? "", escrow_holder: agreement?.escrow_holder ?? "",
      ends_on: agreement?.ends_on ?? "",
    },
    save: async (v, _, options) => {
      const usd = (text: string) => ({ amount: Math.round(Number(text) * 100), currency: "USD" as const });
      const body: PreviewListingAgreementReplace = {
        owner_contact_id: v.owner_contact_id, kind: v.kind as ListingKind, co_broker: v.co_broker || null, co_broker_split_percent: v.co_broker_split_percent || null,
        escrow_holder: v.escrow_holder || null, ends_on: v.ends_on || null,
        ...(v.by === "commission_percent" && { commission_percent: v.commission_percent }),
        ...(v.by === "commission" && { commission: usd(v.commission) }),
        ...(v.by === "net_price" && { net_price: usd(v.net_price) }),
      };
      await api.preview.hulls.replaceListingAgreement(boat.id, body, options);
      changed("hull", boat.id);
      toast("Agreement saved.");
    },
    onSaved: onClose,
  });
  const { by } = form.values;
  const close = () => {
    form.reset();
    onClose();
  };
  return (
    <FormDialog title="Agreement with the owner" wide form={form} submit="Save" onClose={close}>
      <div class="form-row">
        <PickerField form={form} name="owner_contact_id" of="contact" label="Owner" required title={owner && contactName(owner)} />
        <Select form={form} name="kind" label="Agreement" required choices={kinds} />
      </div>
      <div class="form-row">
        <Select form={form} name="by" label="You get" required choices={[["commission_percent", "A percentage of the price"], ["commission", "An amount"], ["net_price", "What is above a net price"]]} />
        {by === "commission_percent" && <NumberField form={form} name="commission_percent" label="Commission" unit="%" required />}
        {by === "commission" && <MoneyField form={form} name="commission" label="Commission" exact required />}
        {by === "net_price" && <MoneyField form={form} name="net_price" label="The owner gets" exact required />}
      </div>
      <div class="form-row">
        <TextField form={form} name="co_broker" label="Co-broker" hint="Who brings the buyer." />
        <NumberField form={form} name="co_broker_split_percent" label="Their part of the commission" unit="%" />
      </div>
      <div class="form-row">
        <TextField form={form} name="escrow_holder" label="Escrow holder" hint="The dealership if empty." />
        <TextField form={form} name="ends_on" label="Ends on" type="date" />
      </div>
    </FormDialog>
  );
}
