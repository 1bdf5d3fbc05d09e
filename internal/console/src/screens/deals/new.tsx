// Starting a deal: the boat, the buyer and the opening offer.
import { useState } from "preact/hooks";
import { api, type DealType } from "../../api.ts";
import { Form, useForm } from "../../form.tsx";
import { money } from "../../format.ts";
import { changed, useLoad } from "../../load.ts";
import { CheckField, MoneyField, Select, TextField } from "../../parts/field.tsx";
import { Page, Sheet } from "../../parts/layout.tsx";
import { Empty, Skeleton } from "../../parts/state.tsx";
import { toast } from "../../parts/toast.tsx";
import { href, navigate, usePlace } from "../../router.ts";
import { can, whyNot } from "../../session.ts";
import { word } from "../../words.ts";
import { boatName, useBoat } from "../boats/shared.ts";
import { PickerField, contactName } from "../contacts/people.tsx";
import { dealTypes } from "./shared.ts";

const person = { first_name: "", last_name: "", email: "", phone: "" };

export function NewDeal() {
  const why = whyNot("hulls:read") ?? whyNot("leads:read");
  return (
    <Sheet>
      <Page title="Start a deal" back={{ href: href("deals"), title: "Deals" }}>
        <div class="content"><div class="part narrow">{why ? <Empty text={why} /> : <NewDealForm />}</div></div>
      </Page>
    </Sheet>
  );
}

function NewDealForm() {
  const { query } = usePlace();
  const form = useForm({
    name: "new deal",
    values: { hull_id: query.get("hull_id") ?? "", buyer_id: query.get("buyer_id") ?? "", isNew: "", offer_usd: "", deal_type: "cash", ...person },
    save: async (v) => {
      const buyer_id = v.isNew ? await addBuyer(v) : v.buyer_id;
      const lead_id = query.get("lead_id");
      const deal = await api.deals.create({
        hull_id: v.hull_id, buyer_id, offer_usd: Number(v.offer_usd), deal_type: v.deal_type as DealType, ...(lead_id && { lead_id }),
      });
      changed("deal", "contact", "lead");
      toast("Deal started.");
      navigate(href(`deals/${deal.id}`), { replace: true });
    },
  });
  const { hull_id, buyer_id } = form.values;
  const boat = useBoat(hull_id || undefined);
  const buyer = useLoad(buyer_id ? ["contact", buyer_id] : undefined, () => api.contacts.get(buyer_id), [buyer_id]);

  // A buyer that was added is chosen, so trying again doesn't add them twice.
  async function addBuyer({ first_name, last_name, email, phone }: typeof person): Promise<string> {
    const contact = await api.contacts.create({ first_name: first_name || null, last_name: last_name || null, email: email || null, phone: phone || null });
    form.set("buyer_id", contact.id);
    form.set("isNew", "");
    return contact.id;
  }

  // The fields start with the names of what the link or a draft chose.
  const [chosen] = useState({ hull_id, buyer_id });
  const waits = [chosen.hull_id && boat, chosen.buyer_id && buyer].some((load) => load && !load.data && !load.error);
  if (waits) return <Skeleton />;
  const cancel = () => {
    form.reset();
    navigate(href("deals"));
  };
  const { data } = boat;
  return (
    <Form form={form} submit="Start deal" onCancel={cancel}>
      <PickerField form={form} name="hull_id" of="boat" required title={data && boatName(data)} />
      {data && data.status !== "available" && <p class="hint">{word(data.status)}. Someone else might buy it first.</p>}
      {!form.values.isNew && <PickerField form={form} name="buyer_id" of="contact" label="Buyer" required title={buyer.data && contactName(buyer.data)} />}
      {can("leads:write") && !buyer_id && <CheckField form={form} name="isNew" label="Add a new contact" />}
      {form.values.isNew && (
        <>
          <div class="form-row"><TextField form={form} name="first_name" label="First name" /><TextField form={form} name="last_name" label="Last name" /></div>
          <div class="form-row"><TextField form={form} name="email" label="Email" type="email" /><TextField form={form} name="phone" label="Phone" type="tel" /></div>
        </>
      )}
      <div class="form-row">
        <MoneyField form={form} name="offer_usd" label="Opening offer of the buyer" required {...(data && { hint: `Asking price: ${money(data.price)}` })} />
        <Select form={form} name="deal_type" label="How the buyer pays" required choices={dealTypes} />
      </div>
    </Form>
  );
}
