// The record of a contact: details, leads, deals, consents, notes and duplicates.
import { useEffect, useState } from "preact/hooks";
import { api, type Contact as ContactData } from "../../api.ts";
import { download } from "../../csv.ts";
import { useForm, Form } from "../../form.tsx";
import { date, dateTime, money, phone, when } from "../../format.ts";
import { useKeys } from "../../keys.ts";
import { changed, useLoad } from "../../load.ts";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { confirm } from "../../parts/dialog.tsx";
import { TextArea } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Facts, Page, Section, Sheet } from "../../parts/layout.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Loaded } from "../../parts/state.tsx";
import { Status, Tag } from "../../parts/status.tsx";
import { Timeline } from "../../parts/timeline.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { remember } from "../../prefs.ts";
import { href, navigate, setQuery, usePlace } from "../../router.ts";
import { can, whyNot } from "../../session.ts";
import { useActions } from "../../shell/actions.ts";
import { word } from "../../words.ts";
import { boatName } from "../boats/shared.ts";
import { PersonActivity } from "./activity.tsx";
import { Ledger } from "./consents.tsx";
import { ContactForm } from "./form.tsx";
import { MergeContacts } from "./merge.tsx";
import { contactName, leadExpansions, leadTitle, markOf } from "./people.tsx";

export function Contact({ id }: { id: string }) {
  const contact = useLoad(["contact", id], () => api.contacts.get(id), [id]);
  useKeys({ Escape: () => navigate(href("contacts")) });
  return <Sheet><Loaded load={contact} title="Contact">{(c) => <ContactPage contact={c} />}</Loaded></Sheet>;
}

function ContactPage({ contact }: { contact: ContactData }) {
  const { query } = usePlace();
  const name = contactName(contact);
  const isGone = !!contact.erased_at || !!contact.merged_into;
  const writes = can("leads:write") && !isGone;
  const edit = () => setQuery({ edit: "yes" });
  useEffect(() => remember({ title: name, url: href("contacts/" + contact.id) }), [contact.id]);
  useKeys({ e: writes ? edit : undefined });
  useActions(writes ? [{ title: `Edit ${name}`, icon: "edit", key: "E", run: edit }] : []);

  const actions = !isGone && (
    <>
      <Menu
        class="btn quiet square" label="More actions" align="end" button={<Icon name="more" />}
        items={[
          writes && { title: "Edit contact", icon: "edit", onClick: edit },
          can("deals:read") && { title: "Export data", icon: "download", onClick: () => void exportContact(contact).catch(toastError) },
          writes && { title: "Erase", icon: "trash", onClick: () => void erase(contact).catch(toastError) },
        ]}
      />
      {writes && <Button icon="edit" onClick={edit}>Edit</Button>}
      {writes && <ButtonLink kind="primary" href={href("leads", { new: "yes", contact_id: contact.id })}>New lead</ButtonLink>}
    </>
  );
  return (
    <Page title={name} back={{ href: href("contacts"), title: "Contacts" }} aside={contact.tags.map((t) => <Tag key={t}>{t}</Tag>)} actions={actions}>
      <div class="content">
        {contact.merged_into && <p class="note part-note"><Icon name="contacts" />This contact was merged.<a class="link" href={href("contacts/" + contact.merged_into)}>Open the contact that has its data</a></p>}
        {contact.erased_at && <p class="note part-note"><Icon name="trash" />The personal data was erased on {date(contact.erased_at)}.</p>}
        {!isGone && <Duplicates contact={contact} />}
        <div class="columns">
          <div>
            <Section title="Details"><ContactFacts contact={contact} /></Section>
            <Section title="Leads"><ContactLeads contactId={contact.id} /></Section>
            {can("deals:read") && <Section title="Deals"><ContactDeals contactId={contact.id} /></Section>}
          </div>
          <div>
            <Section title="Consents"><Ledger contactId={contact.id} /></Section>
            <Section title="Notes"><Notes contact={contact} readOnly={isGone} /></Section>
            <Section title="Activity"><PersonActivity id={contact.id} /></Section>
          </div>
        </div>
      </div>
      {query.get("edit") && writes && <ContactForm contact={contact} onClose={() => setQuery({ edit: undefined })} />}
    </Page>
  );
}

export function ContactFacts({ contact: c }: { contact: ContactData }) {
  const a = c.address;
  const city = [a?.city, [a?.region, a?.postal_code].filter(Boolean).join(" ")].filter(Boolean).join(", ");
  return (
    <Facts facts={[
      ["Phone", c.phone && phone(c.phone)],
      ["Email", c.email],
      ["Prefers", c.preferred_channel && word(c.preferred_channel)],
      ["Company", c.company_name],
      ["Legal name", c.legal_name_latin],
      ["Address", a && [a.line1, a.line2, city, a.country !== "US" && a.country].filter(Boolean).join(", ")],
      ["Time zone", c.timezone],
      ["Tags", c.tags.join(", ")],
      ["Added", date(c.created_at)],
      ...Object.entries(c.metadata),
    ]} />
  );
}

export function ContactLeads({ contactId }: { contactId: string }) {
  const leads = useLoad(["leads of", contactId], () => api.preview.leads.list({ contact_id: contactId, limit: 100, expand: leadExpansions() }), ["lead"]);
  return (
    <Loaded load={leads} rows={2}>
      {({ data }) => data.length === 0 ? <p class="muted">No leads.</p> : (
        <ul class="records">
          {data.map((l) => {
            const [mark, tone] = markOf(l);
            return <li key={l.id}><a href={href("leads/" + l.id)}><b>{leadTitle(l)}</b><Tag tone={tone}>{mark}</Tag><small>{[l.owner?.name ?? "Unassigned", when(l.last_activity_at)].join(" · ")}</small></a></li>;
          })}
        </ul>
      )}
    </Loaded>
  );
}

function ContactDeals({ contactId }: { contactId: string }) {
  const load = () => api.preview.deals.list({ buyer_id: contactId, limit: 100, ...(can("hulls:read") && { expand: ["hull"] }) });
  const deals = useLoad(["deals of", contactId], load, ["deal"]);
  return (
    <Loaded load={deals} rows={2}>
      {({ data }) => data.length === 0 ? <p class="muted">No deals.</p> : (
        <ul class="records">
          {data.map((d) => (
            <li key={d.id}>
              <a href={href("deals/" + d.id)}><b>{d.hull ? boatName(d.hull) : `Deal ${d.number}`}</b><Status value={d.status} /><small>Deal {d.number} · {money(d.offer)} · {date(d.created_at)}</small></a>
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}

function Notes({ contact, readOnly }: { contact: ContactData; readOnly: boolean }) {
  const notes = useLoad(["activities", contact.id], () => api.preview.activities.list({ object_id: contact.id, limit: 100 }), ["activity"]);
  const form = useForm({
    name: "note " + contact.id,
    values: { body: "" },
    save: async ({ body }) => {
      await api.preview.activities.create({ object_id: contact.id, kind: "note", body });
      changed("activity");
      toast("Note saved.");
    },
    onSaved: () => form.reset(),
  });
  return (
    <>
      {!readOnly && can("leads:write") && <Form form={form} submit="Add note"><TextArea form={form} name="body" label="Note" rows={2} required /></Form>}
      <Loaded load={notes} rows={2}>
        {({ data }) => data.length === 0 ? <p class="muted">No notes.</p> : (
          <Timeline moments={data.map((a) => ({ id: a.id, what: a.body ?? "Erased", note: [word(a.kind), a.author.label, dateTime(a.occurred_at)].join(" · ") }))} />
        )}
      </Loaded>
    </>
  );
}

function Duplicates({ contact }: { contact: ContactData }) {
  const [merging, setMerging] = useState<string>();
  const count = contact.possible_duplicates.length;
  if (!count) return null;
  return (
    <>
      <p class="note part-note">
        <Icon name="contacts" />{count === 1 ? "Another contact has" : `${count} contacts have`} the same email or phone.
        <Button small why={whyNot("leads:write")} onClick={() => setMerging(contact.possible_duplicates[0])}>Compare</Button>
      </p>
      {merging && <MergeContacts contact={contact} duplicateId={merging} onClose={() => setMerging(undefined)} />}
    </>
  );
}

/** Downloads all data about a contact. */
async function exportContact(contact: ContactData): Promise<void> {
  const data = await api.contacts.export(contact.id);
  download(`${contact.id}.json`, new Blob([JSON.stringify(data, null, 2)], { type: "application/json" }));
  toast("Data exported. The export is in the audit log.");
}

async function erase(contact: ContactData): Promise<void> {
  const name = contactName(contact);
  const yes = await confirm({
    title: `Erase ${name}?`,
    text:
      "This removes the personal data from the contact, from contacts that were merged into it, and from their leads, messages, consents, notes and deals. " +
      "Scheduled appointments are canceled. Documents of completed sales are kept, because the law requires it. " +
      "Opt-outs still apply: Slipway keeps a code that stands for the address, not the address. You can't undo this.",
    action: "Erase contact",
    danger: true,
    type: name,
  });
  if (!yes) return;
  await api.contacts.erase(contact.id);
  changed("contact", "lead", contact.id);
  toast("Contact erased.");
}
