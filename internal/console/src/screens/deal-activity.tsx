// Notes about a deal, and what happened to it.
import { useState } from "preact/hooks";
import { api, type Activity, type PreviewDeal } from "../api.ts";
import { Form, useForm } from "../form.tsx";
import { when } from "../format.ts";
import { changed, useLoad } from "../load.ts";
import { Dialog, confirm } from "../parts/dialog.tsx";
import { TextArea } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { Section } from "../parts/layout.tsx";
import { Menu } from "../parts/menu.tsx";
import { Loaded } from "../parts/state.tsx";
import { Timeline } from "../parts/timeline.tsx";
import { toast, toastError } from "../parts/toast.tsx";
import { can, session } from "../session.ts";
import { word } from "../words.ts";

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
  const close = () => (form.reset(), onClose());
  return (
    <Dialog title={note ? "Edit note" : "Add note"} onClose={close}>
      <Form form={form} submit="Save note" onCancel={close}><TextArea form={form} name="body" label="Note" required rows={5} /></Form>
    </Dialog>
  );
}

export function DealActivity({ deal }: { deal: PreviewDeal }) {
  const history = useLoad(["deal history", deal.id], () => api.deals.listHistory(deal.id, { limit: 100 }), [deal.id]);
  return (
    <Section title="Activity">
      <Loaded load={history} rows={3}>
        {({ data }) => (
          <Timeline moments={data.map((c) => ({
            id: c.id,
            what: c.from === null ? <>Deal <b>started</b></> : <>{word(c.from)} → <b>{word(c.to)}</b></>,
            note: [c.actor.type === "system" ? "Automatic" : c.actor.label, when(c.at), c.reason].filter(Boolean).join(" · "),
          }))} />
        )}
      </Loaded>
    </Section>
  );
}
