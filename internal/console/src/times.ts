// Times as people type them: sat 10, tomorrow 2:30, 11/21, in 3 days. They are in the time zone of the dealership and
// in the future.
import type { Parsed } from "./numbers.ts";

/** A day and a time on the clock of a place. */
interface Clock {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
}

const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const months = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];
const minute = 60_000;
const day = 24 * 60 * minute;

/** Whether a value is a time as the API writes it. */
export function isInstant(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text);
}

/** Saturday, Nov 21, 10:00 AM, in a time zone. */
export function sayTime(at: string, zone: string): string {
  return new Intl.DateTimeFormat("en-US", { timeZone: zone, weekday: "long", month: "short", day: "numeric", hour: "numeric", minute: "2-digit" })
    .formatToParts(new Date(at)).map((p) => (p.value === " at " ? ", " : p.value)).join("").replace("\u202f", " ");
}

/** Reads a time. The value is in UTC, as the API expects it. */
export function parseTime(text: string, zone: string, now = new Date()): Parsed {
  if (isInstant(text)) return { value: text };
  const typed = text.trim().toLowerCase().replace(/[,.]+(?=\s|$)/g, " ").replace(/\s+/g, " ").replace(/\s*\bat\b\s*/g, " ").trim();
  if (!typed) return { value: "" };
  const relative = /^in (\d{1,3}) (minute|min|hour|h|day|week)s?$/.exec(typed);
  if (relative) return { value: after(Number(relative[1]), relative[2]!, zone, now) };

  const found = readDay(typed, clockOf(now, zone));
  const hours = readHours(found?.rest ?? typed);
  if (!hours) return { error: "must be a day and a time, such as sat 10, tomorrow 2:30 or 11/21" };

  const today = clockOf(now, zone);
  const date = found?.date ?? today;
  const at = instantOf({ ...date, ...hours }, zone);
  if (!at) return { error: "doesn't exist on that day, because clocks go forward" };
  if (at > now) return { value: at.toISOString() };
  // Saturday is today, but the time has passed: next Saturday. A day without a year: next year.
  const later = found?.isWeekday ? plusDays(date, 7) : found?.isYearly ? { ...date, year: date.year + 1 } : found ? undefined : plusDays(date, 1);
  const next = later && instantOf({ ...later, ...hours }, zone);
  return next ? { value: next.toISOString() } : { error: "is in the past" };
}

/** The day of a moment on the clock of a place: 2026-11-21. */
export function dayAt(at: Date, zone: string): string {
  const { year, month, day: n } = clockOf(at, zone);
  return new Date(Date.UTC(year, month - 1, n)).toISOString().slice(0, 10);
}

/** How many minutes after midnight a clock shows. */
export function minutesAt(at: Date, zone: string): number {
  const { hour, minute: m } = clockOf(at, zone);
  return hour * 60 + m;
}

/** The moment when a clock shows a time on a day. A time that doesn't exist is an hour later. */
export function momentOf(isoDay: string, minutes: number, zone: string): Date {
  const [year = 0, month = 0, n = 0] = isoDay.split("-").map(Number);
  const wall = { year, month, day: n, hour: Math.floor(minutes / 60), minute: minutes % 60 };
  return instantOf(wall, zone) ?? instantOf({ ...wall, hour: wall.hour + 1 }, zone)!;
}

/** Another day: addDays("2026-11-30", 1) is 2026-12-01. */
export function addDays(isoDay: string, days: number): string {
  return new Date(Date.parse(isoDay) + days * day).toISOString().slice(0, 10);
}

function after(n: number, unit: string, zone: string, now: Date): string {
  if (unit.startsWith("m")) return new Date(now.getTime() + n * minute).toISOString();
  if (unit.startsWith("h")) return new Date(now.getTime() + n * 60 * minute).toISOString();
  const date = plusDays(clockOf(now, zone), unit === "week" ? n * 7 : n);
  return instantOf({ ...date, hour: 9, minute: 0 }, zone)!.toISOString();
}

interface Day {
  date: Pick<Clock, "year" | "month" | "day">;
  rest: string;
  isWeekday?: boolean;
  isYearly?: boolean;
}

/** Reads the day at the start of a text. */
function readDay(text: string, today: Clock): Day | undefined {
  const [first = "", ...others] = text.split(" ");
  const rest = others.join(" ");
  if (first === "today") return { date: today, rest };
  if (first === "tomorrow" || first === "tmrw") return { date: plusDays(today, 1), rest };

  const weekday = first.length > 2 ? weekdays.findIndex((w) => w.startsWith(first)) : -1;
  const named = weekday >= 0 && readDay(rest, today); // Saturday, Nov 21
  if (named && !named.isWeekday) return named;
  if (weekday >= 0) {
    const from = new Date(Date.UTC(today.year, today.month - 1, today.day)).getUTCDay();
    return { date: plusDays(today, (weekday - from + 7) % 7), rest, isWeekday: true };
  }

  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(first);
  if (iso) return dayOf(Number(iso[1]), Number(iso[2]), Number(iso[3]), rest, false);
  const us = /^(\d{1,2})\/(\d{1,2})(?:\/(\d{2}|\d{4}))?$/.exec(first);
  if (us) return dayOf(us[3] ? Number(us[3].padStart(4, "20")) : today.year, Number(us[1]), Number(us[2]), rest, !us[3]);

  const month = first.length > 2 ? months.findIndex((m) => m.startsWith(first)) : -1;
  const number = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(others[0] ?? "");
  if (month < 0 || !number) return undefined;
  return dayOf(today.year, month + 1, Number(number[1]), others.slice(1).join(" "), true);
}

function dayOf(year: number, month: number, n: number, rest: string, isYearly: boolean): Day | undefined {
  const date = new Date(Date.UTC(year, month - 1, n));
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === n;
  return exists ? { date: { year, month, day: n }, rest, isYearly } : undefined;
}

/** Reads 10, 2:30, 10am and noon. Without am or pm, 1 to 7 is in the afternoon. Nothing is 9 AM. */
function readHours(text: string): Pick<Clock, "hour" | "minute"> | undefined {
  if (!text) return { hour: 9, minute: 0 };
  if (text === "noon") return { hour: 12, minute: 0 };
  const found = /^(\d{1,2})(?::(\d{2}))? ?(am?|pm?)?$/.exec(text);
  if (!found) return undefined;
  let hour = Number(found[1]);
  const half = found[3]?.[0];
  if (half ? hour < 1 || hour > 12 : hour > 23) return undefined;
  if (half) hour = (hour % 12) + (half === "p" ? 12 : 0);
  else if (hour >= 1 && hour <= 7) hour += 12;
  const minutes = Number(found[2] ?? 0);
  return minutes < 60 ? { hour, minute: minutes } : undefined;
}

function plusDays({ year, month, day: n }: Pick<Clock, "year" | "month" | "day">, days: number): Pick<Clock, "year" | "month" | "day"> {
  const date = new Date(Date.UTC(year, month - 1, n) + days * day);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** What a clock in a time zone shows. */
function clockOf(at: Date, zone: string): Clock {
  const parts = new Intl.DateTimeFormat("en-US", { timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" }).formatToParts(at);
  const of = (type: string) => Number(parts.find((p) => p.type === type)?.value);
  return { year: of("year"), month: of("month"), day: of("day"), hour: of("hour"), minute: of("minute") };
}

/** The moment when a clock shows a time, the first one if it shows it twice, or undefined if it never does. */
function instantOf(c: Clock, zone: string): Date | undefined {
  const wanted = Date.UTC(c.year, c.month - 1, c.day, c.hour, c.minute);
  const candidates = [wanted - day, wanted + day].map((at) => wanted - offsetAt(new Date(at), zone));
  return candidates.sort((a, b) => a - b).map((at) => new Date(at)).find((at) => at.getTime() + offsetAt(at, zone) === wanted);
}

/** How far a clock is ahead of UTC, in milliseconds. */
function offsetAt(at: Date, zone: string): number {
  const c = clockOf(at, zone);
  return Date.UTC(c.year, c.month - 1, c.day, c.hour, c.minute) - Math.floor(at.getTime() / minute) * minute;
}
