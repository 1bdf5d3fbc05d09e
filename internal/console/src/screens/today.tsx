// Today: what needs attention, in the order to do it, and then the numbers.
import { api, type Appointment } from "../api.ts";
import { count, dayName, duration, number, shortMoney, time, monthLabel } from "../format.ts";
import { useLoad } from "../load.ts";
import { ButtonLink } from "../parts/button.tsx";
import { Columns, StackedBar } from "../parts/chart.tsx";
import { Page, Section, Sheet } from "../parts/layout.tsx";
import { Tag, ageColor } from "../parts/status.tsx";
import { href } from "../router.ts";
import { can, session } from "../session.ts";
import { usePipeline } from "../shell/counts.ts";
import { word } from "../words.ts";
import { useInventoryReport } from "./boats/shared.ts";
import { contactName } from "./contacts/people.tsx";
import { Waiting } from "./leads/waiting.tsx";
import { ageLabel, monthsAgo, seesProfit } from "./reports/parts.tsx";
import { TodoSection } from "./todos.tsx";

export function Today() {
  const first = session.user.name.split(/[\s@]/)[0];
  return (
    <Sheet kind="desk">
      <Page title={`${greeting()}, ${first}`} actions={<span class="muted">{dayName(new Date())}</span>}>
        <div class="content">
          {can("leads:read") && <Waiting />}
          <TodoSection />
          {can("leads:read") && <Schedule />}
        </div>
      </Page>
      <aside class="desk-side" aria-label="Numbers">
        {can("deals:read") && <ThisMonth />}
        {can("leads:read") && <NewLeads />}
        {can("hulls:read") && <StockByAge />}
      </aside>
    </Sheet>
  );
}

function greeting(now = new Date()): string {
  const hour = Number(new Intl.DateTimeFormat("en-US", { hour: "numeric", hourCycle: "h23", timeZone: session.dealership.timezone }).format(now));
  if (hour < 12) return "Good morning";
  return hour < 18 ? "Good afternoon" : "Good evening";
}

/** The appointments of the next days. */
function Schedule() {
  const from = new Date(Date.now() - 3_600_000).toISOString().slice(0, 13) + ":00:00Z";
  const load = useLoad(["today", "appointments", from], () => api.preview.appointments.list({ starts_after: from, status: "scheduled", limit: 100 }), ["appointment"]);
  const next = load.data && [...load.data.data].sort((a, b) => a.starts_at.localeCompare(b.starts_at)).slice(0, 6);
  if (!next || next.length === 0) return null;
  return (
    <Section title="Appointments">
      <ul class="todos">{next.map((a) => <AppointmentRow key={a.id} appointment={a} />)}</ul>
    </Section>
  );
}

function AppointmentRow({ appointment: a }: { appointment: Appointment }) {
  const contact = useLoad(can("leads:read") ? ["contact", a.contact_id] : undefined, () => api.contacts.get(a.contact_id), [a.contact_id]).data;
  const target = a.lead_id ? `leads/${a.lead_id}` : a.deal_id ? `deals/${a.deal_id}` : `contacts/${a.contact_id}`;
  return (
    <li>
      <Tag>{word(a.kind)}</Tag>
      <span class="todo-text">{contact && <b>{contactName(contact)}</b>} {a.title ?? (contact ? "" : word(a.kind))}</span>
      <time class="muted num" dateTime={a.starts_at}>{dayName(a.starts_at)}, {time(a.starts_at)}</time>
      <ButtonLink small href={href(target)}>Open</ButtonLink>
    </li>
  );
}

function ThisMonth() {
  const from = monthsAgo(0);
  const gross = useLoad(seesProfit() ? ["today", "gross", from] : undefined, () => api.preview.reports.getGross({ date_after: from, limit: 1 }), ["deal"]);
  const pipeline = usePipeline();
  return (
    <Section title="This month" action={<a class="link" href={href("reports/pipeline")}>Pipeline</a>}>
      <dl class="figures">
        {gross.data && <Figure title="Delivered" value={number(gross.data.total.deals)} note={shortMoney(gross.data.total.price)} />}
        <Figure title="Open deals" value={pipeline.data && number(pipeline.data.total.deals)} note={pipeline.data && shortMoney(pipeline.data.total.price)} />
      </dl>
    </Section>
  );
}

export function Figure({ title, value, note }: { title: string; value: string | undefined; note?: string | undefined }) {
  return <div><dt>{title}</dt><dd>{value ?? "—"}{note && <small>{note}</small>}</dd></div>;
}

function NewLeads() {
  const from = monthsAgo(5);
  const leads = useLoad(["today", "leads", from], () => api.preview.reports.getLeads({ date_after: from }), ["lead"]);
  const responses = useLoad(["today", "responses"], () => api.preview.reports.getResponses({ date_after: monthsAgo(0) }), ["lead"]);
  const points = leads.data?.months.map((m) => ({ label: monthLabel(m.month), value: m.leads })) ?? [];
  const median = responses.data?.total.median_seconds;
  return (
    <Section title="Leads" action={<a class="link" href={href("reports/leads")}>Report</a>}>
      <dl class="figures">
        <Figure title="New this month" value={points.length > 0 ? number(points.at(-1)!.value) : undefined} />
        <Figure title="First response, median" value={median === null || median === undefined ? undefined : duration(median)} />
      </dl>
      {points.length > 1 && <Columns points={points} />}
    </Section>
  );
}

function StockByAge() {
  const { data } = useInventoryReport();
  if (!data) return null;
  return (
    <Section title="In stock by age" action={<a class="link" href={href("reports/inventory")}>Report</a>}>
      <dl class="figures">
        <Figure title="Boats" value={number(data.total.hulls)} note={shortMoney(data.total.price)} />
        <Figure title="Median age" value={data.median_days === null ? undefined : count(data.median_days, "day")} />
      </dl>
      <StackedBar label="Boats in stock by days" points={data.buckets.map((b) => ({ label: ageLabel(b), value: b.hulls, color: ageColor(b.min_days) }))} />
    </Section>
  );
}
