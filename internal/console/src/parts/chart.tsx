// Charts. Each has the same numbers as a table, which the T key shows.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { number } from "../format.ts";
import { useKeys } from "../keys.ts";

export interface Point {
  label: string;
  value: number;
  /** How the value is shown. Defaults to the number. */
  text?: string;
  /** A shorter text, for the plot. */
  short?: string;
  color?: string;
  /** The value in the period before, and how that is called. */
  before?: number | undefined;
  labelBefore?: string;
}

/** A chart with its title, and the table behind it. */
export function Chart({ title, points, format = number, children }: { title: string; points: Point[]; format?: (value: number) => string; children: ComponentChildren }) {
  const [asTable, setAsTable] = useState(false);
  useKeys({ t: () => setAsTable(!asTable) });
  return (
    <figure class="chart" aria-label={title}>
      <figcaption>{title}<button type="button" class="link" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>{asTable ? "Chart" : "Table"}</button></figcaption>
      {asTable ? <PointTable title={title} points={points} format={format} /> : children}
    </figure>
  );
}

function PointTable({ title, points, format }: { title: string; points: Point[]; format: (value: number) => string }) {
  const compared = points.some((p) => p.before !== undefined);
  return (
    <table class="points">
      <caption class="vh">{title}</caption>
      {compared && <thead><tr><td /><th scope="col" class="r">This period</th><th scope="col" class="r">Period before</th></tr></thead>}
      <tbody>
        {points.map((p) => (
          <tr key={p.label}><th scope="row">{p.label}</th><td class="r num">{p.text ?? format(p.value)}</td>{compared && <td class="r num muted">{p.before === undefined ? "" : format(p.before)}</td>}</tr>
        ))}
      </tbody>
    </table>
  );
}

/** Shares of a whole in one bar, with a legend. */
export function StackedBar({ label, points }: { label: string; points: Point[] }) {
  return (
    <figure class="stacked" aria-label={label}>
      <div class="water" aria-hidden="true">
        {points.filter((p) => p.value > 0).map((p) => <i key={p.label} style={{ "--c": p.color ?? "var(--accent)", "--share": String(p.value) }} />)}
      </div>
      <figcaption class="depths">
        <span class="vh">{label}:</span>
        {points.map((p) => <span key={p.label}><i style={{ "--c": p.color ?? "var(--accent)" }} />{p.label} <b>{p.text ?? number(p.value)}</b></span>)}
      </figcaption>
    </figure>
  );
}

/** Round values for an axis from low to high: at most five, of which the outer ones contain both. */
export function ticksOf(low: number, high: number): number[] {
  const rough = (high - low) / 4 || 1;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((n) => n * unit).find((n) => n >= rough) ?? rough;
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil(high / step));
  return Array.from({ length: last - first + 1 }, (_, n) => (first + n) * step);
}

/** Where a value is on an axis, as a share of its length. */
const shareOf = (value: number, ticks: number[]) => `${((value - ticks[0]!) / (ticks.at(-1)! - ticks[0]!)) * 100}%`;

/** The lines of an axis with their values. */
function Scale({ ticks, format }: { ticks: number[]; format: (value: number) => string }) {
  return <>{ticks.map((t) => <span key={t} class={t === 0 ? "tick zero" : "tick"} style={{ "--at": shareOf(t, ticks) }}><span>{format(t)}</span></span>)}</>;
}

/** How many columns have room for their values. The others show them under the mouse and in the table. */
const roomForValues = 13;

/** One column for each point, and next to it the one of the period before. */
export function Columns({ points, format = number, periods = ["This period", "Period before"] }: { points: Point[]; format?: (value: number) => string; periods?: [string, string] }) {
  const values = points.flatMap((p) => [p.value, p.before ?? 0]);
  const ticks = ticksOf(Math.min(0, ...values), Math.max(1, ...values));
  const compared = points.some((p) => p.before !== undefined);
  const column = (value: number, kind: string) => (
    <i class={value < 0 ? kind + " minus" : kind} style={{ "--from": shareOf(Math.min(0, value), ticks), "--size": `${(Math.abs(value) / (ticks.at(-1)! - ticks[0]!)) * 100}%` }} />
  );
  return (
    <div class="plot">
      {compared && <p class="legend"><span><i class="now" />{periods[0]}</span><span><i class="was" />{periods[1]}</span></p>}
      <div class="canvas" aria-hidden="true">
        <Scale ticks={ticks} format={format} />
        <div class="cols">
          {points.map((p) => (
            <div key={p.label} class="col">
              {p.before !== undefined && column(p.before, "was")}
              {column(p.value, "now")}
              {points.length <= roomForValues && <b style={{ "--from": shareOf(Math.max(0, p.value, p.before ?? 0), ticks) }}>{p.short ?? format(p.value)}</b>}
              <span class="tip">{p.label}: <b>{p.text ?? format(p.value)}</b>{p.before !== undefined && <><br />{p.labelBefore ?? "Before"}: {format(p.before)}</>}</span>
            </div>
          ))}
        </div>
      </div>
      <div class="axis" aria-hidden="true">{points.map((p) => <span key={p.label}>{p.label}</span>)}</div>
    </div>
  );
}

/** A value that stays the same until it changes, such as a price. Points are in the order of time, at is a time in ms. */
export function StepLine({ points, until, format = number }: { points: Array<Point & { at: number }>; until: number; format?: (value: number) => string }) {
  const first = points[0];
  if (!first) return null;
  const values = points.map((p) => p.value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const ticks = ticksOf(low - (high - low) * 0.1, high + (high - low) * 0.1);
  const x = (at: number) => ((at - first.at) / Math.max(1, until - first.at)) * 100;
  const y = (value: number) => 100 - Number.parseFloat(shareOf(value, ticks));
  const line = points.reduce((d, p, i) => d + (i === 0 ? `M0 ${y(p.value)}` : `H${x(p.at)}V${y(p.value)}`), "") + "H100";
  // Changes that follow each other closely would cover their values. The last one counts.
  const named = points.filter((p, i) => i === points.length - 1 || x(points[i + 1]!.at) - x(p.at) > 14);
  return (
    <div class="plot">
      <div class="canvas" aria-hidden="true">
        <Scale ticks={ticks} format={format} />
        <div class="curve">
          <svg viewBox="0 0 100 100" preserveAspectRatio="none"><path class="area" d={`${line}V100H0Z`} /><path class="stroke" d={line} /></svg>
          {points.map((p) => (
            <span key={p.at} class={x(p.at) > 60 ? "dot end" : "dot"} style={{ "--x": `${x(p.at)}%`, "--at": shareOf(p.value, ticks) }}>
              {named.includes(p) && <b>{p.short ?? format(p.value)}</b>}<span class="tip">{p.label}: <b>{p.text ?? format(p.value)}</b></span>
            </span>
          ))}
        </div>
      </div>
      <div class="axis ends" aria-hidden="true"><span>{first.label}</span><span>Today</span></div>
    </div>
  );
}

/** Horizontal bars with their labels. */
export function Bars({ points }: { points: Point[] }) {
  const most = Math.max(1, ...points.map((p) => p.value));
  return (
    <dl class="bars">
      {points.map((p) => (
        <div key={p.label}><dt>{p.label}</dt><dd><i style={{ "--c": p.color ?? "var(--accent)", "--share": `${(p.value / most) * 100}%` }} /><span class="num">{p.text ?? number(p.value)}</span></dd></div>
      ))}
    </dl>
  );
}
