// Adds and edits a contact.
import { api, type Contact, type ContactCreate, type ConsentChannel, type ContactKind } from "../../api.ts";
import { useForm } from "../../form.tsx";
import { phone } from "../../format.ts";
import { changed } from "../../load.ts";
import { Select, TextField } from "../../parts/field.tsx";
import { toast } from "../../parts/toast.tsx";
import { href, navigate } from "../../router.ts";
import { FormDialog } from "./people.tsx";

const texts = ["first_name", "last_name", "company_name", "legal_name_latin", "email", "phone", "timezone"] as const;
const addressParts = ["line1", "line2", "city", "region", "postal_code", "country"] as const;

type ContactValues = Record<(typeof texts)[number] | `address.${(typeof addressParts)[number]}` | "kind" | "preferred_channel" | "tags", string>;

function toValues(c?: Contact): ContactValues {
  const values = { kind: c?.kind ?? "person", preferred_channel: c?.preferred_channel ?? "", tags: c?.tags.join(", ") ?? "" } as ContactValues;
  for (const name of texts) values[name] = c?.[name] ?? "";
  for (const part of addressParts) values[`address.${part}`] = c?.address?.[part] ?? "";
  values.phone = c?.phone ? phone(c.phone) : "";
  return values;
}

/** The body for the fields that changed. Empty fields are removed. */
function toBody(values: ContactValues, names: string[]): ContactCreate {
  const body: ContactCreate = {};
  const has = (name: string) => names.includes(name);
  for (const name of texts) if (has(name)) body[name] = values[name] || null;
  if (has("kind")) body.kind = values.kind as ContactKind;
  if (has("preferred_channel")) body.preferred_channel = (values.preferred_channel || null) as ConsentChannel | null;
  if (has("tags")) body.tags = values.tags.split(",").map((t) => t.trim()).filter(Boolean);
  const parts = addressParts.filter((part) => has(`address.${part}`));
  if (parts.length) body.address = Object.fromEntries(parts.map((part) => [part, values[`address.${part}`] || null]));
  return body;
}

/** The form of a new contact, or of the contact that is given. */
export function ContactForm({ contact, onClose }: { contact?: Contact; onClose: () => void }) {
  const form = useForm({
    name: "contact " + (contact?.id ?? "new"),
    ...(contact && { version: contact.version }),
    values: toValues(contact),
    save: async (values, changes, o) => {
      const body = toBody(values, contact ? Object.keys(changes) : Object.keys(values).filter((name) => values[name as keyof ContactValues]));
      const saved = contact ? await api.contacts.update(contact.id, body, o) : await api.contacts.create(body);
      changed("contact", "lead", saved.id);
      toast(contact ? "Contact saved." : "Contact added.");
      if (!contact) navigate(href("contacts/" + saved.id));
    },
    reload: async () => {
      const now = await api.contacts.get(contact!.id);
      return { values: toValues(now), version: now.version };
    },
    onSaved: () => contact && onClose(),
  });
  const isCompany = form.values.kind === "company";
  return (
    <FormDialog title={contact ? "Edit contact" : "Add contact"} wide form={form} submit={contact ? "Save" : "Add contact"} onClose={onClose}>
      <div class="form-row">
        <Select form={form} name="kind" label="Kind" required choices={[["person", "Person"], ["company", "Company"]]} />
        <TextField form={form} name="company_name" label="Company" required={isCompany} />
      </div>
      <div class="form-row"><TextField form={form} name="first_name" label="First name" /><TextField form={form} name="last_name" label="Last name" /></div>
      <div class="form-row"><TextField form={form} name="phone" label="Phone" type="tel" /><TextField form={form} name="email" label="Email" type="email" /></div>
      <div class="form-row">
        <Select form={form} name="preferred_channel" label="Prefers" choices={[["sms", "Text"], ["email", "Email"], ["voice", "Phone"]]} empty="Not known" />
        <TextField form={form} name="tags" label="Tags" hint="Separated by commas." />
      </div>
      <div class="form-row"><TextField form={form} name="address.line1" label="Street" /><TextField form={form} name="address.line2" label="Apartment, suite or slip" /></div>
      <div class="form-row">
        <TextField form={form} name="address.city" label="City" /><TextField form={form} name="address.region" label="State" />
        <TextField form={form} name="address.postal_code" label="ZIP code" /><TextField form={form} name="address.country" label="Country" placeholder="US" />
      </div>
      <div class="form-row">
        <TextField form={form} name="timezone" label="Time zone" hint="For quiet hours. Usually it follows from the address." placeholder="America/New_York" />
        <TextField form={form} name="legal_name_latin" label="Legal name in Latin letters" hint="As in a passport, for documents." />
      </div>
    </FormDialog>
  );
}
