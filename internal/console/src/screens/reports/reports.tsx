// Reports: charts with their tables, and CSV files.
import type { ComponentChildren, FunctionComponent } from "preact";
import { api } from "../../api.ts";
import { date, exactMoney, monthLabel, number, shortCents, shortMoney, wholeMoney } from "../../format.ts";
import { useLoad } from "../../load.ts";
import { Bars, Chart, Columns, StackedBar } from "../../parts/chart.tsx";
import { Page, Section, Sheet } from "../../parts/layout.tsx";
import { Loaded } from "../../parts/state.tsx";
import { Age, Status, ageColor } from "../../parts/status.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { href } from "../../router.ts";
import { can, type Scope } from "../../session.ts";
import { word } from "../../words.ts";
import { boatName, useLocations } from "../boats/shared.ts";
import { useNames } from "../contacts/people.tsx";
import { Figure } from "../today.tsx";
import { Period, ReportFilters, Rows, ageLabel, days, monthPoints, percent, seconds, seesProfit, useBefore, useFilter, versus } from "./parts.tsx";

interface Report {
  name: string;
  title: string;
  scope: Scope;
  /** Whether it shows costs and profits. */
  profit?: boolean;
  /** Reports of the current state have no period. */
  period: boolean;
  content: FunctionComponent;
  export: (filter: object) => Promise<Response>;
}

const reports: Report[] = [
  { name: "inventory", title: "Inventory", scope: "hulls:read", period: false, content: InventoryReport, export: (f) => api.preview.reports.getInventoryCsv(f) },
  { name: "pricing", title: "Pricing", scope: "hulls:read", period: true, content: PricingReport, export: (f) => api.preview.reports.getPricingCsv(f) },
  { name: "pipeline", title: "Pipeline", scope: "deals:read", period: true, content: PipelineReport, export: (f) => api.preview.reports.getPipelineCsv(f) },
  { name: "leads", title: "Leads", scope: "leads:read", period: true, content: LeadsReport, export: (f) => api.preview.reports.getLeadsCsv(f) },
  { name: "responses", title: "Responses", scope: "leads:read", period: true, content: ResponsesReport, export: (f) => api.preview.reports.getResponsesCsv(f) },
  { name: "gross", title: "Profit", scope: "deals:write", profit: true, period: true, content: GrossReport, export: (f) => api.preview.reports.getGrossCsv(f) },
  { name: "funding", title: "Contracts in transit", scope: "deals:read", period: false, content: FundingReport, export: (f) => api.preview.reports.getFundingCsv(f) },
  { name: "taxes", title: "Taxes", scope: "deals:read", period: true, content: TaxReport, export: (f) => api.preview.reports.getTaxCsv(f) },
  { name: "cash", title: "Cash", scope: "deals:read", period: true, content: CashReport, export: (f) => api.preview.reports.getCashCsv(f) },
];

export function Reports({ name }: { name?: string }) {
  const visible = reports.filter((r) => can(r.scope) && (!r.profit || seesProfit()));
  const report = visible.find((r) => r.name === name) ?? visible[0];
  if (!report) return null;
  const Content = report.content;
  return (
    <Sheet>
      <Page title="Reports">
        <Tabs label="Reports" tabs={visible.map((r) => ({ title: r.title, href: href("reports/" + r.name), current: r === report }))} />
        <ReportFilters withPeriod={report.period} name={report.name} export={report.export} />
        <div class="content"><Content key={report.name} /></div>
      </Page>
    </Sheet>
  );
}

/** Two or more parts next to each other. */
const Grid = ({ children }: { children: ComponentChildren }) => <div class="columns">{children}</div>;

function InventoryReport() {
  const filter = useFilter(false);
  const load = useLoad(["report", "inventory", filter], () => api.preview.reports.getInventory(filter), ["hull"]);
  const locations = useLocations();
  return (
    <Loaded load={load}>
      {(r) => (
        <>
          <Section title="In stock">
            <Period report={r} />
            <dl class="figures">
              <Figure title="Boats" value={number(r.total.hulls)} />
              <Figure title="Asking value" value={shortMoney(r.total.price)} />
              {r.total.cost && <Figure title="Cost" value={shortMoney(r.total.cost)} />}
              <Figure title="Median age" value={r.median_days === null ? undefined : `${r.median_days} days`} />
              <Figure title="On the way" value={number(r.on_the_way.hulls)} note={shortMoney(r.on_the_way.price)} />
              <Figure title="Sold, not delivered" value={number(r.sold.hulls)} note={shortMoney(r.sold.price)} />
            </dl>
            <StackedBar label="Boats in stock by days" points={r.buckets.map((b) => ({ label: ageLabel(b), value: b.hulls, color: ageColor(b.min_days) }))} />
          </Section>
          <Grid>
            <Section title="By status"><Bars points={r.by_status.map((s) => ({ label: word(s.status), value: s.hulls }))} /></Section>
            <Section title="By ownership"><Bars points={r.by_ownership.map((o) => ({ label: word(o.ownership), value: o.hulls, text: `${o.hulls} · ${shortMoney(o.price)}` }))} /></Section>
          </Grid>
          <Section title="Longest in stock">
            <Rows caption="Longest in stock" head={["Boat", "Status", "Location", "Days", "Price"]} rows={r.oldest.map((h) => ({
              key: h.hull_id,
              cells: [<a class="link" href={href(`boats/${h.hull_id}`)}>{boatName(h)}</a>, <Status value={h.status} />, locations.get(h.location_id)?.name, <Age days={h.days} />, wholeMoney(h.price)],
            }))} />
          </Section>
        </>
      )}
    </Loaded>
  );
}

function PricingReport() {
  const filter = useFilter(true);
  const load = useLoad(["report", "pricing", filter], () => api.preview.reports.getPricing(filter), ["hull"]);
  const before = useBefore("pricing", filter, (f) => api.preview.reports.getPricing(f), ["hull"]);
  return (
    <Loaded load={load}>
      {(r) => {
        const points = monthPoints(r.months, before?.months, (m) => m.sold);
        return (
          <>
            <Section title="Sold">
              <Period report={r} />
              <dl class="figures">
                <Figure title="Boats" value={number(r.total.sold)} note={versus(r.total.sold, before?.total.sold)} />
                <Figure title="Median days in stock" value={days(r.total.median_days)} />
                <Figure title="Below the first price" value={percent(r.total.discount_percent)} />
                <Figure title="Sold after a price cut" value={number(r.total.sold_after_cut)} />
                <Figure title="Price cuts" value={number(r.total.cuts)} note={shortMoney(r.total.cut)} />
              </dl>
              <Chart title="Boats sold by month" points={points}><Columns points={points} /></Chart>
            </Section>
            <Section title="By month">
              <Rows caption="Pricing by month" head={["Month", "Sold", "Days in stock", "First price", "Last price", "Discount"]} rows={r.months.map((m) => ({
                key: m.month, cells: [monthYear(m.month), number(m.sold), days(m.median_days), wholeMoney(m.original), wholeMoney(m.asking), percent(m.discount_percent)],
              }))} />
            </Section>
          </>
        );
      }}
    </Loaded>
  );
}

/** Nov 2026 */
function monthYear(month: string): string {
  return `${monthLabel(month)} ${month.slice(0, 4)}`;
}

function PipelineReport() {
  const filter = useFilter(true);
  const load = useLoad(["report", "pipeline", filter], () => api.preview.reports.getPipeline(filter), ["deal"]);
  return (
    <Loaded load={load}>
      {(r) => {
        const points = r.stages.map((s) => ({ label: word(s.status), value: s.price.amount, text: `${s.deals} · ${shortMoney(s.price)}` }));
        return (
          <>
            <Section title="Open deals">
              <dl class="figures">
                <Figure title="Deals" value={number(r.total.deals)} />
                <Figure title="Value" value={shortMoney(r.total.price)} />
                <Figure title="Paid" value={shortMoney(r.total.paid)} />
              </dl>
              <Chart title="By stage" points={points}><Bars points={points} /></Chart>
            </Section>
            <Section title="By stage">
              <Rows caption="Open deals by stage" head={["Stage", "Deals", "Value", "Paid", "Median days"]} rows={r.stages.map((s) => ({
                key: s.status, cells: [<Status value={s.status} />, number(s.deals), wholeMoney(s.price), wholeMoney(s.paid), days(s.median_days)],
              }))} />
            </Section>
            <Section title="Started in the period">
              <Period report={r} />
              <dl class="figures">
                <Figure title="Deals" value={number(r.created.deals)} note={shortMoney(r.created.price)} />
                <Figure title="Accepted" value={number(r.created.accepted)} note={percent(r.created.accepted_percent)} />
                <Figure title="Delivered" value={number(r.created.delivered)} />
                <Figure title="Canceled" value={number(r.created.canceled)} />
              </dl>
            </Section>
          </>
        );
      }}
    </Loaded>
  );
}

function LeadsReport() {
  const filter = useFilter(true);
  const load = useLoad(["report", "leads", filter], () => api.preview.reports.getLeads(filter), ["lead"]);
  const before = useBefore("leads", filter, (f) => api.preview.reports.getLeads(f), ["lead"]);
  return (
    <Loaded load={load}>
      {(r) => {
        const points = monthPoints(r.months, before?.months, (m) => m.leads);
        return (
          <>
            <Section title="Leads">
              <Period report={r} />
              <dl class="figures">
                <Figure title="Leads" value={number(r.total.leads)} note={versus(r.total.leads, before?.total.leads)} />
                <Figure title="Converted" value={number(r.total.converted)} note={percent(r.total.conversion_percent)} />
                {r.total.sold !== null && <Figure title="Sold a boat" value={number(r.total.sold)} note={percent(r.total.sold_percent)} />}
                <Figure title="Lost" value={number(r.total.lost)} />
              </dl>
              <Chart title="New leads by month" points={points}><Columns points={points} /></Chart>
            </Section>
            <Section title="By source">
              <Rows caption="Leads by source" head={["Source", "Leads", "New", "Working", "Converted", "Lost", "Conversion"]} rows={r.sources.map((s) => ({
                key: s.source, cells: [word(s.source), number(s.leads), number(s.new), number(s.working), number(s.converted), number(s.lost), percent(s.conversion_percent)],
              }))} />
            </Section>
            {r.lost_reasons.length > 0 && (
              <Section title="Why leads were lost">
                <Rows caption="Lost leads by reason" head={["Reason", "Leads", "Share"]} rows={r.lost_reasons.map((l) => ({
                  key: l.reason, cells: [l.reason, number(l.leads), percent(l.percent)],
                }))} />
              </Section>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

function ResponsesReport() {
  const filter = useFilter(true);
  const load = useLoad(["report", "responses", filter], () => api.preview.reports.getResponses(filter), ["lead"]);
  const names = useNames();
  const locations = useLocations();
  const places = (id: string) => locations.get(id)?.name ?? "Deleted location";
  const head = ["Leads", "Median", "90% within", "Within 1 hour", "Unanswered"];
  const cells = (t: { leads: number; median_seconds: number | null; p90_seconds: number | null; within_1_hour: number; unanswered: number }) =>
    [number(t.leads), seconds(t.median_seconds), seconds(t.p90_seconds), number(t.within_1_hour), number(t.unanswered)];
  return (
    <Loaded load={load}>
      {(r) => {
        const points = r.hours.map((h) => ({ label: hour(h.hour), value: h.leads, text: `${h.leads} leads, median ${seconds(h.median_seconds)}` }));
        return (
          <>
            <Section title="First response">
              <Period report={r} />
              <dl class="figures">
                <Figure title="Median" value={seconds(r.total.median_seconds)} />
                <Figure title="90% within" value={seconds(r.total.p90_seconds)} />
                <Figure title="Within 5 minutes" value={number(r.total.within_5_minutes)} />
                <Figure title="Within 1 hour" value={number(r.total.within_1_hour)} />
                <Figure title="Unanswered" value={number(r.total.unanswered)} note={`${r.total.overdue} over 1 day`} />
              </dl>
              <Chart title="Leads by hour of the day" points={points}><Columns points={points} /></Chart>
            </Section>
            <Grid>
              <Section title="By person"><Rows caption="By person" head={["Person", ...head]} rows={r.owners.map((o) => ({ key: o.owner_id, cells: [names(o.owner_id), ...cells(o)] }))} /></Section>
              {r.locations.length > 0 && <Section title="By location"><Rows caption="By location" head={["Location", ...head, "Within the goal"]} rows={r.locations.map((l) => ({ key: l.location_id, cells: [places(l.location_id), ...cells(l), l.goal_minutes ? `${l.within_goal} of ${l.leads} in ${l.goal_minutes} min` : "No goal"] }))} /></Section>}
              <Section title="By source"><Rows caption="By source" head={["Source", ...head]} rows={r.sources.map((s) => ({ key: s.source, cells: [word(s.source), ...cells(s)] }))} /></Section>
            </Grid>
          </>
        );
      }}
    </Loaded>
  );
}

/** 9 AM */
function hour(h: number): string {
  return `${h % 12 || 12} ${h < 12 ? "AM" : "PM"}`;
}

function GrossReport() {
  const filter = useFilter(true);
  const load = useLoad(["report", "gross", filter], () => api.preview.reports.getGross({ ...filter, limit: 50 }), ["deal"]);
  const before = useBefore("gross", filter, (f) => api.preview.reports.getGross({ ...f, limit: 1 }), ["deal"]);
  const names = useNames();
  return (
    <Loaded load={load}>
      {(r) => {
        const points = monthPoints(r.months, before?.months, (m) => m.profit.amount, (m) => wholeMoney(m.profit));
        return (
          <>
            <Section title="Delivered deals">
              <Period report={r} />
              <dl class="figures">
                <Figure title="Deals" value={number(r.total.deals)} note={shortMoney(r.total.price)} />
                <Figure title="Profit" value={shortMoney(r.total.profit)} note={versus(r.total.profit.amount, before?.total.profit.amount, shortCents)} />
                <Figure title="On boats" value={shortMoney(r.total.front)} note={r.total.without_front > 0 ? `${r.total.without_front} without a cost` : undefined} />
                <Figure title="On finance and insurance" value={shortMoney(r.total.back)} />
                {r.total.unwound > 0 && <Figure title="Undone" value={number(r.total.unwound)} />}
              </dl>
              <Chart title="Profit by month" points={points} format={shortCents}><Columns points={points} format={shortCents} /></Chart>
            </Section>
            <Section title="Deals">
              <Rows caption="Delivered deals" head={["Stock number", "Owner", "Delivered", "Price", "Boat", "F&I", "Profit"]} rows={r.deals.map((d) => ({
                key: d.deal_id,
                cells: [<a class="link" href={href(`deals/${d.deal_id}`)}>{d.stock_number ?? "Deal"}</a>, names(d.owner_id), d.delivered_on && date(d.delivered_on), wholeMoney(d.price), d.front ? wholeMoney(d.front) : "—", d.back ? wholeMoney(d.back) : "—", d.profit ? wholeMoney(d.profit) : "—"],
              }))} />
            </Section>
            {r.adjustments.length > 0 && (
              <Section title="After the delivery">
                <Rows caption="Adjustments" head={["Deal", "What", "On", "Price", "Boat", "F&I"]} rows={r.adjustments.map((a, i) => ({
                  key: `${a.deal_id} ${i}`,
                  cells: [<a class="link" href={href(`deals/${a.deal_id}`)}>Open deal</a>, word(a.kind), date(a.on), a.price.amount ? wholeMoney(a.price) : "—", wholeMoney(a.front), wholeMoney(a.back)],
                }))} />
              </Section>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

function FundingReport() {
  const filter = useFilter(false);
  const load = useLoad(["report", "funding", filter], () => api.preview.reports.getFunding({ ...filter, limit: 50 }), ["funding", "deal"]);
  return (
    <Loaded load={load}>
      {(r) => (
        <>
          <Section title="Contracts in transit">
            <dl class="figures">
              <Figure title="Contracts" value={number(r.total.contracts)} />
              <Figure title="Lenders owe" value={shortMoney(r.total.amount)} />
              <Figure title="Open stipulations" value={number(r.total.open_stipulations)} />
            </dl>
          </Section>
          <Section title="By lender"><Bars points={r.lenders.map((l) => ({ label: l.lender, value: l.amount.amount, text: `${l.contracts} · ${shortMoney(l.amount)}` }))} /></Section>
          <Section title="Contracts">
            <Rows caption="Contracts in transit" head={["Lender", "Status", "Days", "Open stipulations", "Amount"]} rows={r.contracts.map((c) => ({
              key: c.funding_id, cells: [<a class="link" href={href(`deals/${c.deal_id}`)}>{c.lender}</a>, <Status value={c.status} />, days(c.days), number(c.open_stipulations), wholeMoney(c.amount)],
            }))} />
          </Section>
        </>
      )}
    </Loaded>
  );
}

function CashReport() {
  const filter = useFilter(true);
  const load = useLoad(["report", "cash", filter], () => api.preview.reports.getCash({ ...filter, limit: 50 }), ["payment", "deal"]);
  return (
    <Loaded load={load}>
      {(r) => (
        <>
          <Section title="Received">
            <Period report={r} />
            <dl class="figures">
              <Figure title="Payments" value={number(r.total.payments)} note={shortMoney(r.total.received)} />
              <Figure title="Paid back" value={shortMoney(r.total.refunded)} />
              <Figure title="Net" value={shortMoney(r.total.net)} />
              <Figure title="Deposits held" value={shortMoney(r.held.amount)} note={`${r.held.deals} deals`} />
              <Figure title="Kept" value={shortMoney(r.kept.amount)} note={`${r.kept.deals} deals`} />
            </dl>
          </Section>
          <Section title="By kind and method">
            <Rows caption="Payments by kind and method" head={["Kind", "Method", "Payments", "Received", "Paid back", "Net"]} rows={r.rows.map((row) => ({
              key: row.kind + row.method, cells: [word(row.kind), word(row.method), number(row.payments), exactMoney(row.received), exactMoney(row.refunded), exactMoney(row.net)],
            }))} />
          </Section>
          <Section title="Deposits held">
            <Rows caption="Deposits held" head={["Deal", "Status", "Received", "Days", "Amount"]} rows={r.deals.map((d) => ({
              key: d.deal_id, cells: [<a class="link" href={href(`deals/${d.deal_id}`)}>Open deal</a>, <Status value={d.status} />, d.received_on && date(d.received_on), number(d.days), exactMoney(d.amount)],
            }))} />
          </Section>
        </>
      )}
    </Loaded>
  );
}

function TaxReport() {
  const filter = useFilter(true);
  const load = useLoad(["report", "taxes", filter], () => api.preview.reports.getTax(filter), ["deal"]);
  return (
    <Loaded load={load}>
      {(r) => (
        <>
          <Section title="Tax on delivered boats">
            <Period report={r} />
            <dl class="figures"><Figure title="Tax" value={exactMoney(r.tax)} /></dl>
          </Section>
          <Section title="By jurisdiction">
            <Rows caption="Tax by jurisdiction" head={["Jurisdiction", "Tax", "Deals", "Sales", "Amount"]} rows={r.rows.map((row) => ({
              key: [row.jurisdiction, row.name, row.exempt_reason].join(" "),
              cells: [row.jurisdiction, <>{row.name}{row.exempt_reason && <small> exempt: {row.exempt_reason}</small>}</>, number(row.deals), exactMoney(row.sales), exactMoney(row.tax)],
            }))} />
          </Section>
        </>
      )}
    </Loaded>
  );
}
