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
  color?: string;
}

/** A chart with its title, and the table behind it. */
export function Chart({ title, points, children }: { title: string; points: Point[]; children: ComponentChildren }) {
  const [asTable, setAsTable] = useState(false);
  useKeys({ t: () => setAsTable(!asTable) });
  return (
    <figure class="chart" aria-label={title}>
      <figcaption>{title}<button type="button" class="link" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>{asTable ? "Chart" : "Table"}</button></figcaption>
      {asTable ? <PointTable title={title} points={points} /> : children}
    </figure>
  );
}

function PointTable({ title, points }: { title: string; points: Point[] }) {
  return (
    <table class="points">
      <caption class="vh">{title}</caption>
      <tbody>{points.map((p) => <tr key={p.label}><th scope="row">{p.label}</th><td class="r num">{p.text ?? number(p.value)}</td></tr>)}</tbody>
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

const width = 600;
const height = 140;

/** One column for each point. */
export function Columns({ points }: { points: Point[] }) {
  const most = Math.max(1, ...points.map((p) => p.value));
  const step = width / Math.max(1, points.length);
  return (
    <div class="plot">
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {points.map((p, i) => {
          const size = (p.value / most) * (height - 4);
          return <rect key={p.label} x={i * step + step * 0.15} y={height - size} width={step * 0.7} height={size} rx="2"><title>{p.label}: {p.text ?? p.value}</title></rect>;
        })}
      </svg>
      <div class="axis" aria-hidden="true">{points.map((p) => <span key={p.label}>{p.label}</span>)}</div>
    </div>
  );
}

/** A value that stays the same until it changes, such as a price. Points are in the order of time, at is a time in ms. */
export function StepLine({ points, until }: { points: Array<Point & { at: number }>; until: number }) {
  const first = points[0];
  if (!first) return null;
  const values = points.map((p) => p.value);
  const low = Math.min(...values) * 0.98;
  const high = Math.max(...values) * 1.02;
  const x = (at: number) => ((at - first.at) / Math.max(1, until - first.at)) * width;
  const y = (value: number) => height - ((value - low) / Math.max(1, high - low)) * height;
  const line = points.reduce((d, p, i) => d + (i === 0 ? `M0 ${y(p.value)}` : `H${x(p.at)}V${y(p.value)}`), "") + `H${width}`;
  return (
    <div class="plot">
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        <path class="area" d={`${line}V${height}H0Z`} /><path class="stroke" d={line} />
      </svg>
      <div class="axis" aria-hidden="true"><span>{first.label}</span><span>Today</span></div>
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
