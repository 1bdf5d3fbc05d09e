// A week: a row for each person or boat. And the list of a day, for a phone.
import { Avatar } from "../../parts/avatar.tsx";
import { Icon } from "../../parts/icon.tsx";
import { count } from "../../format.ts";
import { withQuery } from "../../router.ts";
import { session } from "../../session.ts";
import { addDays, momentOf } from "../../times.ts";
import { word } from "../../words.ts";
import { clock, dayOf, minutesOf, monday, today, tones, zone, type Entry, type Row } from "./shared.ts";

const weekday = new Intl.DateTimeFormat("en-US", { timeZone: "UTC", weekday: "short" });

function Entries({ entries, by, onOpen }: { entries: Entry[]; by: "people" | "boats"; onOpen: (e: Entry) => void }) {
  return (
    <>
      {entries.map((e) => (
        <button key={e.id} type="button" class={`ev ${tones[e.kind]}${e.status === "scheduled" ? "" : " done"}`} onClick={() => onOpen(e)}>
          <b>{clock(e.starts_at).replace(/ [AP]M$/, "")} {e.contact_name}</b><span>{word(e.kind)}{by === "people" && e.hull_name && ` · ${e.hull_name}`}</span>
        </button>
      ))}
    </>
  );
}

export function Week({ from, rows, by, onOpen }: { from: string; rows: Row[]; by: "people" | "boats"; onOpen: (e: Entry) => void }) {
  const days = Array.from({ length: 7 }, (_, n) => addDays(from, n));
  const mark = (day: string) => (day === today() ? " is-today" : "");
  return (
    <div class="weekly" tabIndex={0} role="region" aria-label={`Week by ${by === "people" ? "person" : "boat"}`}>
      <div class="dayh" />
      {days.map((day) => (
        <a key={day} class={"dayh" + mark(day)} href={withQuery({ day, range: "day" })}>{weekday.format(new Date(day))}<b>{Number(day.slice(8))}</b></a>
      ))}
      {rows.map((row) => [
        <div key={row.id} class="who">{by === "people" && <Avatar name={row.title} />}<span>{row.title}<small>{count(row.entries.length, "appointment")}</small></span></div>,
        ...days.map((day) => <div key={row.id + day} class={"cell" + mark(day)}><Entries entries={row.entries.filter((e) => dayOf(e) === day)} by={by} onOpen={onOpen} /></div>),
      ])}
    </div>
  );
}

/** A strip of days and one list, with free time as a row to tap. */
export function Agenda({ day, week, mine, onOpen, onNew }: { day: string; week: Entry[]; mine: boolean; onOpen: (e: Entry) => void; onNew: (minutes: number) => void }) {
  const from = week.filter((e) => !mine || e.user_id === session.user.id);
  const entries = from.filter((e) => dayOf(e) === day);
  const first = monday(day);
  const rows: Array<{ at: number; entry?: Entry; until?: number }> = [];
  let free = 9 * 60;
  for (const entry of entries) {
    const at = minutesOf(entry);
    if (at - free >= 30) rows.push({ at: free, until: at });
    rows.push({ at, entry });
    free = Math.max(free, at + entry.duration_minutes);
  }
  if (free < 17 * 60) rows.push({ at: free, until: 17 * 60 });
  return (
    <div class="agenda">
      <nav class="strip" aria-label="Days">
        {Array.from({ length: 7 }, (_, n) => addDays(first, n)).map((d) => (
          <a key={d} href={withQuery({ day: d })} aria-current={d === day ? "date" : undefined}>
            {weekday.format(new Date(d))}<b>{Number(d.slice(8))}</b><span>{from.filter((e) => dayOf(e) === d).length || "\u00a0"}</span>
          </a>
        ))}
      </nav>
      <ol class="rail">
        {rows.map(({ at, entry, until }) => (
          <li key={entry?.id ?? at}>
            <span>{clock(momentOf(day, at, zone))}{entry && <small>{entry.duration_minutes} min</small>}</span>
            {entry
              ? <button type="button" class={"ev " + tones[entry.kind]} onClick={() => onOpen(entry)}><b>{entry.contact_name}</b>{entry.hull_name && <span>{entry.hull_name}</span>}<span>{word(entry.kind)}</span></button>
              : <button type="button" class="gap" onClick={() => onNew(at)}><Icon name="plus" /> Free until {clock(momentOf(day, until!, zone))}</button>}
          </li>
        ))}
      </ol>
    </div>
  );
}
