// Two contacts side by side, and what the merged contact has.
import { useState } from "preact/hooks";
import { api, type Contact, type ContactMergeField } from "../../api.ts";
import { date, phone } from "../../format.ts";
import { changed, useLoad } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Loaded } from "../../parts/state.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { href, navigate } from "../../router.ts";
import { word } from "../../words.ts";
import { contactName } from "./people.tsx";

export function MergeContacts({ contact, duplicateId, onClose }: { contact: Contact; duplicateId: string; onClose: () => void }) {
  const [shown, setShown] = useState(duplicateId);
  const other = useLoad(["contact", shown], () => api.contacts.get(shown), [shown]);
  const all = contact.possible_duplicates;
  return (
    <Dialog title="Merge contacts" wide onClose={onClose}>
      {all.length > 1 && (
        <div class="mode" role="group" aria-label="Duplicate">
          {all.map((id, i) => <button key={id} type="button" aria-pressed={id === shown} onClick={() => setShown(id)}>Duplicate {i + 1}</button>)}
        </div>
      )}
      <Loaded load={other}>{(o) => <Compare key={o.id} a={contact} b={o} onClose={onClose} />}</Loaded>
    </Dialog>
  );
}

/** The title of a field, its value, and its name if it can be chosen. */
const rows: Array<[string, (c: Contact) => string | null, ContactMergeField?]> = [
  ["First name", (c) => c.first_name, "first_name"],
  ["Last name", (c) => c.last_name, "last_name"],
  ["Company", (c) => c.company_name, "company_name"],
  ["Email", (c) => c.email, "email"],
  ["Phone", (c) => c.phone && phone(c.phone), "phone"],
  ["Address", (c) => c.address && [c.address.line1, c.address.line2, c.address.city, c.address.region, c.address.postal_code].filter(Boolean).join(", "), "address"],
  ["Prefers", (c) => c.preferred_channel && word(c.preferred_channel), "preferred_channel"],
  ["Time zone", (c) => c.timezone, "timezone"],
  ["Added", (c) => date(c.created_at)],
];

function Compare({ a, b, onClose }: { a: Contact; b: Contact; onClose: () => void }) {
  const [keptId, setKeptId] = useState(a.id); // the contacts load again when someone changes them
  const [busy, setBusy] = useState(false);
  const [keep, drop] = keptId === a.id ? [a, b] : [b, a];
  const [taken, setTaken] = useState<ContactMergeField[]>([]); // of the contact that is dropped
  const toggle = (f: ContactMergeField, on: boolean) => setTaken(on ? [...taken, f] : taken.filter((t) => t !== f));
  const tags = [...new Set([...keep.tags, ...drop.tags])].join(", ");
  const merge = async () => {
    setBusy(true);
    try {
      await api.contacts.merge(keep.id, { duplicate_id: drop.id, take: taken });
      changed("contact", "lead", "deal", a.id, b.id);
      toast("Contacts merged.");
      onClose();
      navigate(href("contacts/" + keep.id));
    } catch (error) {
      setBusy(false);
      toastError(error);
    }
  };
  const head = (c: Contact) => (
    <th scope="col"><label><input type="radio" name="keep" checked={keep === c} onChange={() => (setKeptId(c.id), setTaken([]))} /> Keep {c === a ? "this one" : "the other one"}</label></th>
  );
  return (
    <div class="form">
      <div class="compare">
        <table>
          <thead><tr><td /><>{head(a)}{head(b)}</><th scope="col">After the merge</th></tr></thead>
          <tbody>
            {rows.map(([title, of, field]) => {
              const choosable = field && of(keep) && of(drop) && of(keep) !== of(drop);
              const takes = choosable && taken.includes(field);
              return (of(a) || of(b)) && (
                <tr key={title}>
                  <th scope="row">{title}</th><td>{of(a)}</td><td>{of(b)}</td>
                  <td>
                    <b>{takes ? of(drop) : (of(keep) || of(drop))}</b>
                    {choosable && <label><input type="checkbox" checked={!!takes} onChange={(e) => toggle(field, e.currentTarget.checked)} /> Take {of(drop)}</label>}
                  </td>
                </tr>
              );
            })}
            {tags && <tr><th scope="row">Tags</th><td>{a.tags.join(", ")}</td><td>{b.tags.join(", ")}</td><td><b>{tags}</b></td></tr>}
          </tbody>
        </table>
      </div>
      <p>The leads, deals, consents and messages of both belong to {contactName(keep)} afterward. A revocation of either applies to the addresses of both. You can't undo a merge.</p>
      <div class="form-end"><Button onClick={onClose}>Cancel</Button><Button kind="primary" busy={busy} onClick={() => void merge()}>Merge contacts</Button></div>
    </div>
  );
}
