// What happened to a lead or a contact, and who did it.
import { useState } from "preact/hooks";
import { api, type PreviewTimelineEntry } from "../../api.ts";
import { dateTime, when } from "../../format.ts";
import { useLoad } from "../../load.ts";
import { Loaded } from "../../parts/state.tsx";
import { Timeline } from "../../parts/timeline.tsx";
import { word } from "../../words.ts";
import { useNames } from "./people.tsx";

const few = 5;

/** Fields that change with every write, or that other words describe. */
const quiet = ["last_activity_at", "last_touched_at", "score", "stalled_at", "updated_at", "version", "needs_review", "lost_reason", "deal_id", "possible_duplicates"];

export function PersonActivity({ id }: { id: string }) {
  const load = useLoad(["activity of", id], () => api.preview.activities.listTimeline({ object_id: id, limit: 50 }), [id, "lead"]);
  const [all, setAll] = useState(false);
  const name = useNames();
  return (
    <Loaded load={load} rows={3}>
      {({ data }) => data.length === 0 ? <p class="muted small-text">Nothing in the last 30 days.</p> : (
        <>
          <Timeline
            moments={data.slice(0, all ? data.length : few).map((h) => ({
              id: h.id, what: describe(h, name),
              note: <span title={dateTime(h.created_at)}>{h.actor.type === "system" ? "Automatic" : h.actor.label} · {when(h.created_at)}</span>,
            }))}
          />
          {data.length > few && <button type="button" class="link small-text" onClick={() => setAll(!all)}>{all ? "Show less" : "Show all"}</button>}
        </>
      )}
    </Loaded>
  );
}

/** Status new → contacted, Assigned to Owen Tilghman, or the event in words. */
function describe({ type, changes }: PreviewTimelineEntry, name: (id: string) => string) {
  const { status, owner_id: owner } = changes;
  if (status) return <>{word(String(status[0]))} → <b>{word(String(status[1]))}</b></>;
  if (owner?.[1]) return <>Assigned to <b>{name(String(owner[1]))}</b></>;
  const [noun = "", verb = ""] = type.split(".");
  const fields = Object.keys(changes).filter((f) => !quiet.includes(f)).map((f) => f.replace(/_(usd|id)$/, "").replaceAll("_", " "));
  if (verb === "updated") return fields.length ? <>Changed <b>{fields.join(", ")}</b></> : "Updated";
  return word(["created", "erased", "merged"].includes(verb) ? `${noun} ${verb}` : verb);
}
