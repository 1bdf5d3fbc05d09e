// The lines of the audit log: one sentence for each entry. Repeats are folded.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { AuditEntry } from "../../api.ts";
import { count, dateTime, dayName, number, time } from "../../format.ts";
import type { LoadList } from "../../load.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ErrorNote, Skeleton } from "../../parts/state.tsx";
import { Tag } from "../../parts/status.tsx";
import { End } from "../../parts/table.tsx";
import { session } from "../../session.ts";
import { dayAt, minutesAt } from "../../times.ts";
import { changesOf, iconOf, idsIn, isCreation, isRefused, kindOf, relatedTo, sentence, summarize, type NameOf } from "./audit-words.ts";

const zone = session.dealership.timezone;

/** The IDs that the lines and the entry show by name. */
export function namesIn(entries: AuditEntry[]): string[] {
  return entries.flatMap((e) => [...idsIn(e.target.id), ...idsIn(e.changes)]);
}

/** Whether people did this, and no other entry says the same: a new price has two entries. */
export function isWorthShowing(e: AuditEntry, all: AuditEntry[]): boolean {
  return e.actor.type !== "system" && !(e.action === "hull_pricing.adjusted" && all.some((o) => o.action === "hull.price_changed" && o.request_id === e.request_id && o.target.id === e.target.id));
}

interface Fold {
  entries: AuditEntry[];
  isOpen: boolean;
  open: () => void;
}

/** Neighbors that someone did again. From three on they are one line. */
export function useFolded(entries: AuditEntry[]): Fold[] {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const folds: AuditEntry[][] = [];
  for (const e of entries) {
    const last = folds.at(-1)?.[0];
    const isRepeat = last && last.actor.id === e.actor.id && last.action === e.action && last.outcome === e.outcome && dayAt(new Date(last.at), zone) === dayAt(new Date(e.at), zone);
    if (isRepeat) folds.at(-1)!.push(e);
    else folds.push([e]);
  }
  return folds.flatMap((group): Fold[] => {
    const open = () => setOpened(new Set([...opened, group.at(-1)!.id]));
    if (group.length < 3) return group.map((e) => ({ entries: [e], isOpen: true, open }));
    return [{ entries: group, isOpen: opened.has(group.at(-1)!.id), open }];
  });
}

/** What an entry did, with the name of its object, and optionally with who did it. */
export function Sentence({ action, target, nameOf, by }: { action: string; target: string; nameOf: NameOf; by?: string }) {
  const [before = "", after] = sentence(action).split("{}");
  const isPassive = /^(A |An |The |$)/.test(before); // a message was delivered
  const start = by && <><bdi>{by}</bdi>{isPassive || by === automatic ? ": " : " "}</>;
  const text = by && before && !isPassive && by !== automatic ? before[0]!.toLowerCase() + before.slice(1) : before;
  return <>{start}{text}{after !== undefined && <b><bdi>{nameOf(target) ?? kindOf(target)}</bdi></b>}{after}</>;
}

export function Deeds(props: {
  list: LoadList<AuditEntry>;
  folded: Fold[];
  nameOf: NameOf;
  current: string | undefined;
  onShow: (e: AuditEntry) => void;
  /** The day, if only one is shown. */
  day?: string;
  /** Whether each line says who did it. */
  named: boolean;
  empty: ComponentChildren;
}) {
  const { list, folded } = props;
  if (!list.data) return list.error ? <ErrorNote error={list.error} retry={list.reload} /> : <Skeleton rows={10} />;
  let last = "";
  return (
    <div class="scroll" role="region" aria-label="Audit entries" tabIndex={0}>
      {list.error && <ErrorNote error={list.error} retry={list.reload} />}
      {folded.length === 0 && !list.hasMore ? props.empty : (
        <div class="deeds">
          {folded.map((fold) => {
            const title = props.day ? partOfDay(fold.entries[0]!.at) : dayName(fold.entries[0]!.at);
            const heading = title !== last && <h2>{title}</h2>;
            last = title;
            return <>{heading}<Lines key={fold.entries.at(-1)!.id} {...props} fold={fold} /></>;
          })}
        </div>
      )}
      <End list={list} />
    </div>
  );
}

function partOfDay(at: string): string {
  const minutes = minutesAt(new Date(at), zone);
  return minutes < 12 * 60 ? "Morning" : minutes < 17 * 60 ? "Afternoon" : "Evening";
}

function Lines(props: Parameters<typeof Deeds>[0] & { fold: Fold }) {
  const { entries, isOpen, open } = props.fold;
  return (
    <>
      {entries.slice(0, isOpen ? undefined : 1).map((e) => <Line key={e.id} {...props} entry={e} />)}
      {!isOpen && <button type="button" class="fold" onClick={open}>and {count(entries.length - 1, "more", "more")} since {time(entries.at(-1)!.at)}</button>}
    </>
  );
}

function Line({ entry: e, nameOf, current, onShow, named }: Parameters<typeof Deeds>[0] & { entry: AuditEntry }) {
  const ref = useRef<HTMLButtonElement>(null);
  const isCurrent = e.id === current;
  useEffect(() => {
    if (isCurrent) ref.current?.scrollIntoView({ block: "nearest" });
  }, [isCurrent]);
  const changes = changesOf(e.changes, nameOf);
  const amount = changes.find((c) => c.isMoney);
  const rest = isCreation(e.changes) ? [] : changes.filter((c) => c !== amount).slice(0, 3);
  const said = [nameOf(e.target.id), e.actor.label]; // the lead of a contact has its name
  const notes = [
    ...new Set(relatedTo(e.changes, e.target.id).flatMap((id) => nameOf(id) ?? []).filter((name) => !said.includes(name))),
    ...rest.filter((c) => c.from !== undefined || !said.includes(c.to)).map((c) => (c.from === undefined ? `${c.label}: ${c.to}` : `${c.label}: ${c.from} → ${c.to ?? "none"}`)),
  ];
  return (
    <button ref={ref} type="button" class={isRefused(e) ? "deed no" : "deed"} aria-current={isCurrent ? "true" : undefined} onClick={() => onShow(e)}>
      <time dateTime={e.at} title={dateTime(e.at)}>{time(e.at)}</time>
      <Icon name={isRefused(e) ? "blocked" : iconOf(e.action)} />
      <span class="what">
        <span><Sentence action={e.action} target={e.target.id} nameOf={nameOf} {...(named && { by: who(e) })} /></span>
        {notes.length > 0 && <small>{notes.join(" · ")}</small>}
      </span>
      {e.action === "contact.exported" && <Tag tone="amber">Personal data</Tag>}
      {isRefused(e) && <Tag tone="red">Refused</Tag>}
      {amount && <span class="money">{amount.from !== undefined && <>{amount.from} → </>}<b>{amount.to ?? "none"}</b></span>}
    </button>
  );
}

const automatic = "Automatic";

/** Who acted: a person, a key, an app, or Slipway itself. */
export function who(e: Pick<AuditEntry, "actor">): string {
  return e.actor.type === "system" ? automatic : e.actor.type === "api_key" ? `${e.actor.label} (key)` : e.actor.label;
}

/** The day of a person in one sentence. */
export function Told({ entries, complete }: { entries: AuditEntry[]; complete: boolean }) {
  const name = who(entries[0]!);
  const { changes, refused, parts } = summarize(entries);
  const [last, first] = [entries[0]!, entries.at(-1)!];
  const hourOf = (e: AuditEntry) => Math.floor(minutesAt(new Date(e.at), zone) / 60);
  const hours = Array.from({ length: 24 }, (_, h) => entries.filter((e) => hourOf(e) === h).length);
  const most = Math.max(...hours);
  const at = time(first.at) === time(last.at) ? `at ${time(first.at)}` : `between ${time(first.at)} and ${time(last.at)}`;
  return (
    <div class="told-day" role="status">
      <Avatar name={name} />
      <span>
        <b>{name.split(" ")[0]} made {complete ? "" : "at least "}{changes === 0 ? "no changes" : count(changes, "change")} {at}{parts ? ":" : "."}</b> {parts && parts + "."} {refused > 0 && <b>{number(refused)} {refused === 1 ? "was" : "were"} refused.</b>}
      </span>
      <span class="pulse" aria-hidden="true">{hours.slice(hourOf(first), hourOf(last) + 1).map((n, i) => <i key={i} class={n ? "" : "z"} style={{ "--v": String(Math.round((n / most) * 26)) }} />)}</span>
    </div>
  );
}
