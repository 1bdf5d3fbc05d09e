// Contacts: the list, and the contact that is selected.
import { api, type Contact } from "../../api.ts";
import { download } from "../../csv.ts";
import { date, number, phone } from "../../format.ts";
import { useKeys } from "../../keys.ts";
import { useList, useLoad } from "../../load.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { InputChip } from "../../parts/chip.tsx";
import { Page, Sheet } from "../../parts/layout.tsx";
import { Peek } from "../../parts/peek.tsx";
import { Loaded } from "../../parts/state.tsx";
import { Tag } from "../../parts/status.tsx";
import { toastError } from "../../parts/toast.tsx";
import { NoRows, Table, type Column } from "../../parts/table.tsx";
import { href, navigate, setQuery, usePlace, withQuery } from "../../router.ts";
import { can } from "../../session.ts";
import { useActions } from "../../shell/actions.ts";
import { Views, chosenColumns } from "../views.tsx";
import { ContactFacts, ContactLeads } from "./contact.tsx";
import { ContactForm } from "./form.tsx";
import { SearchBox, contactName } from "./people.tsx";

export function Contacts() {
  const { query } = usePlace();
  const value = (name: string) => query.get(name) ?? undefined;
  const filters = Object.fromEntries(["q", "tag"].filter(value).map((n) => [n, value(n)!]));
  const contacts = useList(["contacts", filters], (page) => api.contacts.list({ ...filters, ...page }), ["contact"]);
  const peek = value("peek");
  const add = () => setQuery({ add: "yes" });
  const writes = can("leads:write");
  useKeys({ c: writes ? add : undefined, e: peek && writes ? () => navigate(href("contacts/" + peek, { edit: "yes" })) : undefined });
  useActions(writes ? [{ title: "Add contact", icon: "plus", key: "C", run: add }] : []);
  const addButton = writes && <Button kind="primary" icon="plus" onClick={add}>Add contact</Button>;
  const exportAll = () => void api.preview.contacts.listCsv(filters).then(async (r) => download("contacts.csv", await r.blob())).catch(toastError);
  const exportButton = <Button onClick={exportAll}>Export CSV</Button>;
  return (
    <Sheet {...(peek && { kind: "with-peek" })}>
      <Page title="Contacts" actions={<>{exportButton}{writes && <ButtonLink icon="download" href={href("contacts/import")}>Import</ButtonLink>}{addButton}</>}>
        <div class="filters" role="group" aria-label="Filters">
          <SearchBox label="Search name, email or phone" />
          <InputChip label="Tag" value={value("tag")} fields={[{ name: "tag", label: "Tag", value: value("tag") ?? "" }]} onApply={setQuery} onClear={() => setQuery({ tag: undefined })} />
          <Views screen="contacts" names={["tag"]} columns={columns.map((c) => c.title)} />
        </div>
        <Table
          label="Contacts" list={contacts} columns={chosenColumns(peek ? columns.slice(0, 3) : columns, query)} current={peek} name={contactName}
          onMove={(c) => setQuery({ peek: c.id })} onOpen={(c) => navigate(href("contacts/" + c.id))}
          empty={<NoRows filtered={Object.keys(filters).length > 0} text="No contacts yet. They are added with leads and deals, or by you." clear={() => navigate(href("contacts"))} action={addButton} />}
        />
        {!!contacts.data?.length && (
          <div class="pager">
            Showing {number(contacts.data.length)}{contacts.hasMore && ". Scroll for more"}
            <span class="keys"><span><kbd>J</kbd><kbd>K</kbd> move</span><span><kbd>↵</kbd> open</span><span><kbd>E</kbd> edit</span></span>
          </div>
        )}
      </Page>
      {peek && <ContactPeek key={peek} id={peek} />}
      {value("add") && writes && <ContactForm onClose={() => setQuery({ add: undefined })} />}
    </Sheet>
  );
}

const columns: Array<Column<Contact>> = [
  {
    title: "Name", wide: true, phone: "main",
    cell: (c) => (
      <div class="contact-cell">
        <Avatar name={contactName(c)} />
        <div class="t"><b><a href={withQuery({ peek: c.id })}>{contactName(c)}</a></b><small>{c.company_name !== contactName(c) && c.company_name}</small></div>
      </div>
    ),
  },
  { title: "Phone", phone: "top", cell: (c) => c.phone && <span class="num sub">{phone(c.phone)}</span> },
  { title: "Email", cell: (c) => <span class="sub email-cell">{c.email}</span> },
  { title: "Tags", phone: "bottom", cell: (c) => <span class="few-tags">{c.possible_duplicates.length > 0 && <Tag tone="amber">Possible duplicate</Tag>}{c.tags.slice(0, 3).map((t) => <Tag key={t}>{t}</Tag>)}</span> },
  { title: "Added", align: "right", cell: (c) => <span class="sub">{date(c.created_at)}</span> },
];

function ContactPeek({ id }: { id: string }) {
  const contact = useLoad(["contact", id], () => api.contacts.get(id), [id]);
  const { data } = contact;
  const footer = (
    <>
      <ButtonLink href={href("contacts/" + id)}>Open contact</ButtonLink>
      {can("leads:write") && <ButtonLink kind="primary" href={href("leads", { new: "yes", contact_id: id })}>New lead</ButtonLink>}
    </>
  );
  return (
    <Peek label={data ? contactName(data) : "Contact"} code="Contact" href={href("contacts/" + id)} onClose={() => setQuery({ peek: undefined })} footer={footer}>
      <Loaded load={contact}>{(c) => <><h2>{contactName(c)}</h2><ContactFacts contact={c} /><h3>Leads</h3><ContactLeads contactId={c.id} /></>}</Loaded>
    </Peek>
  );
}
