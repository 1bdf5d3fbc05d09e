// The conversation with a lead: messages, consents, assignments, notes and calls, in the order of time.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { api, type Activity, type Consent, type LeadAssignment, type LeadMessage, type PreviewLead, type PreviewUnknownMessageResolve } from "../../api.ts";
import { date, dateTime, dayName, phone, time } from "../../format.ts";
import { changed, useList, useLoad } from "../../load.ts";
import { Button, ButtonLink, IconButton } from "../../parts/button.tsx";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { useTitle } from "../../parts/layout.tsx";
import { Menu } from "../../parts/menu.tsx";
import { ErrorNote, Skeleton } from "../../parts/state.tsx";
import { Status } from "../../parts/status.tsx";
import { toast, toastError } from "../../parts/toast.tsx";
import { remember } from "../../prefs.ts";
import { href, setQuery } from "../../router.ts";
import { can, session, whyNot } from "../../session.ts";
import { word } from "../../words.ts";
import { ReviewButtons, channelWords, reviewReason, useConsents } from "../contacts/consents.tsx";
import { senderOf, useDirectory, useNames } from "../contacts/people.tsx";
import { assign, setStatus } from "./actions.ts";
import { Compose } from "./compose.tsx";
import { SnoozeMenu, wake } from "./snooze.tsx";
import { CloseLead, ConvertLead, EditLead, RecordSignal } from "./forms.tsx";

export function LeadTalk({ lead, name }: { lead: PreviewLead; name: string }) {
  const messages = useList(["messages", lead.id], (page) => api.leads.listMessages(lead.id, page), ["lead"]);
  useTitle(name);
  useEffect(() => remember({ title: name, url: href("leads/" + lead.id) }), [lead.id]);
  return (
    <section class="talk" aria-label={`Conversation with ${name}`}>
      <header>
        <span class="phone-only"><IconButton icon="arrowLeft" label="All leads" href={href("leads")} /></span>
        <h1 title={name}>{name}</h1><Status value={lead.status} />
        <Actions lead={lead} name={name} />
      </header>
      {messages.error && <ErrorNote error={messages.error} retry={messages.reload} />}
      {messages.data
        ? <Thread lead={lead} name={name} messages={messages.data} earlier={messages.hasMore ? messages.more : undefined} />
        : <div class="thread">{!messages.error && <Skeleton rows={4} />}</div>}
      <Compose key={lead.id} lead={lead} messages={messages.data} />
    </section>
  );
}

type Open = "close" | "convert" | "edit" | "signal";

function Actions({ lead, name }: { lead: PreviewLead; name: string }) {
  const [open, setOpen] = useState<Open>();
  const users = [...useDirectory().values()].filter((u) => u.active);
  const close = () => setOpen(undefined);
  const writes = can("leads:write");
  const isOpen = lead.status !== "lost" && lead.status !== "converted";
  const move = (status: "contacted" | "qualified" | "working", title: string) =>
    lead.status !== status && isOpen && { title, onClick: () => void setStatus(lead, status).catch(toastError) };
  return (
    <div class="end">
      <span class="narrow-only"><IconButton icon="account" label="Details" onClick={() => setQuery({ details: "yes" })} /></span>
      {writes && lead.awaiting === "us" && <SnoozeMenu lead={lead} name={name} />}
      {writes && (
        <Menu
          class="btn quiet square" label="More actions" align="end" button={<Icon name="more" />}
          items={[
            { title: "Edit lead", icon: "edit", onClick: () => setOpen("edit") },
            { title: "Record a signal", icon: "star", onClick: () => setOpen("signal") },
            lead.owner_id !== session.user.id && { title: "Assign to me", icon: "account", onClick: () => void assign(lead, session.user.id).catch(toastError) },
            move("contacted", "Mark contacted"),
            move("qualified", "Mark qualified"),
            move("working", "Mark working"),
            lead.awaiting === "nobody" && isOpen && { title: "Put on the list again", icon: "clock", onClick: () => void wake(lead).catch(toastError) },
            isOpen && { title: "Close lead", icon: "close", onClick: () => setOpen("close") },
            { title: "Open contact", icon: "contacts", href: href("contacts/" + lead.contact_id) },
          ]}
        />
      )}
      {writes && (
        <Menu
          class="btn owner" align="end" button={<><Icon name="account" /><span class="vh">Owner: </span>{lead.owner ? shortName(lead.owner.name) : "Assign"}</>}
          items={[
            { title: "Next in turn", icon: "undo", onClick: () => void assign(lead, undefined).catch(toastError) },
            ...users.map((u) => ({ title: u.name, checked: u.id === lead.owner_id, onClick: () => void assign(lead, u.id).catch(toastError) })),
          ]}
        />
      )}
      {lead.status === "lost" && <Button why={whyNot("leads:write")} onClick={() => void setStatus(lead, "working").catch(toastError)}>Reopen</Button>}
      {lead.deal_id
        ? can("deals:read") && <ButtonLink kind="primary" href={href("deals/" + lead.deal_id)}>Open deal</ButtonLink>
        : isOpen && writes && <Button kind="primary" why={whyNot("deals:write")} onClick={() => setOpen("convert")}>Start deal</Button>}
      {open === "close" && <CloseLead lead={lead} name={name} onClose={close} />}
      {open === "convert" && <ConvertLead lead={lead} name={name} onClose={close} />}
      {open === "edit" && <EditLead lead={lead} onClose={close} />}
      {open === "signal" && <RecordSignal lead={lead} onClose={close} />}
    </div>
  );
}

/** Owen T. */
function shortName(name: string): string {
  return name.replace(/^(\S+) .*?(\S)\S*$/, "$1 $2.");
}

interface Entry {
  id: string;
  at: string;
  show: ComponentChildren;
}

/** Everything in the order of time. Without the earlier messages, other entries before them are left out, too. */
function useEntries(lead: PreviewLead, name: string, messages: LeadMessage[], isComplete: boolean): Entry[] {
  const who = useNames();
  const consents = useConsents(lead.contact_id);
  const assignments = useLoad(["assignments", lead.id], () => api.leads.listAssignments(lead.id, { limit: 100 }), [lead.id]);
  const activities = useLeadActivities(lead.id);
  const entries: Entry[] = [
    { id: lead.id, at: lead.created_at, show: <Beginning lead={lead} messages={messages} /> },
    ...messages.map((m) => ({ id: m.id, at: m.received_at ?? m.created_at, show: <Bubble message={m} /> })),
    ...(consents.data?.data ?? []).map((c) => ({ id: c.id, at: c.captured_at, show: <ConsentLine consent={c} name={name} /> })),
    ...(assignments.data?.data ?? []).map((a) => ({ id: a.id, at: a.at, show: <AssignedLine assignment={a} who={who} /> })),
    ...(activities.data?.data ?? []).filter((a) => a.kind !== "task").map((a) => ({ id: a.id, at: a.occurred_at, show: <ActivityBubble activity={a} /> })),
  ];
  entries.sort((a, b) => order(a).localeCompare(order(b)));
  const first = messages.at(-1);
  return isComplete || !first ? entries : entries.filter((e) => e.at >= (first.received_at ?? first.created_at));
}

/** IDs after their prefix have the order of creation, for entries of the same moment. */
function order({ at, id }: Entry): string {
  return at + id.slice(id.indexOf("_"));
}

/** Notes, calls, visits and tasks of a lead. */
export function useLeadActivities(leadId: string) {
  return useLoad(["activities", leadId], () => api.preview.activities.list({ object_id: leadId, limit: 100 }), ["activity"]);
}

function Thread(props: { lead: PreviewLead; name: string; messages: LeadMessage[]; earlier: (() => void) | undefined }) {
  const entries = useEntries(props.lead, props.name, props.messages, !props.earlier);
  const ref = useRef<HTMLDivElement>(null);
  const last = entries.at(-1)?.id;
  useLayoutEffect(() => {
    ref.current!.scrollTop = ref.current!.scrollHeight;
  }, [last, entries.length > 3]);
  let day = "";
  return (
    <div ref={ref} class="thread" role="log" aria-label="Messages" tabIndex={0}>
      {props.earlier && <button type="button" class="link" onClick={props.earlier}>Show earlier messages</button>}
      {entries.map(({ id, at, show }) => {
        const isNewDay = day !== (day = date(at));
        return <div key={id} class="entry-row">{isNewDay && <span class="day" title={day}>{dayOf(at)}</span>}{show}</div>;
      })}
    </div>
  );
}

function dayOf(at: string): string {
  const year = 31_536_000_000;
  return Date.now() - Date.parse(at) > year ? date(at) : dayName(at);
}

function FactLine({ icon, bad, children }: { icon: IconName; bad?: boolean; children: ComponentChildren }) {
  return <span class={bad ? "fact-line bad" : "fact-line"}><Icon name={icon} /><span>{children}</span></span>;
}

/** Where the lead came from, and what it wrote, unless that is the first message. */
function Beginning({ lead, messages }: { lead: PreviewLead; messages: LeadMessage[] }) {
  const isSeparate = lead.message && !messages.some((m) => m.direction === "inbound" && m.body === lead.message);
  return (
    <>
      <FactLine icon="star"><b>Lead</b> from {lead.source_detail ? `${lead.source_detail} (${word(lead.source).toLowerCase()})` : word(lead.source).toLowerCase()} · {time(lead.created_at)}</FactLine>
      {isSeparate && <div class="msg"><p>{lead.message}</p><small>{word(lead.source)} · {time(lead.created_at)}</small></div>}
    </>
  );
}

function ConsentLine({ consent: c, name }: { consent: Consent; name: string }) {
  const what = channelWords(c.channels);
  if (c.direction === "revoked") {
    const hint = c.channels.includes("sms") && c.source === "text_keyword" ? " until they reply START" : "";
    const address = c.address && (c.address.includes("@") ? c.address : phone(c.address));
    return <FactLine icon="blocked" bad><b>{what} to {address ?? name} blocked</b>{hint}</FactLine>;
  }
  const scope = c.scope === "all" ? "" : c.scope === "marketing" ? " for offers" : " for replies";
  return <FactLine icon="check"><b>{what} allowed{scope}</b>{c.basis && ` · ${word(c.basis)}`}{c.source && `, ${word(c.source).toLowerCase()}`}</FactLine>;
}

function AssignedLine({ assignment: a, who }: { assignment: LeadAssignment; who: (id: string) => string }) {
  const how = a.method === "round_robin" ? "next in turn" : `by ${a.actor.label}`;
  return <FactLine icon="account">Assigned to <b>{who(a.to)}</b>, {how}{a.reason && `: ${a.reason}`}</FactLine>;
}

function ActivityBubble({ activity: a }: { activity: Activity }) {
  return (
    <div class="msg out note-msg">
      <p>{a.body ?? "Erased"}</p>
      <small>{[a.kind === "note" ? "Note, only for your team" : word(a.kind), a.outcome, a.author.label, time(a.occurred_at)].filter(Boolean).join(" · ")}</small>
    </div>
  );
}

function Bubble({ message: m }: { message: LeadMessage }) {
  const isOut = m.direction === "outbound";
  const failed = m.status === "failed" || m.status === "blocked";
  const parts = [isOut && senderOf(m), word(m.channel), m.purpose === "marketing" && "Offer", stateOf(m)];
  return (
    <div class={["msg", isOut && "out", failed && "failed"].filter(Boolean).join(" ")}>
      <p>{m.subject && <b>{m.subject}</b>}{m.body ?? "Erased"}</p>
      <small title={dateTime(m.received_at ?? m.created_at)}>{parts.filter(Boolean).join(" · ")}</small>
      {m.sender_verified === false && <div class="ways"><span class="tag amber" title="Anyone can have written this email. Ask the person another way before you act on it.">Sender not verified</span></div>}
      {m.needs_review && <div class="ways"><span class="tag amber">{reviewReason(m)}</span><ReviewButtons message={m} /></div>}
      {m.status === "unknown" && <div class="ways"><span class="tag amber">Might have been sent</span><ResolveButtons message={m} /></div>}
    </div>
  );
}

/** The decision about a message that might have been sent. Slipway doesn't send it again on its own. */
function ResolveButtons({ message: m }: { message: LeadMessage }) {
  const why = whyNot("leads:write");
  const resolve = (outcome: PreviewUnknownMessageResolve["outcome"], done: string) => async () => {
    try {
      await api.preview.leads.resolveUnknownMessage(m.id, { outcome });
      changed("lead", m.lead_id);
      toast(done);
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <>
      <Button small onClick={resolve("sent", "Marked as sent.")} why={why}>It was sent</Button>
      <Button small onClick={resolve("not_sent", "Marked as not sent.")} why={why}>It was not sent</Button>
      <Button small onClick={resolve("send_again", "Sending again.")} why={why}>Send again</Button>
    </>
  );
}

/** How far a message got: Delivered 10:12 AM. */
function stateOf(m: LeadMessage): string {
  if (m.direction === "inbound") return time(m.received_at ?? m.created_at);
  if (m.status === "queued") return "Sending";
  if (m.status === "scheduled") return `Scheduled for ${dateTime(m.scheduled_for ?? m.created_at)}`;
  if (m.status === "blocked") return `Blocked: ${word(m.block_reason ?? "unknown").toLowerCase()}`;
  if (m.status === "unknown") return "The provider didn't confirm it";
  if (m.status === "failed") return `Failed: ${m.error_message ?? m.error_code ?? "unknown reason"}`;
  return `${word(m.status)} ${time(m.delivered_at ?? m.sent_at ?? m.created_at)}`;
}
