// Notes about a deal, and what happened to it.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { api, type Activity, type Actor, type PreviewDeal } from "../../api.ts";
import { useForm } from "../../form.tsx";
import { cents, usd, when } from "../../format.ts";
import { changed, together, useLoad } from "../../load.ts";
import { confirm } from "../../parts/dialog.tsx";
import { TextArea } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Section } from "../../parts/layout.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Loaded } from "../../parts/state.tsx";
import { Timeline, type Moment } from "../../parts/timeline.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { can, session } from "../../session.ts";
import { word } from "../../words.ts";
import { DealDialog } from "./dialog.tsx";
import { useDocuments, useFundings, useHistory, useOffers, usePayments } from "./shared.ts";

export function DealNotes({ deal }: { deal: PreviewDeal }) {
  const notes = useLoad(["notes", deal.id], () => api.preview.activities.list({ object_id: deal.id, kind: "note", limit: 100 }), [deal.id, "activity"]);
  const [editing, setEditing] = useState<Activity | "new">();
  const writes = can("deals:write");
  return (
    <Section title="Notes" action={writes && <button type="button" class="link" onClick={() => setEditing("new")}>Add note</button>}>
      <Loaded load={notes} rows={1}>
        {({ data }) => (
          <ul class="notes">
            {data.map((note) => (
              <li key={note.id}>
                <p>{note.body ?? "Erased"}</p>
                {writes && note.author.id === session.user.id && (
                  <Menu
                    class="btn quiet square" align="end" label="Actions for the note" button={<Icon name="more" />}
                    items={[{ title: "Edit", icon: "edit", onClick: () => setEditing(note) }, { title: "Delete", icon: "trash", onClick: () => void remove(note) }]}
                  />
                )}
                <small>{note.author.label} · {when(note.occurred_at)}</small>
              </li>
            ))}
            {data.length === 0 && <li class="muted">No notes.</li>}
          </ul>
        )}
      </Loaded>
      {editing && <NoteDialog deal={deal} note={editing === "new" ? undefined : editing} onClose={() => setEditing(undefined)} />}
    </Section>
  );
}

async function remove(note: Activity): Promise<void> {
  if (!(await confirm({ title: "Delete this note?", text: note.body ?? "", action: "Delete note", danger: true }))) return;
  try {
    await api.preview.activities.delete(note.id);
    changed("activity");
    toast("Note deleted.");
  } catch (error) {
    toastError(error);
  }
}

function NoteDialog({ deal, note, onClose }: { deal: PreviewDeal; note: Activity | undefined; onClose: () => void }) {
  const form = useForm({
    name: `note ${note?.id ?? deal.id}`,
    values: { body: note?.body ?? "" },
    save: async ({ body }) => {
      await (note ? api.preview.activities.update(note.id, { body }) : api.preview.activities.create({ kind: "note", object_id: deal.id, body }));
      changed("activity");
      toast("Note saved.");
    },
    onSaved: onClose,
  });
  return (
    <DealDialog title={note ? "Edit note" : "Add note"} form={form} submit="Save note" onClose={onClose}>
      <TextArea form={form} name="body" label="Note" required rows={5} />
    </DealDialog>
  );
}

/** What happened, from the parts of the deal. */
function useMoments(deal: PreviewDeal) {
  const loads = [useHistory(deal.id), useOffers(deal.id), usePayments(deal.id), useDocuments(deal.id), useFundings(deal)] as const;
  const moment = (id: string, at: string, what: ComponentChildren, ...notes: Array<string | null>): Moment & { at: string } => ({ id, at, what, note: [...notes, when(at)].filter(Boolean).join(" · ") });
  const who = (actor: Actor) => (actor.type === "system" ? "Automatic" : actor.label);
  return together([...loads], ([history, offers, payments, documents, fundings]) => [
    ...(history?.data ?? []).map((c) => moment(c.id, c.at, c.from ? <>{word(c.from)} → <b>{word(c.to)}</b></> : <>Deal <b>started</b></>, who(c.actor), c.reason)),
    ...(offers?.data ?? []).map((o) => moment(o.id, o.created_at, <>{word(o.made_by)} offered <b>{usd(o.amount_usd)}</b></>, o.note)),
    ...(payments?.data ?? []).map((p) => moment(p.id, p.created_at, <>{word(p.type)} of <b>{cents(p.amount_cents)}</b></>, word(p.method), p.reason)),
    ...(fundings?.data ?? []).map((f) => moment(f.id, f.created_at, <>Submitted to <b>{f.lender}</b></>)),
    ...(documents?.data ?? []).flatMap((d) => [
      moment(d.id, d.created_at, <><b>{d.title}</b> {d.origin}</>, who(d.issued_by)),
      ...d.signatures.map((s) => moment(d.id + s.signer_role, s.signed_at, <>{d.title} signed by <b>{s.signer_name}</b></>)),
      ...(d.voided_at ? [moment(d.id + "voided", d.voided_at, <>{d.title} <b>voided</b></>, d.void_reason)] : []),
    ]),
  ].sort((a, b) => b.at.localeCompare(a.at)));
}

const few = 6;

export function DealActivity({ deal }: { deal: PreviewDeal }) {
  const load = useMoments(deal);
  const [all, setAll] = useState(false);
  const more = (load.data?.length ?? 0) > few;
  return (
    <Section title="Activity" action={more && <button type="button" class="link" onClick={() => setAll(!all)}>{all ? "Show less" : "See all"}</button>}>
      <Loaded load={load}>{(moments) => <Timeline moments={all ? moments : moments.slice(0, few)} />}</Loaded>
    </Section>
  );
}
