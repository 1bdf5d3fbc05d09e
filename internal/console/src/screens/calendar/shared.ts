// What the views of the calendar share: the appointments of a time, their rows, and moving them.
import { api, type AppointmentKind, type PreviewScheduleEntry } from "../../api.ts";
import { changed, useLoad } from "../../load.ts";
import { confirm } from "../../parts/dialog.tsx";
import { Refusal } from "../../parts/state.tsx";
import { toastUndo } from "../../parts/toast.tsx";
import { session } from "../../session.ts";
import { addDays, dayAt, minutesAt, momentOf, sayTime } from "../../times.ts";
import { useDirectory } from "../contacts/people.tsx";

export type Entry = PreviewScheduleEntry;

export const zone = session.dealership.timezone;

export const kinds: AppointmentKind[] = ["showing", "sea_trial", "delivery", "service", "call", "other"];

/** Colors of kinds. The kind is also written. */
export const tones: Record<AppointmentKind, string> = { showing: "blue", sea_trial: "green", delivery: "amber", service: "gray", call: "gray", other: "gray" };

export const today = () => dayAt(new Date(), zone);

/** The Monday of the week of a day. */
export function monday(day: string): string {
  const weekday = new Date(day).getUTCDay();
  return addDays(day, -((weekday + 6) % 7));
}

/** The appointments of some days. */
export function useSchedule(from: string, days: number) {
  const load = () => api.preview.appointments.getSchedule({ starts_after: momentOf(from, 0, zone).toISOString(), starts_before: momentOf(addDays(from, days), 0, zone).toISOString() });
  return useLoad(["schedule", from, days], load, ["appointment"]);
}

export const dayOf = (e: Entry) => dayAt(new Date(e.starts_at), zone);
export const minutesOf = (e: Entry) => minutesAt(new Date(e.starts_at), zone);

/** 10:30 AM */
export function clock(at: Date | string): string {
  return new Intl.DateTimeFormat("en-US", { timeZone: zone, hour: "numeric", minute: "2-digit" }).format(new Date(at)).replace("\u202f", " ");
}

/** 10:00 – 11:30 AM */
export function span(e: Entry): string {
  const [from, to] = [clock(e.starts_at), clock(e.ends_at)];
  return `${from.slice(-2) === to.slice(-2) ? from.slice(0, -3) : from} – ${to}`;
}

/** A row of the calendar: a person or a boat. */
export interface Row {
  id: string;
  title: string;
  entries: Entry[];
}

/** The rows: all active people, the user first, or the boats that have appointments. */
export function useRows(entries: Entry[], by: "people" | "boats"): Row[] {
  const people = useDirectory();
  if (by === "boats") {
    const boats = new Map<string, Row>();
    for (const e of entries) {
      const id = e.hull_id ?? "";
      if (!boats.has(id)) boats.set(id, { id, title: e.hull_name ?? "No boat", entries: [] });
      boats.get(id)!.entries.push(e);
    }
    return [...boats.values()].sort((a, b) => Number(!a.id) - Number(!b.id) || a.title.localeCompare(b.title));
  }
  const of = (id: string) => entries.filter((e) => e.user_id === id);
  const rows = [...people.values()].filter((u) => u.active || of(u.id).length > 0).map((u) => ({ id: u.id, title: u.name, entries: of(u.id) }));
  return rows.sort((a, b) => Number(b.id === session.user.id) - Number(a.id === session.user.id) || b.entries.length - a.entries.length || a.title.localeCompare(b.title));
}

/** Moves an appointment to another time or person. What is in the way is named before it is saved. */
export async function move(e: Entry, to: { starts_at: string; user_id: string }): Promise<void> {
  if (to.starts_at === e.starts_at && to.user_id === e.user_id) return;
  const { conflicts } = await api.preview.appointments.check({
    kind: e.kind, user_id: to.user_id, contact_id: e.contact_id, hull_id: e.hull_id, location_id: e.location_id, starts_at: to.starts_at, duration_minutes: e.duration_minutes, appointment_id: e.id,
  });
  const refused = conflicts.find((c) => c.refused);
  if (refused) throw new Refusal(`Not moved: ${refused.text}`);
  const taken = conflicts.find((c) => c.kind === "boat_booked");
  if (taken && !(await confirm({ title: "Two want this boat at the same time", text: taken.text, action: "Move anyway" }))) return;
  const moved = await api.preview.appointments.update(e.id, { ...to, override_boat: !!taken }, { ifVersion: e.version });
  changed("appointment");
  const back = () => api.preview.appointments.update(e.id, { starts_at: e.starts_at, user_id: e.user_id, override_boat: true }, { ifVersion: moved.version }).then(() => changed("appointment"));
  toastUndo(`${e.contact_name} is on ${sayTime(to.starts_at, zone)}.`, back, "Moved back.");
}
