// What needs the user: the work that has a day, waits for a decision, or went wrong. Today and the bell show it.
import type { ComponentChildren } from "preact";
import { api, type Activity, type LeadMessage, type PreviewFundingContract, type PreviewHull, type PreviewLead, type PreviewProposal, type Webhook } from "../api.ts";
import { ago, count, date, excerpt, number, phone, shortMoney, when } from "../format.ts";
import { useLoad, type Load } from "../load.ts";
import { ButtonLink } from "../parts/button.tsx";
import { Section } from "../parts/layout.tsx";
import { Empty, ErrorNote, Skeleton } from "../parts/state.tsx";
import { Tag, type Tone } from "../parts/status.tsx";
import { href } from "../router.ts";
import { can, session } from "../session.ts";
import { useAwaiting, useFailingWebhooks } from "../shell/counts.ts";
import { boatName } from "./boats/shared.ts";
import { contactName } from "./contacts/people.tsx";
import { useChain } from "./developers/audit-chain.tsx";
import { problemTexts, useBackups } from "./settings/backups.tsx";

/** Something to do. */
interface Todo {
  id: string;
  tone: Tone;
  kind: string;
  text: ComponentChildren;
  at?: string;
  href: string;
  action: string;
}

/** Everything that needs the user, and what could not be loaded. */
function useEverything() {
  const sources = [useOutages(), useUnknownMessages(), useTasks(), useStalled(), useHolds(), useContracts(), useApprovals(), useWebhooks(), useBackupTrouble(), useChainTrouble()];
  return {
    errors: sources.filter((s) => s.error),
    todos: [...new Map(sources.flatMap((s) => s.data ?? []).reverse().map((t) => [t.id, t])).values()].reverse(), // the first reason wins
    loading: sources.some((s) => s.loading && !s.data),
  };
}

/** The list on Today. */
export function TodoSection() {
  const all = useEverything();
  return (
    <Section title="Needs you" action={all.todos.length > 0 && <span class="muted">{number(all.todos.length)}</span>}>
      <Todos {...all} />
    </Section>
  );
}

/** The list in the panel of the bell, which also counts the customers who wait. */
export function TodoPanel() {
  const all = useEverything();
  const waiting = useAwaiting().data;
  const first: Todo[] = waiting?.mine
    ? [{
        id: "waiting", kind: "Waiting", tone: "blue", action: "Answer", href: href("leads", { view: "waiting" }),
        text: <><b>{waiting.mine === 1 ? "1 customer waits" : `${number(waiting.mine)} customers wait`}</b> for your answer</>,
      }]
    : [];
  return <Todos {...all} todos={[...first, ...all.todos]} />;
}

function Todos({ todos, errors, loading }: ReturnType<typeof useEverything>) {
  return (
    <>
      {errors[0] && <ErrorNote error={errors[0].error!} retry={() => errors.forEach((s) => s.reload())} />}
      {todos.length > 0 && <ul class="todos">{todos.map((t) => <TodoRow key={t.kind + t.id} todo={t} />)}</ul>}
      {todos.length === 0 && !errors[0] && (loading ? <Skeleton rows={4} /> : <Empty text="Nothing needs your attention." />)}
    </>
  );
}

function TodoRow({ todo }: { todo: Todo }) {
  return (
    <li>
      <Tag tone={todo.tone}>{todo.kind}</Tag>
      <span class="todo-text">{todo.text}</span>
      {todo.at && <time class="muted num" dateTime={todo.at}>{when(todo.at)}</time>}
      <ButtonLink small href={todo.href}>{todo.action}</ButtonLink>
    </li>
  );
}

/** Loads rows and turns them into things to do. Without the scope it loads nothing. */
function useTodos<T>(allowed: boolean, key: string, load: () => PromiseLike<T[]>, toTodo: (row: T) => Todo, watch: string[]): Load<Todo[]> {
  return todos(allowed, useLoad(allowed ? ["today", key] : undefined, load, watch), toTodo);
}

function todos<T>(allowed: boolean, rows: Load<T[]>, toTodo: (row: T) => Todo): Load<Todo[]> {
  return { ...rows, loading: allowed && rows.loading, data: rows.data?.map(toTodo), replace: () => {} };
}

const inbox = { limit: 5, sort: "last_activity", expand: ["contact", "last_message"] } as const;

function leads(filter: object): () => Promise<PreviewLead[]> {
  return async () => (await api.preview.leads.list({ ...inbox, expand: [...inbox.expand], ...filter })).data;
}

function leadTodo(kind: string, tone: Tone, action: string, text: (lead: PreviewLead) => ComponentChildren) {
  return (lead: PreviewLead): Todo => ({
    id: lead.id, kind, tone, action, at: lead.last_activity_at, href: href(`leads/${lead.id}`),
    text: <><b>{lead.contact && contactName(lead.contact)}</b> {text(lead)}</>,
  });
}

function useUnknownMessages() {
  const load = async () => (await api.preview.leads.listUnknownMessages({ limit: 5 })).data;
  const toTodo = (m: LeadMessage): Todo => ({
    id: m.id, kind: "Might have been sent", tone: "amber", action: "Decide", at: m.updated_at, href: href(`leads/${m.lead_id}`),
    text: <>A message to <b>{m.channel === "sms" && m.to ? phone(m.to) : m.to}</b> “{excerpt(m.body ?? "")}”</>,
  });
  return useTodos(can("leads:read"), "unknown", load, toTodo, ["lead"]);
}

/** Channels whose provider doesn't answer. */
function useOutages() {
  const load = async () => {
    const m = await api.preview.leads.getMessaging();
    return [{ name: "Text messages", ...m.sms }, { name: "Email", ...m.email }].filter((c) => c.failing_since);
  };
  return useTodos(can("leads:read"), "messaging", load, (c) => ({
    id: c.name, kind: "Outage", tone: "red", action: "Leads", at: c.failing_since!, href: href("leads"),
    text: <><b>{c.name}</b> can’t be sent: the provider doesn’t answer. {c.waiting > 0 && `${number(c.waiting)} waiting.`}</>,
  }), ["lead"]);
}

function useStalled() {
  const load = leads({ stalled: true, owner_id: session.user.id });
  return useTodos(can("leads:read"), "stalled", load, leadTodo("Stalled", "gray", "Message", (l) => `has not heard from you since ${date(l.last_touched_at)}`), ["lead"]);
}

function useTasks() {
  const load = async () => (await api.preview.activities.list({ kind: "task", done: false, user_id: session.user.id, due_before: endOfDay(), limit: 5 })).data;
  const toTodo = (task: Activity): Todo => ({
    id: task.id, kind: "Task", tone: "blue", action: "Open", at: task.due_at ?? task.created_at,
    href: href(`${{ lead: "leads", contact: "contacts", deal: "deals", hull: "boats" }[task.object_type]}/${task.object_id}`), text: excerpt(task.body ?? ""),
  });
  return useTodos(can("leads:read"), "tasks", load, toTodo, ["activity"]);
}

function useHolds() {
  const load = async () => {
    const { data } = await api.preview.hulls.list({ status: "on_hold", limit: 100 });
    return data.filter((h) => h.hold && h.hold.expires_at < endOfDay()).slice(0, 5);
  };
  const toTodo = (hull: PreviewHull): Todo => ({
    id: hull.id, kind: "Hold", tone: "amber", action: "Open", at: hull.hold!.expires_at, href: href(`boats/${hull.id}`),
    text: <>The hold on <b>{boatName(hull)}</b> ends {ago(hull.hold!.expires_at)}</>,
  });
  return useTodos(can("hulls:read"), "holds", load, toTodo, ["hull"]);
}

function useContracts() {
  const load = async () => (await api.preview.reports.getFunding({ limit: 20 })).contracts.filter((c) => c.open_stipulations > 0).slice(0, 5);
  const toTodo = (c: PreviewFundingContract): Todo => ({
    id: c.funding_id, kind: "Funding", tone: "amber", action: "Open", at: c.contracted_on ?? new Date().toISOString(), href: href(`deals/${c.deal_id}`),
    text: <><b>{c.lender}</b> waits for {count(c.open_stipulations, "document")} before it pays {shortMoney(c.amount)}</>,
  });
  return useTodos(can("deals:read"), "contracts", load, toTodo, ["funding", "deal"]);
}

function useApprovals() {
  return useTodos<PreviewProposal>(can("hulls:write") || can("leads:write") || can("deals:write"), "proposals",
    async () => (await api.preview.proposals.list({ status: "pending", limit: 5 })).data,
    (p) => ({
      id: p.id, tone: "amber", kind: "Approval", at: p.created_at, href: href("approvals/" + p.id), action: "Look",
      text: <><b>{p.proposed_by.label}</b> proposes: {p.preview.title}</>,
    }), ["proposal"]);
}

function useWebhooks() {
  const toTodo = (w: Webhook): Todo => ({
    id: w.id, kind: "Webhook", tone: "red", action: "Inspect", at: w.failing_since ?? w.updated_at, href: href(`developers/webhooks/${w.id}`),
    text: <><b>{w.description ?? new URL(w.url).host}</b> is failing</>,
  });
  return todos(can("webhooks"), useFailingWebhooks(can("webhooks")), toTodo);
}

function useBackupTrouble(): Load<Todo[]> {
  const status = useBackups(can("admin"));
  const { last_backup: last, last_complete: good, last_check: check } = status.data ?? {};
  const since = good ? <>Last good one: {when(good.started_at)}.</> : <>There has never been a complete one.</>;
  const reason = last?.problem ?? check?.problem;
  const todo: Todo = {
    id: "backup", kind: "Backup", tone: "red", action: "Look", at: good?.started_at ?? last?.started_at ?? new Date().toISOString(), href: href("settings/backups"),
    text: <><b>{last?.problem ? "The last backup is not complete" : check?.problem ? "The last backup can't be restored" : "The backup is late"}</b>{reason && <>: {problemTexts[reason]}</>}. {since}</>,
  };
  return { ...status, loading: can("admin") && status.loading, data: status.data && (status.data.healthy ? [] : [todo]), replace: () => {} };
}

/** Changes of the audit log, for administrators. */
function useChainTrouble(): Load<Todo[]> {
  const chain = useChain();
  const todo: Todo = {
    id: "chain", kind: "Audit", tone: "red", action: "Look", at: chain.data?.checked_at ?? "", href: href("developers/audit"),
    text: <><b>The audit log was changed.</b> Its chain is broken.</>,
  };
  return { ...chain, loading: can("admin") && chain.loading, data: chain.data && (chain.data.state === "broken" ? [todo] : []), replace: () => {} };
}

function endOfDay(): string {
  const end = new Date();
  end.setHours(24, 0, 0, 0);
  return end.toISOString();
}
