// The menu that takes a lead off the list of leads that wait for an answer.
import { useState } from "preact/hooks";
import { api, type PreviewLead } from "../../api.ts";
import { changed } from "../../load.ts";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Popover } from "../../parts/menu.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { session } from "../../session.ts";
import { parseTime, sayTime } from "../../times.ts";

const choices: Array<[title: string, time: string]> = [["In two hours", "in 2 hours"], ["Tomorrow", "tomorrow 9"], ["Next week", "mon 9"]];

/** Snoozes a lead until a time, or until the customer writes. */
export async function snooze(lead: PreviewLead, name: string, until: string | undefined): Promise<void> {
  await api.preview.leads.snooze(lead.id, until ? { until } : {});
  changed("lead", lead.id);
  const text = until ? `${name} is snoozed until ${sayTime(until, session.dealership.timezone)}.` : `${name} is off the list until they write.`;
  toast(text, () => void wake(lead).catch(toastError));
}

/** Puts a lead on the list again. */
export async function wake(lead: PreviewLead): Promise<void> {
  await api.preview.leads.wake(lead.id);
  changed("lead", lead.id);
}

export function SnoozeMenu({ lead, name }: { lead: PreviewLead; name: string }) {
  return (
    <Popover class="btn square" label={`Snooze ${name}`} align="end" button={<Icon name="clock" />}>
      {(close) => <SnoozeForm lead={lead} name={name} close={close} />}
    </Popover>
  );
}

function SnoozeForm({ lead, name, close }: { lead: PreviewLead; name: string; close: () => void }) {
  const zone = session.dealership.timezone;
  const [typed, setTyped] = useState("");
  const [left, setLeft] = useState(false);
  const read = parseTime(typed, zone);
  const run = (until: string | undefined) => {
    close();
    void snooze(lead, name, until).catch(toastError);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    setLeft(true);
    if (read.value) run(read.value);
  };
  return (
    <form class="snooze" onSubmit={submit}>
      <p>Off the list until then, or until they write.</p>
      <div class="menu">
        {choices.map(([title, text]) => {
          const at = parseTime(text, zone).value!;
          return <button key={title} type="button" onClick={() => run(at)}>{title}<span class="found-note">{sayTime(at, zone)}</span></button>;
        })}
        <button type="button" onClick={() => run(undefined)}>No answer needed<span class="found-note">Until they write</span></button>
      </div>
      <label class="field">
        Or a time
        <input value={typed} autocomplete="off" placeholder="sat 10" aria-invalid={left && !!read.error} onInput={(e) => setTyped(e.currentTarget.value)} onBlur={() => setLeft(true)} />
        {read.value && <span class="field-result">{sayTime(read.value, zone)}</span>}
        {left && read.error && <span class="field-error" role="alert">The time {read.error}.</span>}
      </label>
      <div class="form-end"><Button small kind="primary" type="submit" disabled={!read.value}>Snooze</Button></div>
    </form>
  );
}
