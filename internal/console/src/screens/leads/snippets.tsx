// Snippets: short texts with the values of the lead, from a menu or by typing /name. The person sees the final text, and sends it.
import { useState } from "preact/hooks";
import { api, type PreviewLeadSnippet, type PreviewMessageSnippet } from "../../api.ts";
import { excerpt } from "../../format.ts";
import { changed, useLoad } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, confirm } from "../../parts/dialog.tsx";
import { TextArea, TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Loaded } from "../../parts/state.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { can } from "../../session.ts";
import { open, openForm } from "../dialogs.tsx";

/** The snippets, filled in for a lead. */
function useSnippets(leadId: string): PreviewLeadSnippet[] {
  return useLoad(["snippets", leadId], () => api.preview.leads.getSnippets(leadId), [leadId, "snippet", "hull"]).data?.data ?? [];
}

/** What is typed after a slash, at the end of what is before the caret. */
const typed = /(^|\s)\/([a-z0-9-]*)$/;

interface Target {
  leadId: string;
  text: string;
  area: () => HTMLTextAreaElement | null;
  onText: (text: string) => void;
}

/** Puts a text where the caret is, instead of what was typed after the slash. The caret is behind it. */
function insert({ text, area, onText }: Target, snippet: PreviewLeadSnippet): void {
  const at = area()?.selectionStart ?? text.length;
  const before = text.slice(0, at).replace(typed, "$1");
  onText(before + snippet.text + text.slice(area()?.selectionEnd ?? at));
  if (snippet.missing.length > 0) toast(`Left out, because the lead has no ${snippet.missing.map((m) => m.replace("_", " ")).join(" and no ")}.`);
  queueMicrotask(() => { // after the text is rendered, and before the next key
    area()?.focus();
    area()?.setSelectionRange((before + snippet.text).length, (before + snippet.text).length);
  });
}

/** The menu of snippets next to the composer. */
export function SnippetMenu(target: Target) {
  const all = useSnippets(target.leadId);
  return (
    <Menu class="btn quiet small" label="Snippets" button={<><Icon name="note" />Snippets</>} items={[
      ...all.map((s) => ({ title: "/" + s.name, onClick: () => insert(target, s) })),
      { title: "Add snippet", icon: "plus", onClick: () => edit() },
      all.length > 0 && { title: "Change snippets", icon: "edit", onClick: () => void open((done) => <Manage onClose={() => done()} />) },
    ]} />
  );
}

/** Suggests snippets while someone types a slash. Returns the list, and what handles the keys of the text. */
export function useSlash(target: Target): [preact.ComponentChildren, (event: KeyboardEvent) => boolean] {
  const all = useSnippets(target.leadId);
  const [at, setAt] = useState(0);
  const [closed, setClosed] = useState("");
  const before = target.text.slice(0, target.area()?.selectionStart ?? target.text.length);
  const start = typed.exec(before)?.[2];
  const found = start === undefined || closed === before ? [] : all.filter((s) => s.name.startsWith(start)).slice(0, 6);
  const current = found[Math.min(at, found.length - 1)];
  const choose = (s: PreviewLeadSnippet) => (setAt(0), insert(target, s));
  const onKey = (event: KeyboardEvent) => {
    if (!current || event.metaKey || event.ctrlKey || event.altKey) return false;
    if (event.key === "ArrowDown") setAt((Math.min(at, found.length - 1) + 1) % found.length);
    else if (event.key === "ArrowUp") setAt((Math.min(at, found.length - 1) + found.length - 1) % found.length);
    else if (event.key === "Enter" || event.key === "Tab") choose(current);
    else if (event.key === "Escape") setClosed(before);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  const list = found.length > 0 && (
    <ul class="slash" role="listbox" aria-label="Snippets">
      {found.map((s) => (
        <li key={s.id} role="option" aria-selected={s === current} onMouseDown={(e) => (e.preventDefault(), choose(s))}>
          <b>/{s.name}</b><small>{excerpt(s.text) || "Needs a value that this lead doesn’t have"}</small>
        </li>
      ))}
    </ul>
  );
  return [list, onKey];
}

/** All snippets, to change and to delete them. */
function Manage({ onClose }: { onClose: () => void }) {
  const load = useLoad(["all snippets"], () => api.preview.leads.listSnippets({ limit: 100 }), ["snippet"]);
  return (
    <Dialog title="Snippets" onClose={onClose}>
      <div class="form">
        <Loaded load={load} rows={3}>
          {({ data }) => (
            <ul class="link-rows">
              {data.map((s) => (
                <li key={s.id}><span class="t"><b>/{s.name}</b><small>{excerpt(s.body)}</small></span><span class="row"><Button small onClick={() => edit(s)}>Edit</Button><Button small onClick={() => void remove(s).catch(toastError)}>Delete</Button></span></li>
              ))}
              {data.length === 0 && <li class="sub">No snippets.</li>}
            </ul>
          )}
        </Loaded>
        <div class="form-end"><Button onClick={onClose}>Close</Button></div>
      </div>
    </Dialog>
  );
}

const places = "{first_name|there}, {last_name}, {boat}, {price}, {link}, {photo}, {seller}, {dealership}";

function edit(snippet?: PreviewMessageSnippet): void {
  if (!can("leads:write")) return;
  void openForm({
    name: snippet ? "snippet " + snippet.id : "new snippet", title: snippet ? `Edit /${snippet.name}` : "Add snippet", submit: snippet ? "Save" : "Add snippet",
    ...(snippet && { version: snippet.version }),
    values: { name: snippet?.name ?? "", body: snippet?.body ?? "" },
    save: async ({ name, body }, _, options) => {
      await (snippet ? api.preview.leads.updateSnippet(snippet.id, { name, body }, options) : api.preview.leads.createSnippet({ name, body }));
      changed("snippet");
      toast("Snippet saved.");
    },
    fields: (form) => (
      <>
        <TextField form={form} name="name" label="Name" required hint="What you type after the slash: lowercase letters, digits and hyphens." />
        <TextArea form={form} name="body" label="Text" required rows={5} hint={`These become the values of the lead: ${places}. A sentence whose value is missing is left out.`} />
      </>
    ),
  });
}

async function remove(snippet: PreviewMessageSnippet): Promise<void> {
  if (!(await confirm({ title: `Delete /${snippet.name}?`, text: "Messages that were sent with it stay.", action: "Delete snippet", danger: true }))) return;
  await api.preview.leads.deleteSnippet(snippet.id);
  changed("snippet");
  toast("Snippet deleted.");
}
