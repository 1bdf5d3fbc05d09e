// How values are shown: US English, in the time zone of the dealership.
import type { PreviewMoney } from "./api.ts";

let timeZone = "UTC";

/** Sets the time zone of the dealership. Call it before times are shown. */
export function setTimeZone(zone: string): void {
  timeZone = zone;
}

const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", maximumFractionDigits: 0 });
const exact = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
const compact = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  notation: "compact",
  maximumSignificantDigits: 3,
});
const whole = new Intl.NumberFormat("en-US");

/** $131,600 */
export function usd(amount: number): string {
  return dollars.format(amount);
}

/** $1,044.77 */
export function cents(amount: number): string {
  return exact.format(amount / 100);
}

/** $131,600, or $1,044.77 if there are cents. */
export function money({ amount }: PreviewMoney): string {
  return amount % 100 === 0 ? usd(amount / 100) : cents(amount);
}

/** $131,600, also if there are cents. For columns where all amounts are in dollars. */
export function wholeMoney({ amount }: PreviewMoney): string {
  return usd(Math.round(amount / 100));
}

/** $1,044.00. For columns where all amounts have cents. */
export function exactMoney({ amount }: PreviewMoney): string {
  return cents(amount);
}

/** $18.3M */
export function shortMoney({ amount }: PreviewMoney): string {
  return compact.format(amount / 100);
}

/** $18.3M, for an axis in cents. */
export function shortCents(amount: number): string {
  return compact.format(amount / 100);
}

/** 1,204 */
export function number(n: number): string {
  return whole.format(n);
}

/** 1 boat, 1,204 boats */
export function count(n: number, one: string, many = one + "s"): string {
  return `${number(n)} ${n === 1 ? one : many}`;
}

/** 23.58 ft */
export function feet(length: number): string {
  return `${number(length)} ft`;
}

/** The start of a text by others, where a line is enough. Chromium takes seconds to draw a word of 10,000 letters. */
export function excerpt(text: string): string {
  const letters = [...text.slice(0, 400)];
  return letters.length > 200 ? letters.slice(0, 200).join("").trimEnd() + "…" : text;
}

/** (410) 555-0199. Numbers of other countries stay as they are. */
export function phone(e164: string): string {
  return e164.replace(/^\+1(\d{3})(\d{3})(\d{4})$/, "($1) $2-$3");
}

/** 1.2 MB */
export function bytes(n: number): string {
  if (n < 1000) return `${n} B`;
  return n < 1_000_000 ? `${Math.round(n / 1000)} KB` : `${(n / 1_000_000).toFixed(1)} MB`;
}

function zoned(options: Intl.DateTimeFormatOptions): (at: Date) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (at) => (format ??= new Intl.DateTimeFormat("en-US", { timeZone, ...options })).format(at);
}

const timeOf = zoned({ hour: "numeric", minute: "2-digit" });
const weekday = zoned({ weekday: "short" });
const monthDay = zoned({ month: "short", day: "numeric" });
const fullDate = zoned({ month: "short", day: "numeric", year: "numeric" });
const longDay = zoned({ weekday: "long", month: "short", day: "numeric" });
const isoDay = zoned({ year: "numeric", month: "2-digit", day: "2-digit" });
const yearOf = zoned({ year: "numeric" });

/** 9:41 AM */
export function time(at: string): string {
  return timeOf(new Date(at));
}

/** Jun 9, 2026. A date without a time is the same day everywhere. */
export function date(at: string): string {
  if (at.length > 10) return fullDate(new Date(at));
  return new Date(at).toLocaleDateString("en-US", { timeZone: "UTC", month: "short", day: "numeric", year: "numeric" });
}

/** Jun 9, 2026, 9:41 AM */
export function dateTime(at: string): string {
  return `${date(at)}, ${time(at)}`;
}

/** Sunday, Nov 15 */
export function dayName(at: string | Date): string {
  return longDay(new Date(at));
}

/** 9:41 AM today, Yesterday, Fri, Nov 4, or Nov 4, 2025. For lists, where the full time is the title. */
export function when(at: string, now = new Date()): string {
  const then = new Date(at);
  const days = Math.round((Date.parse(isoDay(now)) - Date.parse(isoDay(then))) / 86_400_000);
  if (days === 0) return timeOf(then);
  if (days === 1) return "Yesterday";
  if (days > 1 && days < 7) return weekday(then);
  return yearOf(then) === yearOf(now) ? monthDay(then) : fullDate(then);
}

const relative = new Intl.RelativeTimeFormat("en-US", { numeric: "auto" });
const steps: Array<[Intl.RelativeTimeFormatUnit, number]> = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** 2 minutes ago, in 3 days */
export function ago(at: string, now = Date.now()): string {
  const seconds = (Date.parse(at) - now) / 1000;
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  }
  return "just now";
}

/** 42 min, 6 h, 3 days */
export function duration(seconds: number): string {
  if (seconds < 60) return "1 min";
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** The first letters of the first and the last word: Owen Tilghman is OT. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const last = words.length > 1 ? words.at(-1)! : "";
  return ((words[0]?.[0] ?? "") + (last[0] ?? "")).toUpperCase();
}

/** Nov, from 2026-11. */
export function monthLabel(month: string): string {
  return new Date(month + "-15T12:00:00Z").toLocaleDateString("en-US", { month: "short", timeZone: "UTC" });
}
