// Replaying the events of a time range.
import { api, type Webhook } from "../../api.ts";
import { count, dateTime } from "../../format.ts";
import { changed } from "../../load.ts";
import { confirm } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Refusal } from "../../parts/state.tsx";
import { toast } from "../../parts/toast.tsx";
import { openForm } from "../dialogs.tsx";
import { includes } from "./event-types.tsx";

/** Events that are counted at most. A replay can have more. */
const most = 2000;

/** Asks for a time range, counts its events, and delivers them again. */
export function replay(webhook: Webhook): void {
  void openForm({
    name: "replay " + webhook.id, title: "Replay events", submit: "Count events",
    values: { since: local(new Date(Date.now() - 86_400_000)), until: "" },
    save: async (v) => {
      if (!v.since) throw new Refusal("Enter the time of the first event.");
      const range = { since: toTime(v.since)!, until: toTime(v.until) };
      const found = await countEvents(webhook, range.since, range.until);
      if (found === 0) throw new Refusal("No events in this time that the webhook subscribes to.");
      const events = found >= most ? `more than ${count(most, "event")}` : count(found, "event");
      const text = `From ${dateTime(range.since)} to ${range.until ? dateTime(range.until) : "now"}. Your program can receive events that it already has. Their IDs are the same.`;
      if (!(await confirm({ title: `Replay ${events}?`, text, action: "Replay events" }))) throw new Refusal("Nothing was replayed.");
      const started = await api.webhooks.replayEvents(webhook.id, range);
      changed("deliveries");
      toast(`Replaying ${count(started.count, "event")}.`);
    },
    fields: (form) => (
      <>
        <p>Send this webhook its events from a period again. Events are stored for 30 days.</p>
        <TextField form={form} name="since" label="From" type="datetime-local" required hint="On the clock of this device." />
        <TextField form={form} name="until" label="To" type="datetime-local" hint="Now, if you leave it empty." />
      </>
    ),
  });
}

async function countEvents(webhook: Webhook, since: string, until: string | null): Promise<number> {
  let n = 0;
  for await (const event of api.webhooks.listEvents({ limit: 100, created_after: since, ...(until && { created_before: until }) })) {
    if (includes(webhook.events, event.type) && ++n >= most) break;
  }
  return n;
}

/** The value of an input for a time on the user's clock. */
function local(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function toTime(text: string): string | null {
  return text ? new Date(text).toISOString() : null;
}
