// Leads: the inbox. A list of leads, the conversation with one of them, and who they are.
import { useEffect, useRef } from "preact/hooks";
import { api, type PreviewLead, type PreviewLeadListParams } from "../../api.ts";
import { dateTime, excerpt, when } from "../../format.ts";
import { useKeys } from "../../keys.ts";
import { useList, useLoad, type LoadList } from "../../load.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { Sheet, useTitle } from "../../parts/layout.tsx";
import { Empty, ErrorNote, Loaded, Skeleton } from "../../parts/state.tsx";
import { Tag } from "../../parts/status.tsx";
import { End } from "../../parts/table.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { href, navigate, setQuery, usePlace } from "../../router.ts";
import { can } from "../../session.ts";
import { useActions } from "../../shell/actions.ts";
import { useAwaiting } from "../../shell/counts.ts";
import { word } from "../../words.ts";
import { SearchBox, contactName, leadExpansions, markOf, senderOf } from "../contacts/people.tsx";
import { Views } from "../views.tsx";
import { LeadContext } from "./context.tsx";
import { NewLead } from "./forms.tsx";
import { QuarantineLine } from "./quarantine.tsx";
import { LeadTalk } from "./talk.tsx";

const views: Record<string, [string, PreviewLeadListParams]> = {
  "": ["Open", { status_category: "open" }],
  waiting: ["Waiting", { awaiting: "us", sort: "awaiting_since" }],
  mine: ["Mine", { status_category: "open", owner_id: "me" }],
  unassigned: ["Unassigned", { status_category: "open", assigned: false }],
  review: ["Review", { needs_review: true }],
  lost: ["Lost", { status_category: "lost" }],
};

/** The URL of a lead, in the same view of the list. */
function leadUrl(id: string, query: URLSearchParams): string {
  return href("leads/" + id, { view: query.get("view") ?? "", q: query.get("q") ?? "" });
}

export function Leads({ id }: { id?: string }) {
  const { query } = usePlace();
  const view = query.get("view") ?? "";
  const q = query.get("q") ?? "";
  const filters = q ? { q } : (views[view] ?? views[""]!)[1];
  const leads = useList(["leads", filters], (page) => api.preview.leads.list({ sort: "last_activity", ...filters, ...page, expand: leadExpansions() }), ["lead"]);
  const rows = leads.data ?? [];
  const waiting = useAwaiting().data?.everyone;
  const at = rows.findIndex((l) => l.id === id);
  const move = (to: number) => rows[to] && navigate(leadUrl(rows[to].id, query), { replace: true });
  const create = () => setQuery({ new: "yes" });

  // A wide screen has room for a conversation, so it shows the first one.
  useEffect(() => {
    if (!id && !query.get("new") && matchMedia("(min-width: 901px)").matches) move(0);
  }, [id, rows[0]?.id]);
  useKeys({ j: () => move(at + 1), k: () => move(at - 1), c: can("leads:write") ? create : undefined });
  useActions(can("leads:write") ? [{ title: "New lead", icon: "plus", key: "C", run: create }] : []);

  const Title = id ? "h2" : "h1";
  return (
    <Sheet kind="inbox">
      <section class={id ? "who-pane behind" : "who-pane"} aria-label="Leads">
        <div class="head"><Title>Leads</Title>{can("leads:write") && <div class="acts"><ButtonLink href={href("leads/plans")}>Plans</ButtonLink><ButtonLink href={href("leads/campaigns")}>Campaigns</ButtonLink><Button kind="primary" icon="plus" onClick={create}>New</Button></div>}</div>
        <SearchBox label="Search all leads" />
        <Tabs label="View" tabs={Object.entries(views).map(([key, [title]]) => ({ title, href: href("leads", { view: key }), current: !q && key === view, count: key === "waiting" ? waiting : undefined }))} />
        <div class="filters lead-views"><Views screen="leads" names={["view"]} /></div>
        <QuarantineLine />
        <LeadList leads={leads} id={id} query={query} />
      </section>
      {id ? <Lead key={id} id={id} /> : <NoLead text={rows.length ? "Choose a lead." : "The conversation with a lead appears here."} />}
      {query.get("new") && can("leads:write") && <NewLead contactId={query.get("contact_id") ?? ""} onClose={() => setQuery({ new: undefined, contact_id: undefined })} />}
    </Sheet>
  );
}

function NoLead({ text }: { text: string }) {
  useTitle("Leads");
  return <section class="talk no-lead" aria-label="Conversation"><Empty text={text} /></section>;
}

function LeadList({ leads, id, query }: { leads: LoadList<PreviewLead>; id: string | undefined; query: URLSearchParams }) {
  const { data, error, reload } = leads;
  if (!data) return error ? <ErrorNote error={error} retry={reload} /> : <Skeleton rows={8} />;
  return (
    <div class="who">
      {error && <ErrorNote error={error} retry={reload} />}
      {data.length === 0 && <Empty text={query.get("q") ? "No lead matches your search." : query.get("view") ? "No leads in this view." : "No open leads. New leads appear here."} />}
      {data.map((l) => <LeadRow key={l.id} lead={l} url={leadUrl(l.id, query)} isCurrent={l.id === id} />)}
      <End list={leads} />
    </div>
  );
}

function LeadRow({ lead, url, isCurrent }: { lead: PreviewLead; url: string; isCurrent: boolean }) {
  const name = lead.contact ? contactName(lead.contact) : "Unknown";
  const last = lead.last_message;
  const ref = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isCurrent) ref.current?.scrollIntoView({ block: "nearest" });
  }, [isCurrent]);
  const [mark, tone] = markOf(lead);
  const text = excerpt(last?.body ?? lead.message ?? lead.interest ?? "");
  const about = lead.hull ? `${lead.hull.make} ${lead.hull.model}` : (last && lead.interest) || lead.source_detail || word(lead.source);
  return (
    <a ref={ref} href={url} class={isWaiting(lead) ? "unread" : ""} aria-current={isCurrent ? "true" : undefined}>
      <Avatar name={name} />
      <b>{name}{isWaiting(lead) && <span class="vh">, waiting for an answer</span>}</b>
      <time title={dateTime(lead.last_activity_at)}>{when(lead.last_activity_at)}</time>
      <p>{last?.direction === "outbound" && senderOf(last) + ": "}{text}</p>
      <span class="tags">
        <Tag tone={tone}>{mark}</Tag><span>{about}</span>
        {lead.score > 0 && <span class="score" title={`Score ${lead.score} of 100`}><i style={{ "--p": lead.score + "%" }} /><span class="vh">Score </span>{lead.score}</span>}
      </span>
    </a>
  );
}

/** Whether it is our turn to answer. */
function isWaiting(lead: PreviewLead): boolean {
  return lead.awaiting === "us";
}

/** The conversation with a lead, and the pane about the lead. */
function Lead({ id }: { id: string }) {
  const { query } = usePlace();
  const load = useLoad(["lead", id], () => api.preview.leads.get(id, { expand: leadExpansions() }), [id, "lead", "contact"]);
  const showsDetails = !!query.get("details");
  useKeys({ Escape: () => (showsDetails ? setQuery({ details: undefined }) : navigate(href("leads", { view: query.get("view") ?? "" }))) });
  if (!load.data) return <section class="talk" aria-label="Conversation"><h1 class="vh">Lead</h1><Loaded load={load}>{() => null}</Loaded></section>;
  const lead = load.data;
  const name = lead.contact ? contactName(lead.contact) : "Unknown";
  return (
    <>
      <LeadTalk lead={lead} name={name} />
      <aside class={showsDetails ? "ctx shown" : "ctx"} aria-label={name}><LeadContext lead={lead} /></aside>
    </>
  );
}
