// Rows of contacts that exist already, and what happens to each.
import { useState } from "preact/hooks";
import { api, type ContactImport, type PreviewContactImportDuplicate } from "../../api.ts";
import { count, number, phone } from "../../format.ts";
import { useList } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { toastError } from "../../parts/toast.tsx";
import { Verdict } from "../../parts/verdict.tsx";
import { href } from "../../router.ts";

type Action = ContactImport["duplicates"];

const actions: Array<[Action, string, string]> = [
  ["skip", "Skip the row", "Skip them"], ["update", "Update the contact", "Update the contacts"], ["new", "Add a new contact", "Add new contacts"],
];

export function Duplicates(props: { of: ContactImport; ready: number; busy: boolean; onChange: () => void; onBack: () => void; onStart: () => void }) {
  const { of: i } = props;
  const list = useList(["import-duplicates", i.id, i.finished_at ?? ""], (page) => api.preview.contacts.listImportDuplicates(i.id, page), []);
  const [chosen, setChosen] = useState<Record<number, Action>>({});
  const [busy, setBusy] = useState(false);
  const all = async (duplicates: Action) => {
    setBusy(true);
    await api.preview.contacts.replaceImportReading(i.id, { map: i.map, duplicates }).then(props.onChange).catch(toastError);
    setBusy(false);
  };
  const choose = (row: number, action: Action) =>
    void api.preview.contacts.updateImportDuplicate(i.id, String(row), { action }).then(() => setChosen({ ...chosen, [row]: action })).catch(toastError);
  const rows = list.data ?? [];
  return (
    <>
      <Verdict answer="wait" icon="alert" title={`${count(i.duplicate_rows, "row is a duplicate", "rows are duplicates")}.`}>
        The email or phone belongs to a contact, or to an earlier row. Nothing is saved yet. Opt-outs are recorded even if you skip a row.
      </Verdict>
      <div class="all">
        <label class="field">
          Duplicates you don’t decide below
          <select value={i.duplicates} disabled={busy} onChange={(e) => void all(e.currentTarget.value as Action)}>
            {actions.map(([value, , title]) => <option key={value} value={value}>{title}</option>)}
          </select>
        </label>
      </div>
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Duplicates">
        <table class="maps">
          <thead><tr><th scope="col">Row</th><th scope="col">In your file</th><th scope="col">Same as</th><th scope="col">What happens</th></tr></thead>
          <tbody>
            {rows.map((d) => (
              <tr key={d.row}>
                <td><b>{d.row}</b></td>
                <td><b>{d.name || "No name"}</b><small>{[d.email, d.phone && phone(d.phone)].filter(Boolean).join(" · ")}</small></td>
                <td>{d.contact_id ? <a href={href("contacts/" + d.contact_id)}>{d.contact_name ?? "Contact without a name"}</a> : `Row ${d.same_row}`}<small>{same(d)}</small></td>
                <td>
                  <select aria-label={`Row ${d.row}: what happens`} value={chosen[d.row] ?? d.action} onChange={(e) => choose(d.row, e.currentTarget.value as Action)}>
                    {actions.map(([value, title]) => <option key={value} value={value}>{title}</option>)}
                  </select>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {list.hasMore && <p class="part"><Button onClick={list.more}>Show more</Button> <span class="muted">{number(rows.length)} of {number(i.duplicate_rows)}</span></p>}
      <div class="bar">
        <span class="end">
          <Button onClick={props.onBack}>Back</Button>
          <Button kind="primary" busy={props.busy} onClick={props.onStart}>{`Import ${count(props.ready, "row")}`}</Button>
        </span>
      </div>
    </>
  );
}

/** The same email, or the same phone, or both. */
function same(d: PreviewContactImportDuplicate): string {
  return `Same ${d.matches.join(" and ")}${d.contact_id && d.same_row ? `, as in row ${d.same_row}` : ""}`;
}
