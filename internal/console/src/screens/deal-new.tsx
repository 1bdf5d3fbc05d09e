// Starting a deal: the boat, the buyer and the opening offer.
import { api, type Contact, type DealType, type PreviewHull } from "../api.ts";
import { Form, useForm } from "../form.tsx";
import { money, phone } from "../format.ts";
import { changed, useLoad } from "../load.ts";
import { CheckField, MoneyField, Select, TextField } from "../parts/field.tsx";
import { Page, Sheet } from "../parts/layout.tsx";
import { Photo } from "../parts/photo.tsx";
import { Empty } from "../parts/state.tsx";
import { Status } from "../parts/status.tsx";
import { toast } from "../parts/toast.tsx";
import { href, navigate, usePlace } from "../router.ts";
import { can, whyNot } from "../session.ts";
import { boatName, useBoat } from "./boats.ts";
import { dealTypes } from "./deals.ts";
import { contactName } from "./people.tsx";
import { Picker, type Choice } from "./picker.tsx";

async function searchBoats(q: string, signal: AbortSignal): Promise<Choice[]> {
  const { data } = await api.preview.hulls.list({ q, limit: 8 }, { signal });
  return data.map((b) => ({ id: b.id, title: boatName(b), note: [b.stock_number, money(b.price), b.status !== "available" && b.status.replaceAll("_", " ")].filter(Boolean).join(" · ") }));
}

async function searchContacts(q: string, signal: AbortSignal): Promise<Choice[]> {
  const { data } = await api.contacts.list({ q, limit: 8 }, { signal });
  return data.map((c) => ({ id: c.id, title: contactName(c), note: reach(c) }));
}

function reach(contact: Contact): string {
  return [contact.email, contact.phone && phone(contact.phone)].filter(Boolean).join(" · ");
}

const person = { first_name: "", last_name: "", email: "", phone: "" };

export function NewDeal() {
  const why = whyNot("hulls:read") ?? whyNot("leads:read");
  return why ? <Sheet><Empty text={why} /></Sheet> : <NewDealForm />;
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
  // A buyer that was added is chosen, so trying again doesn't add them twice.
  async function addBuyer(v: typeof person): Promise<string> {
    const { first_name, last_name, email, phone: number } = v;
    const contact = await api.contacts.create({ first_name: first_name || null, last_name: last_name || null, email: email || null, phone: number || null });
    form.set("buyer_id", contact.id);
    form.set("isNew", "");
    return contact.id;
  }
  const boat = useBoat(form.values.hull_id || undefined).data;
  const { data: buyer } = useLoad(form.values.buyer_id ? ["contact", form.values.buyer_id] : undefined, () => api.contacts.get(form.values.buyer_id), [form.values.buyer_id]);
  form.fields.set("hull_id", { label: "Boat", required: false }).set("buyer_id", { label: "Buyer", required: false });
  const cancel = () => {
    form.reset();
    navigate(href("deals"));
  };
  return (
    <Sheet>
      <Page title="Start a deal" back={{ href: href("deals"), title: "Deals" }}>
        <div class="content"><div class="part narrow">
          <Form form={form} submit="Start deal" onCancel={cancel}>
            <Picker
              label="Boat" placeholder="Make, model, HIN or stock number" error={form.errors.hull_id} search={searchBoats}
              chosen={form.values.hull_id && <ChosenBoat boat={boat} />} onChoose={(id) => form.set("hull_id", id)}
            />
            {!form.values.isNew && (
              <Picker
                label="Buyer" placeholder="Name, email or phone" error={form.errors.buyer_id} search={searchContacts}
                chosen={form.values.buyer_id && <span class="t"><b>{buyer && contactName(buyer)}</b><small>{buyer && reach(buyer)}</small></span>}
                onChoose={(id) => form.set("buyer_id", id)}
              />
            )}
            {can("leads:write") && !form.values.buyer_id && <CheckField form={form} name="isNew" label="Add a new contact" />}
            {form.values.isNew && (
              <>
                <div class="form-row"><TextField form={form} name="first_name" label="First name" /><TextField form={form} name="last_name" label="Last name" /></div>
                <div class="form-row"><TextField form={form} name="email" label="Email" type="email" /><TextField form={form} name="phone" label="Phone" type="tel" /></div>
              </>
            )}
            <div class="form-row">
              <MoneyField form={form} name="offer_usd" label="Opening offer of the buyer" required {...(boat && { hint: `Asking price: ${money(boat.price)}` })} />
              <Select form={form} name="deal_type" label="How the buyer pays" required choices={dealTypes} />
            </div>
          </Form>
        </div></div>
      </Page>
    </Sheet>
  );
}

function ChosenBoat({ boat }: { boat: PreviewHull | undefined }) {
  if (!boat) return <span class="t" />;
  return (
    <>
      <Photo boat={boat} />
      <span class="t"><b>{boatName(boat)}</b><small>{boat.stock_number} · {money(boat.price)}</small></span>
      {boat.status !== "available" && <Status value={boat.status} />}
    </>
  );
}
