// A day by the hour: a lane for each person or boat. Appointments are dragged, and so are new ones.
import { useRef, useState } from "preact/hooks";
import type { PreviewFreeTime as FreeTime } from "../../api.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { count } from "../../format.ts";
import { toastError } from "../../parts/toast.tsx";
import { can, session } from "../../session.ts";
import { minutesAt, momentOf } from "../../times.ts";
import { word } from "../../words.ts";
import { clock, minutesOf, move, span, today, tones, zone, type Entry, type Row } from "./shared.ts";

const step = 15;
const hourHeight = 62;

/** What the panel for a new appointment shows in the lanes. */
export interface Ghost {
  rowId: string;
  minutes: number;
  duration: number;
  refused: boolean;
}

interface Drag {
  entry: Entry;
  rowId: string;
  minutes: number;
}

export function Day(props: {
  day: string;
  rows: Row[];
  by: "people" | "boats";
  ghost: Ghost | undefined;
  free: FreeTime[];
  onOpen: (e: Entry) => void;
  onNew: (rowId: string, minutes: number, duration: number) => void;
  onFree: (free: FreeTime) => void;
}) {
  const { day, rows, by, ghost } = props;
  const [drag, setDrag] = useState<Drag>();
  const [draft, setDraft] = useState<{ rowId: string; from: number; to: number }>();
  const entries = rows.flatMap((r) => r.entries);
  const first = Math.min(8 * 60, ...entries.map(minutesOf), ghost?.minutes ?? 1440);
  const last = Math.max(18 * 60, ...entries.map((e) => minutesOf(e) + e.duration_minutes), ghost ? ghost.minutes + ghost.duration : 0);
  const from = Math.floor(first / 60);
  const hours = Math.min(24, Math.ceil(last / 60)) - from;
  const writes = can("leads:write");
  const at = (minutes: number) => String(minutes / 60 - from);
  const snap = (y: number) => Math.round((from * 60 + (y / hourHeight) * 60) / step) * step;

  const startDraft = (rowId: string) => (event: PointerEvent) => {
    if (!writes || event.button !== 0 || event.target !== event.currentTarget) return;
    const lane = event.currentTarget as HTMLElement;
    lane.setPointerCapture(event.pointerId);
    const minutes = Math.floor((from * 60 + ((event.clientY - lane.getBoundingClientRect().top) / hourHeight) * 60) / step) * step;
    setDraft({ rowId, from: minutes, to: minutes });
  };
  const moveDraft = (event: PointerEvent) => {
    if (!draft) return;
    const top = (event.currentTarget as HTMLElement).getBoundingClientRect().top;
    setDraft({ ...draft, to: snap(event.clientY - top) });
  };
  const endDraft = () => {
    if (!draft) return;
    const length = draft.to - draft.from;
    props.onNew(draft.rowId, draft.from, length >= step ? length : 60);
    setDraft(undefined);
  };
  const now = minutesAt(new Date(), zone);
  return (
    <div class="lanes" style={{ "--n": String(rows.length), "--hours": String(hours) }} tabIndex={0} role="region" aria-label={`Day by ${by === "people" ? "person" : "boat"}`}>
      <div class="who corner" />
      {rows.map((row) => (
        <div key={row.id} class="who">
          {by === "people" && <Avatar name={row.title} />}
          <span>{row.title}<small>{[row.id === session.user.id && "You", count(row.entries.length, "appointment")].filter(Boolean).join(" · ")}</small></span>
        </div>
      ))}
      <div class="scale">
        {Array.from({ length: hours }, (_, n) => <time key={n} style={{ "--t": String(n) }}>{clock(momentOf(day, (from + n) * 60, zone)).replace(":00", "")}</time>)}
      </div>
      {rows.map((row) => (
        <div key={row.id} class={"lane" + (drag && drag.rowId === row.id && drag.entry.user_id !== row.id ? " over" : "")} data-row={row.id}
          onPointerDown={startDraft(row.id)} onPointerMove={moveDraft} onPointerUp={endDraft} onPointerCancel={() => setDraft(undefined)}>
          {row.entries.map((e, i) => (
            <Event key={e.id} entry={e} by={by} top={drag?.entry.id === e.id ? drag.minutes : minutesOf(e)} at={at} left={overlapping(row.entries, i)} moves={writes}
              moving={drag?.entry.id === e.id} onDrag={setDrag} onOpen={() => props.onOpen(e)} />
          ))}
          {draft?.rowId === row.id && <div class="ev ghost" style={{ "--t": at(draft.from), "--d": String(Math.max(step, draft.to - draft.from) / 60) }}><b>New</b></div>}
          {ghost?.rowId === row.id && <div class={"ev ghost" + (ghost.refused ? " refused" : "")} style={{ "--t": at(ghost.minutes), "--d": String(ghost.duration / 60), "--left": ghost.refused ? "50" : "0" }}><b>New</b><span>{clock(momentOf(day, ghost.minutes, zone))}</span></div>}
          {by === "people" && props.free.filter((f) => f.user_id === row.id).map((f) => (
            <button key={f.starts_at} type="button" class="ev free" style={{ "--t": at(minutesAt(new Date(f.starts_at), zone)), "--d": String((ghost?.duration ?? 60) / 60) }} onClick={() => props.onFree(f)}>
              <b>{clock(f.starts_at)}</b><span>Free</span>
            </button>
          ))}
          {day === today() && now > from * 60 && now < (from + hours) * 60 && <i class="now-line" style={{ "--t": at(now) }} />}
        </div>
      ))}
    </div>
  );
}

/** How far to the right an appointment starts, in percent, so that one that overlaps stays visible. */
function overlapping(entries: Entry[], i: number): number {
  const e = entries[i]!;
  return Math.min(60, 30 * entries.slice(0, i).filter((other) => other.starts_at < e.ends_at && other.ends_at > e.starts_at).length);
}

function Event(props: {
  entry: Entry; by: "people" | "boats"; top: number; at: (minutes: number) => string; left: number; moves: boolean; moving: boolean;
  onDrag: (drag: Drag | undefined) => void; onOpen: () => void;
}) {
  const { entry: e, by, top, moving, onDrag } = props;
  const start = useRef<{ x: number; y: number; moved: boolean } | undefined>(undefined);
  const drag = useRef<Drag | undefined>(undefined);
  const target = (minutes: number, rowId: string) => ({ starts_at: momentOf(e.starts_at_local.slice(0, 10), minutes, zone).toISOString().replace(".000", ""), user_id: by === "people" ? rowId : e.user_id });
  const canMove = props.moves && e.status === "scheduled";
  const down = (event: PointerEvent) => {
    if (!canMove || event.button !== 0) return;
    start.current = { x: event.clientX, y: event.clientY, moved: false };
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
  };
  const over = (event: PointerEvent) => {
    const from = start.current;
    if (!from || (!from.moved && Math.hypot(event.clientX - from.x, event.clientY - from.y) < 5)) return;
    from.moved = true;
    const delta = Math.round(((event.clientY - from.y) / hourHeight) * 60 / step) * step;
    const lane = document.elementsFromPoint(event.clientX, event.clientY).find((el) => el.classList.contains("lane"));
    const own = by === "people" ? e.user_id : (e.hull_id ?? "");
    drag.current = { entry: e, minutes: Math.max(0, Math.min(1425, minutesOf(e) + delta)), rowId: (by === "people" && (lane as HTMLElement | undefined)?.dataset["row"]) || own };
    onDrag(drag.current);
  };
  const up = () => {
    const to = drag.current;
    start.current = undefined;
    drag.current = undefined;
    if (!to) return;
    void move(e, target(to.minutes, to.rowId)).catch(toastError).finally(() => onDrag(undefined));
  };
  const key = (event: KeyboardEvent) => {
    if (!event.altKey || !canMove || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    const minutes = minutesOf(e) + (event.key === "ArrowDown" ? step : -step);
    void move(e, target(minutes, by === "people" ? e.user_id : (e.hull_id ?? ""))).catch(toastError);
  };
  return (
    <button
      type="button" class={`ev ${tones[e.kind]}${moving ? " moving" : ""}${e.status === "scheduled" ? "" : " done"}`} data-id={e.id}
      style={{ "--t": props.at(top), "--d": String(Math.max(e.duration_minutes, 25) / 60), "--left": String(props.left) }}
      onPointerDown={down} onPointerMove={over} onPointerUp={up} onPointerCancel={() => (start.current = drag.current = undefined, onDrag(undefined))} onKeyDown={key}
      onClick={() => !moving && props.onOpen()}
    >
      <b>{e.contact_name}</b>
      {e.hull_name && by === "people" && e.duration_minutes >= 60 && <span>{e.hull_name}</span>}
      <span>{word(e.kind)} · {moving ? clock(momentOf(e.starts_at_local.slice(0, 10), top, zone)) : span(e)}</span>
    </button>
  );
}
