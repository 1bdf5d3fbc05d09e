// The leads that wait for an answer of the dealership, the longest wait first.
import { useState } from "preact/hooks";
import { api, type PreviewLead } from "../../api.ts";
import { dateTime, duration, excerpt, number, when } from "../../format.ts";
import { useKeys } from "../../keys.ts";
import { useLoad } from "../../load.ts";
import { ButtonLink } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Photo } from "../../parts/photo.tsx";
import { Empty, ErrorNote, Skeleton } from "../../parts/state.tsx";
import { Tag } from "../../parts/status.tsx";
import { href, navigate, setQuery, usePlace } from "../../router.ts";
import { can, session } from "../../session.ts";
import { useAwaiting } from "../../shell/counts.ts";
import { word } from "../../words.ts";
import { contactName, leadExpansions, leadTitle } from "../contacts/people.tsx";
import { SnoozeMenu } from "./snooze.tsx";

const shown = 7;

export function Waiting() {
  const { query } = usePlace();
  const counts = useAwaiting().data;
  // Managers start with the leads of everyone, all others with theirs.
  const whose = query.get("whose") ?? (session.manager || can("admin") ? "everyone" : "mine");
  const filters = whose === "mine" ? ({ owner_id: "me", or_unowned: true } as const) : {};
  const load = useLoad(["waiting", whose], () => api.preview.leads.list({ ...filters, awaiting: "us", sort: "awaiting_since", expand: leadExpansions(), limit: shown }), ["lead"]);
  const total = whose === "mine" ? counts?.mine : counts?.everyone;
  const rows = load.data?.data ?? [];
  const [at, setAt] = useState(0);
  const current = rows[Math.min(at, rows.length - 1)];
  useKeys({
    j: () => setAt(Math.min(at + 1, rows.length - 1)),
    k: () => setAt(Math.max(Math.min(at, rows.length) - 1, 0)),
    r: current && (() => navigate(href("leads/" + current.id))),
  });

  return (
    <section class="part" aria-label="Waiting for us">
      <h2>
        Waiting for us
        {counts && total !== undefined && <small class="muted">{number(total)}{total > 0 && ", oldest first"}</small>}
        <span class="part-action mode" role="group" aria-label="Whose leads">
          {([["mine", "Mine", counts?.mine], ["everyone", "Everyone", counts?.everyone]] as const).map(([key, title, n]) => (
            <button key={key} type="button" aria-pressed={key === whose} onClick={() => setQuery({ whose: key })}>{title}{n !== undefined && <span class="num">{number(n)}</span>}</button>
          ))}
        </span>
      </h2>
      {load.error && <ErrorNote error={load.error} retry={load.reload} />}
      {!load.data && !load.error && <Skeleton rows={4} />}
      {load.data && rows.length === 0 && <Empty text={emptyText(counts?.snoozed ?? 0, counts?.next_wake_at)} />}
      {rows.length > 0 && <ol class="wait">{rows.map((l) => <Row key={l.id} lead={l} isCurrent={l === current} />)}</ol>}
      {total !== undefined && total > rows.length && rows.length > 0 && <a class="link" href={href("leads", { view: "waiting" })}>and {number(total - rows.length)} more</a>}
    </section>
  );
}

function emptyText(snoozed: number, next: string | null | undefined): string {
  const text = "Nobody is waiting for us.";
  if (!snoozed || !next) return text;
  return `${text} ${number(snoozed)} ${snoozed === 1 ? "is" : "are"} snoozed. The next one is back ${dateTime(next)}.`;
}

const hour = 3600;

function Row({ lead, isCurrent }: { lead: PreviewLead; isCurrent: boolean }) {
  const name = lead.contact ? contactName(lead.contact) : "Unknown";
  const since = lead.awaiting_since ?? lead.created_at;
  const seconds = (Date.now() - Date.parse(since)) / 1000;
  const words = lead.last_message?.direction === "inbound" ? lead.last_message.body : (lead.message ?? lead.interest);
  return (
    <li class={isCurrent ? "cur" : ""}>
      <span class={seconds > 24 * hour ? "since late" : seconds > hour ? "since soon" : "since"} title={dateTime(since)}>{duration(seconds)}<small>{when(since)}</small></span>
      {lead.hull ? <Photo boat={lead.hull} /> : <span class="thumb" />}
      <div class="wait-text">
        <span>
          <a class="wait-name" href={href("leads/" + lead.id)}>{name}</a>
          {lead.needs_review ? <Tag tone="amber">Needs review</Tag> : lead.status === "new" && <Tag tone="blue">New</Tag>}
          <small>{lead.last_message ? word(lead.last_message.channel) : word(lead.source)} · {leadTitle(lead)}</small>
        </span>
        {words && <q>{excerpt(words)}</q>}
      </div>
      <span class={lead.owner ? "wait-owner" : "wait-owner soon"}><Icon name="account" /><span class="found-title">{lead.owner ? (lead.owner.id === session.user.id ? "You" : lead.owner.name) : "Nobody"}</span></span>
      <span class="wait-acts">
        <ButtonLink small {...(isCurrent && { kind: "primary" })} href={href("leads/" + lead.id, lead.needs_review ? {} : { reply: "yes" })}>{lead.needs_review ? "Decide" : "Reply"}</ButtonLink>
        {can("leads:write") && <SnoozeMenu lead={lead} name={name} />}
      </span>
    </li>
  );
}
