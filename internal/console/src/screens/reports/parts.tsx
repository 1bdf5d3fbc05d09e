// What the reports share: the period, the location, the download and the small tables.
import type { ComponentChildren } from "preact";
import { download } from "../../csv.ts";
import { date, duration, monthLabel, number } from "../../format.ts";
import { useLoad } from "../../load.ts";
import type { Point } from "../../parts/chart.tsx";
import { Button } from "../../parts/button.tsx";
import { ChoiceChip } from "../../parts/chip.tsx";
import { toastError } from "../../parts/toast.tsx";
import { setQuery, usePlace } from "../../router.ts";
import { can, session } from "../../session.ts";
import { useLocations } from "../boats/shared.ts";

/** The first day of the month, some months ago, in the time zone of the dealership. */
export function monthsAgo(months: number, now = new Date()): string {
  const [year, month] = new Intl.DateTimeFormat("en-CA", { timeZone: session.dealership.timezone, year: "numeric", month: "2-digit" }).format(now).split("-").map(Number);
  const first = new Date(Date.UTC(year!, month! - 1 - months, 1));
  return first.toISOString().slice(0, 10);
}

/** Reports whether the user can see costs and profits. */
export function seesProfit(): boolean {
  return can("deals:write") && can("hulls:write");
}

/** 31–60 or 180+ */
export function ageLabel(bucket: { min_days: number; max_days: number | null }): string {
  return bucket.max_days === null ? `${bucket.min_days - 1}+` : `${bucket.min_days}–${bucket.max_days}`;
}

const periods: Array<[string, string, number | undefined]> = [
  ["month", "This month", 0],
  ["quarter", "Last 3 months", 2],
  ["", "Last 6 months", 5],
  ["year", "Last 12 months", 11],
  ["all", "All time", undefined],
];

export interface Filter {
  date_after?: string;
  date_before?: string;
  location_id?: string;
}

/** The filter of the URL. */
export function useFilter(withPeriod: boolean): Filter {
  const { query } = usePlace();
  const months = periods.find(([name]) => name === (query.get("period") ?? ""))?.[2];
  const location = query.get("location_id");
  return { ...(withPeriod && months !== undefined && { date_after: monthsAgo(months) }), ...(location && { location_id: location }) };
}

/** The months of a report as points, with the points of the period before. By index, because both periods are equally long. */
export function monthPoints<M extends { month: string }>(months: M[], before: M[] | undefined, value: (month: M) => number, text?: (month: M) => string): Point[] {
  const shift = months.length;
  const known = before?.some((m) => value(m) !== 0);
  const byMonth = new Map(before?.map((m) => [m.month, m]));
  return months.map((m) => {
    const [year, month] = m.month.split("-").map(Number);
    const was = new Date(Date.UTC(year!, month! - 1 - shift, 1)).toISOString().slice(0, 7);
    const then = byMonth.get(was);
    return {
      label: monthLabel(m.month), value: value(m), ...(text && { text: text(m) }),
      ...(known && { before: then ? value(then) : 0, labelBefore: `${monthLabel(was)} ${was.slice(0, 4)}` }),
    };
  });
}

/** Loads a report for the period before the one of the filter, if there is one. */
export function useBefore<T>(name: string, filter: Filter, load: (filter: Filter) => PromiseLike<T>, watch: string[]): T | undefined {
  const months = monthsOf(filter);
  const before = months === undefined ? undefined : { ...filter, date_after: monthsAgo(2 * months + 1), date_before: dayBefore(filter.date_after!) };
  return useLoad(before && ["report before", name, before], () => load(before!), watch).data;
}

function monthsOf(filter: Filter): number | undefined {
  return periods.find(([, , months]) => months !== undefined && monthsAgo(months) === filter.date_after)?.[2];
}

function dayBefore(day: string): string {
  return new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
}

/** How a number compares with the period before: 11 before (+27%). */
export function versus(now: number, before: number | undefined, format: (value: number) => string = number): string | undefined {
  if (!before) return undefined;
  return `${format(before)} before (${now >= before ? "+" : "−"}${Math.abs(Math.round(((now - before) / Math.abs(before)) * 100))}%)`;
}

/** Period, location and download of a report. */
export function ReportFilters(props: { withPeriod: boolean; name: string; export: (filter: Filter) => Promise<Response> }) {
  const { query } = usePlace();
  const filter = useFilter(props.withPeriod);
  const locations = useLocations();
  const period = query.get("period") ?? "";
  const location = query.get("location_id") ?? undefined;
  const save = async () => download(`${props.name}.csv`, await (await props.export(filter)).blob());
  return (
    <div class="filters">
      {props.withPeriod && (
        <ChoiceChip label="Period" value={periods.find(([name]) => name === period)?.[1]} current={period} choices={periods.map(([name, title]) => [name, title])}
          onChoose={(value) => setQuery({ period: value || undefined })} onClear={() => setQuery({ period: undefined })} />
      )}
      <ChoiceChip label="Location" value={location && locations.get(location)?.name} current={location} choices={[...locations.values()].map((l) => [l.id, l.name])}
        onChoose={(value) => setQuery({ location_id: value })} onClear={() => setQuery({ location_id: undefined })} />
      <span class="end"><Button small icon="download" onClick={() => void save().catch(toastError)}>CSV</Button></span>
    </div>
  );
}

/** A small table. The first column has the names, the others have numbers. */
export function Rows({ caption, head, rows }: { caption: string; head: string[]; rows: Array<{ key: string; cells: ComponentChildren[] }> }) {
  return (
    <div class="scroll-x" role="region" aria-label={caption} tabIndex={0}>
      <table class="rows">
        <caption class="vh">{caption}</caption>
        <thead><tr>{head.map((title, i) => <th key={title} scope="col" {...(i > 0 && { class: "r" })}>{title}</th>)}</tr></thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>{cells.map((cell, i) => (i === 0 ? <th key={i} scope="row">{cell}</th> : <td key={i} class="r num">{cell}</td>))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A share such as 12.5%, or a dash. */
export function percent(value: string | null): string {
  return value === null ? "—" : `${value}%`;
}

/** A number of days, or a dash. */
export function days(value: number | null): string {
  return value === null ? "—" : number(value);
}

/** A duration, or a dash. */
export function seconds(value: number | null): string {
  return value === null ? "—" : duration(value);
}

/** The days that a report is about. */
export function Period({ report }: { report: { date_after: string | null; date_before: string | null; today: string } }) {
  return <p class="muted">{report.date_after ? `${date(report.date_after)} to ${date(report.date_before ?? report.today)}` : `As of ${date(report.today)}`}</p>;
}
