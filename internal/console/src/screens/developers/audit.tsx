// The audit log as an answer: what did someone do on some day. Reading it is audited too, so it is not loaded again
// automatically.
import { useEffect, useState } from "preact/hooks";
import { api, type AuditEntry, type DealershipListAuditParams } from "../../api.ts";
import { downloadCsv } from "../../csv.ts";
import { dayName } from "../../format.ts";
import { useKeys } from "../../keys.ts";
import { useList } from "../../load.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { ChoiceChip, InputChip } from "../../parts/chip.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Page, Sheet } from "../../parts/layout.tsx";
import { Menu, Popover } from "../../parts/menu.tsx";
import { loadStyles } from "../../parts/styles.ts";
import { NoRows } from "../../parts/table.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { href, navigate, setQuery, usePlace } from "../../router.ts";
import { session } from "../../session.ts";
import { addDays, dayAt, momentOf } from "../../times.ts";
import { word } from "../../words.ts";
import { ChainBox } from "./audit-chain.tsx";
import { EntryPeek } from "./audit-entry.tsx";
import { Deeds, Told, isWorthShowing, namesIn, useFolded } from "./audit-lines.tsx";
import { ofRequest, useActors, useObjectNames } from "./traces.tsx";

await loadStyles("audit.css");

const zone = session.dealership.timezone;
const filterNames = ["action", "actor_id", "target_id", "outcome", "created_after", "created_before"];

/** Rows of an export at most. */
const most = 10_000;

/** Entries of a day that are loaded without scrolling, so that the summary is about all of them. */
const mostOfDay = 500;

/** What people ask for, and how the actions start. */
const topics: Array<[string, string]> = [
  ["hull.", "with boats"], ["hull.price", "with prices"], ["lead.", "with leads and messages"], ["contact.", "with contacts"], ["contact.exported", "with exports of personal data"],
  ["deal.", "with deals and offers"], ["payment.", "with payments"], ["document.", "with documents"], ["appointment.", "with appointments"], ["session.", "when signing in"],
  ["user.", "with people"], ["role.", "with roles"], ["api_key.", "with API keys"], ["dealership.", "with the settings"],
];

export function Audit() {
  const { query } = usePlace();
  const value = (name: string) => query.get(name) ?? undefined;
  const day = /^\d{4}-\d\d-\d\d$/.test(value("day") ?? "") ? value("day")! : undefined;
  const filters = Object.fromEntries(filterNames.filter(value).map((n) => [n, value(n)!])) as DealershipListAuditParams;
  if (day) Object.assign(filters, { created_after: midnight(day), created_before: midnight(addDays(day, 1)) });
  const request = value("request_id");
  const list = useList(["audit", filters, request], (page) => ofRequest(api.dealership.listAudit({ ...filters, ...page }), request, (e) => e.request_id));
  const [automatic, setAutomatic] = useState(false);
  const [more, setMore] = useState(false);
  const [busy, setBusy] = useState(false);
  const all = list.data ?? [];
  const shown = all.filter((e) => automatic || request || (e.actor.type === "system" && (filters.actor_id || filters.target_id)) || isWorthShowing(e, all));
  const nameOf = useObjectNames([...namesIn(all), ...(filters.target_id ? [filters.target_id] : [])]);
  const folded = useFolded(shown);
  const peek = all.find((e) => e.id === value("peek"));

  useEffect(() => {
    if (day && list.hasMore && !list.loading && !list.error && all.length < mostOfDay) list.more();
  }, [day, list.hasMore, list.loading, all.length]);

  const show = (e: AuditEntry) => setQuery({ peek: e.id });
  const step = (by: number) => {
    const lines = folded.flatMap((f) => f.entries.slice(0, f.isOpen ? undefined : 1));
    const at = lines.findIndex((e) => e.id === peek?.id);
    const next = lines[Math.max(0, at + by)];
    if (next) show(next);
  };
  const turn = (by: number) => () => setQuery({ day: addDays(day ?? today(), day ? by : Math.min(by, 0)), peek: undefined, created_after: undefined, created_before: undefined });
  useKeys({
    j: () => step(1), k: () => step(-1), "[": turn(-1), "]": day && day < today() ? turn(1) : undefined,
    u: peek && (() => setQuery({ actor_id: peek.actor.id, peek: undefined })), o: peek?.target.id ? () => setQuery({ target_id: peek.target.id, peek: undefined }) : undefined,
  });
  const exportRows = async () => {
    setBusy(true);
    await exportCsv(filters).catch(toastError);
    setBusy(false);
  };
  const actions = <><Button onClick={list.reload}>Refresh</Button><Button icon="download" busy={busy} onClick={() => void exportRows()}>Export CSV</Button></>;
  const isMore = more || !!(filters.target_id || filters.outcome || request || (filters.action && !topics.some(([start]) => start === filters.action)));
  const hidden = all.length - shown.length;
  return (
    <Sheet kind="with-peek">
      <Page title="Audit" actions={actions}>
        <Ask day={day} filters={filters} {...(!isMore && { onMore: () => setMore(true) })} />
        {isMore && <MoreFilters value={value} name={filters.target_id && (nameOf(filters.target_id) ?? filters.target_id)} />}
        {!peek && <div class="only-narrow"><ChainBox short /></div>}
        {day && filters.actor_id && all.length > 0 && <Told entries={all} complete={!list.hasMore} />}
        <Deeds list={list} folded={folded} nameOf={nameOf} current={peek?.id} onShow={show} {...(day && { day })} named={!filters.actor_id}
          empty={<NoRows filtered={query.size > 0} text="No entries yet." clear={() => navigate(href("developers/audit"))} />} />
        <div class="pager">
          {hidden > 0 && !automatic && <button type="button" class="link" onClick={() => setAutomatic(true)}>Show {hidden} hidden {hidden === 1 ? "entry" : "entries"}</button>}
          {automatic && <button type="button" class="link" onClick={() => setAutomatic(false)}>Hide automatic changes</button>}
          <span class="keys"><span><kbd>J</kbd><kbd>K</kbd> move</span><span><kbd>[</kbd><kbd>]</kbd> day before, after</span><span><kbd>U</kbd> same person</span><span><kbd>O</kbd> same object</span></span>
        </div>
      </Page>
      {peek ? <EntryPeek key={peek.id} entry={peek} nameOf={nameOf} /> : <aside class="peek chain-side" aria-label="Audit chain"><div class="body"><ChainBox /><p class="sub">Entries are stored for 13 months. Reading them is recorded too.</p></div></aside>}
    </Sheet>
  );
}

function today(): string {
  return dayAt(new Date(), zone);
}

function midnight(day: string): string {
  return momentOf(day, 0, zone).toISOString();
}

/** today, yesterday, Monday, Nov 16 */
function sayDay(day: string): string {
  const name = dayName(momentOf(day, 720, zone));
  if (day === today()) return `today, ${name}`;
  return day === addDays(today(), -1) ? `yesterday, ${name}` : `on ${name}`;
}

/** The sentence: what did someone do, on which day, with what. */
function Ask({ day, filters, onMore }: { day: string | undefined; filters: DealershipListAuditParams; onMore?: () => void }) {
  const actors = useActors();
  const actor = filters.actor_id;
  const name = actor && (actors.find(([id]) => id === actor)?.[1] ?? "someone else");
  const topic = topics.find(([start]) => start === filters.action);
  return (
    <div class="ask" role="group" aria-label="Filters">
      <span>What did</span>
      <Menu class="ask-choice" label={`Who: ${name ?? "anyone"}`} button={<>{name && <Avatar name={name} />}{name ?? "anyone"}<Icon name="down" /></>} items={[
        { title: "anyone", checked: !actor, onClick: () => setQuery({ actor_id: undefined, peek: undefined }) },
        ...actors.map(([id, title]) => ({ title, checked: id === actor, onClick: () => setQuery({ actor_id: id, peek: undefined }) })),
      ]} />
      <span>do</span>
      <DayChoice day={day} />
      <Menu class="ask-choice" label={`What: ${topic?.[1] ?? "anything"}`} button={<>{topic?.[1] ?? "anything"}<Icon name="down" /></>} items={[
        { title: "anything", checked: !filters.action, onClick: () => setQuery({ action: undefined, peek: undefined }) },
        ...topics.map(([start, title]) => ({ title, checked: start === filters.action, onClick: () => setQuery({ action: start, peek: undefined }) })),
      ]} />
      {onMore && <button type="button" class="link more" onClick={onMore}>More filters</button>}
    </div>
  );
}

/** The day: one of the last week, or any other. */
function DayChoice({ day }: { day: string | undefined }) {
  const choose = (d: string | undefined) => setQuery({ day: d, peek: undefined, created_after: undefined, created_before: undefined, request_id: undefined });
  const days = Array.from({ length: 7 }, (_, back) => addDays(today(), -back));
  return (
    <Popover class="ask-choice" label={`When: ${day ? sayDay(day) : "at any time"}`} button={<>{day ? sayDay(day) : "at any time"}<Icon name="down" /></>}>
      {(close) => (
        <>
          <ul class="menu">
            {[undefined, ...days].map((d) => (
              <li key={d ?? ""}><button type="button" aria-pressed={d === day} onClick={() => (close(), choose(d))}>{d ? sayDay(d).replace(/^on /, "") : "at any time"}{d === day && <span class="menu-check"><Icon name="check" /></span>}</button></li>
            ))}
          </ul>
          <OtherDay day={day} onChoose={(d) => (close(), choose(d))} />
        </>
      )}
    </Popover>
  );
}

function OtherDay({ day, onChoose }: { day: string | undefined; onChoose: (day: string) => void }) {
  const [text, setText] = useState(day ?? "");
  const submit = (event: Event) => {
    event.preventDefault();
    if (text) onChoose(text);
  };
  return (
    <form class="chip-form" onSubmit={submit}>
      <label class="field">Another day<input type="date" max={today()} value={text} onInput={(e) => setText(e.currentTarget.value)} /></label>
      <div class="form-end"><Button small kind="primary" type="submit">Show day</Button></div>
    </form>
  );
}

function MoreFilters({ value, name }: { value: (name: string) => string | undefined; name: string | undefined }) {
  const clear = (...names: string[]) => () => setQuery(Object.fromEntries(names.map((n) => [n, undefined])));
  const outcome = value("outcome");
  return (
    <div class="filters" role="group" aria-label="More filters">
      <InputChip label="Object" value={name} fields={[{ name: "target_id", label: "ID of the object", value: value("target_id") ?? "" }]} onApply={setQuery} onClear={clear("target_id")} />
      <InputChip label="Action" value={value("action")} fields={[{ name: "action", label: "Action or its start, such as hull.", value: value("action") ?? "" }]} onApply={setQuery} onClear={clear("action")} />
      <ChoiceChip label="Outcome" value={outcome && word(outcome)} current={outcome} choices={[["success", "Success"], ["failure", "Failure"]]}
        onChoose={(o) => setQuery({ outcome: o })} onClear={clear("outcome")} />
      {value("request_id") && <button type="button" class="chip on" onClick={clear("request_id", "created_after", "created_before")}>One request<Icon name="close" /></button>}
    </div>
  );
}

async function exportCsv(filters: DealershipListAuditParams): Promise<void> {
  const rows: Array<Array<string | null>> = [["id", "at", "actor_type", "actor_id", "actor", "action", "target_type", "target_id", "outcome", "ip", "request_id", "changes"]];
  for await (const e of api.dealership.listAudit({ ...filters, limit: 100 })) {
    rows.push([e.id, e.at, e.actor.type, e.actor.id, e.actor.label, e.action, e.target.type, e.target.id, e.outcome, e.ip, e.request_id, JSON.stringify(e.changes)]);
    if (rows.length > most) break;
  }
  downloadCsv("audit.csv", rows);
  toast(rows.length > most ? "Only the newest 10,000 entries were exported." : "Entries exported.");
}
