// The calendar: who is where with which boat.
import { useState } from "preact/hooks";
import { api, type PreviewFreeTime as FreeTime } from "../../api.ts";
import { count, dayName } from "../../format.ts";
import { useKeys } from "../../keys.ts";
import { changed } from "../../load.ts";
import { Button, ButtonLink, IconButton } from "../../parts/button.tsx";
import { Facts, Sheet, useTitle } from "../../parts/layout.tsx";
import { Loaded } from "../../parts/state.tsx";
import { loadStyles } from "../../parts/styles.ts";
import { toastError, toastUndo } from "../../parts/toast.tsx";
import { href, setQuery, usePlace } from "../../router.ts";
import { can, session, whyNot } from "../../session.ts";
import { useActions } from "../../shell/actions.ts";
import { addDays, dayAt, minutesAt, momentOf, sayTime } from "../../times.ts";
import { word } from "../../words.ts";
import { useNames } from "../contacts/people.tsx";
import { Book, type Shown, type Wish } from "./book.tsx";
import { Day } from "./day.tsx";
import { dayOf, kinds, monday, span, today, tones, useRows, useSchedule, zone, type Entry } from "./shared.ts";
import { Agenda, Week } from "./week.tsx";

await loadStyles("calendar.css");

const noon = (day: string) => momentOf(day, 12 * 60, zone);

export function Calendar() {
  const { query } = usePlace();
  const day = /^\d{4}-\d\d-\d\d$/.test(query.get("day") ?? "") ? query.get("day")! : today();
  const range = query.get("range") === "week" ? "week" : "day";
  const by = query.get("rows") === "boats" ? "boats" : "people";
  const mine = query.get("who") === "me";
  const schedule = useSchedule(monday(day), 7);
  const [wish, setWish] = useState<Wish>();
  const [shown, setShown] = useState<Shown>();
  const opened = schedule.data?.data.find((e) => e.id === query.get("open"));
  const open = (e: Entry) => (setWish(undefined), setQuery({ open: e.id }));
  const close = () => (setWish(undefined), setShown(undefined), setQuery({ open: undefined }));
  const create = (w: Wish = {}) => {
    setQuery({ open: undefined });
    setWish(w);
  };
  const move = (n: number) => setQuery({ day: addDays(day, range === "week" ? n * 7 : n) });
  const writes = can("leads:write");
  useKeys({
    d: () => setQuery({ range: undefined }), w: () => setQuery({ range: "week" }), t: () => setQuery({ day: undefined }),
    ArrowLeft: () => move(-1), ArrowRight: () => move(1), c: writes ? () => create() : undefined, Escape: wish || opened ? close : undefined,
  });
  useActions(writes ? [{ title: "New appointment", icon: "calendar", key: "C", run: () => create() }] : []);
  const title = range === "week" ? `${dayName(noon(monday(day)))} – ${dayName(noon(addDays(monday(day), 6)))}` : dayName(noon(day));
  useTitle("Calendar");
  const choice = (label: string, name: string, choices: Array<[string | undefined, string]>) => (
    <div class="mode not-phone" role="group" aria-label={label}>
      {choices.map(([value, text]) => <button key={text} type="button" aria-pressed={(query.get(name) ?? undefined) === value} onClick={() => setQuery({ [name]: value })}>{text}</button>)}
    </div>
  );
  return (
    <Sheet kind={"cal" as "desk"}>
      <section class="page">
        <div class="head">
          <div class="head-title"><h1>{title}</h1></div>
          <IconButton icon="arrowLeft" label="Earlier" onClick={() => move(-1)} />
          <IconButton icon="arrowRight" label="Later" onClick={() => move(1)} />
          <Button small onClick={() => setQuery({ day: undefined })}>Today</Button>
          <div class="acts">
            {choice("Range", "range", [[undefined, "Day"], ["week", "Week"]])}
            {choice("Rows", "rows", [[undefined, "People"], ["boats", "Boats"]])}
            <Button kind="primary" icon="plus" why={whyNot("leads:write")} onClick={() => create()}>Appointment</Button>
          </div>
        </div>
        <Loaded load={schedule}>
          {({ data }) => (
            <>
              <Views {...{ day, range, by, wish, shown, entries: data }} onOpen={open} onNew={create} />
              <Agenda day={day} week={data} mine={mine} onOpen={open} onNew={(minutes) => create({ starts_at: iso(day, minutes) })} />
              <div class="legend">
                <span>{count(data.filter((e) => range === "week" || dayOf(e) === day).length, "appointment")}</span>
                {kinds.slice(0, 4).map((k) => <span key={k} class={tones[k]}><i />{word(k)}</span>)}
                <span class="end"><kbd>C</kbd> new <kbd>T</kbd> today <kbd>D</kbd> <kbd>W</kbd> range <kbd>Alt ↑↓</kbd> move by 15 min</span>
              </div>
            </>
          )}
        </Loaded>
      </section>
      {wish && <Book wish={wish} onShow={setShown} onClose={close} />}
      {!wish && opened && <Details key={opened.id} entry={opened} onClose={close} />}
    </Sheet>
  );
}

function iso(day: string, minutes: number): string {
  return momentOf(day, minutes, zone).toISOString().replace(".000", "");
}

function Views(props: {
  day: string; range: "day" | "week"; by: "people" | "boats"; entries: Entry[]; wish: Wish | undefined; shown: Shown | undefined;
  onOpen: (e: Entry) => void; onNew: (wish: Wish) => void;
}) {
  const { day, range, by, entries, wish, shown, onNew } = props;
  const rows = useRows(range === "week" ? entries : entries.filter((e) => dayOf(e) === day), by);
  if (range === "week") return <Week from={monday(day)} rows={rows} by={by} onOpen={props.onOpen} />;
  const at = wish && shown?.starts_at ? new Date(shown.starts_at) : undefined;
  const ghost = at && dayAt(at, zone) === day ? {
    rowId: by === "people" ? shown!.user_id : shown!.hull_id, minutes: minutesAt(at, zone), duration: shown!.duration, refused: !!shown!.result?.conflicts.length,
  } : undefined;
  const row = (id: string) => (by === "people" ? { user_id: id } : id ? { hull_id: id } : {});
  return (
    <Day
      {...{ day, rows, by, ghost }} free={wish ? (shown?.result?.free ?? []) : []} onOpen={props.onOpen}
      onNew={(rowId, minutes, duration) => onNew({ ...row(rowId), starts_at: iso(day, minutes), duration })}
      onFree={(f: FreeTime) => onNew({ user_id: f.user_id, starts_at: f.starts_at.replace(".000", "") })}
    />
  );
}

/** An appointment: who, where, and what happened. */
function Details({ entry: e, onClose }: { entry: Entry; onClose: () => void }) {
  const name = useNames();
  const writes = can("leads:write") && e.status === "scheduled";
  const again = (version: number) => api.preview.appointments.update(e.id, { status: "scheduled", override_boat: true }, { ifVersion: version }).then(() => changed("appointment"));
  const set = async (status: "completed" | "no_show") => {
    const after = await api.preview.appointments.update(e.id, { status }, { ifVersion: e.version });
    changed("appointment");
    toastUndo(`${word(status)}.`, () => again(after.version), "Scheduled again.");
  };
  const cancel = async () => {
    const after = await api.preview.appointments.cancel(e.id, {}, { ifVersion: e.version });
    changed("appointment");
    toastUndo("Appointment canceled. The customer was not told.", () => again(after.version), "Scheduled again.");
    onClose();
  };
  const target = e.lead_id ? `leads/${e.lead_id}` : e.deal_id ? `deals/${e.deal_id}` : `contacts/${e.contact_id}`;
  return (
    <aside aria-label="Appointment">
      <header><h2>{word(e.kind)} with {e.contact_name}</h2><IconButton icon="close" label="Close" onClick={onClose} /></header>
      <Facts facts={[
        ["When", <>{sayTime(e.starts_at, zone)}<br />{span(e)}</>], ["With", e.user_id === session.user.id ? "You" : name(e.user_id)],
        ["Boat", e.hull_id && <a class="link" href={href("boats/" + e.hull_id)}>{e.hull_name}</a>], ["Status", word(e.status)], ["Reminder", e.reminder && word(e.reminder.state)], ["Notes", e.notes],
      ]} />
      <div class="form-end start">
        <ButtonLink href={href(target)}>{e.lead_id ? "Open lead" : e.deal_id ? "Open deal" : "Open contact"}</ButtonLink>
        {writes && <Button onClick={() => void set("completed").catch(toastError)}>Completed</Button>}
        {writes && <Button onClick={() => void set("no_show").catch(toastError)}>No-show</Button>}
        {writes && <Button onClick={() => void cancel().catch(toastError)}>Cancel</Button>}
      </div>
    </aside>
  );
}
