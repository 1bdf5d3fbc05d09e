// The panel of a new appointment. Double bookings are named before it is saved, with times that are free.
import { useEffect, useMemo } from "preact/hooks";
import { api, type AppointmentKind, type PreviewFreeTime as FreeTime, type PreviewAppointmentCheckResult, type PreviewReachCheck } from "../../api.ts";
import { Form, useForm } from "../../form.tsx";
import { date, time } from "../../format.ts";
import { changed, useLoad } from "../../load.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { CheckField, Select, TextArea, TimeField } from "../../parts/field.tsx";
import { Verdict } from "../../parts/verdict.tsx";
import { toast, toastError, toastUndo } from "../../parts/toast.tsx";
import { can, session } from "../../session.ts";
import { isInstant, parseTime, sayTime } from "../../times.ts";
import { options, word } from "../../words.ts";
import { useLocations } from "../boats/shared.ts";
import { PickerField, useDirectory, useUserChoices } from "../contacts/people.tsx";
import { clock, kinds, zone } from "./shared.ts";

export interface Wish {
  user_id?: string;
  hull_id?: string;
  starts_at?: string;
  duration?: number;
}

/** What the lanes show while the panel is open. */
export interface Shown {
  user_id: string;
  hull_id: string;
  starts_at: string | undefined;
  duration: number;
  result: PreviewAppointmentCheckResult | undefined;
}

const lengths: Array<[string, string]> = [["30", "30 minutes"], ["45", "45 minutes"], ["60", "1 hour"], ["90", "1½ hours"], ["120", "2 hours"], ["240", "4 hours"]];

/** The newest lead of a contact, and how it can be reached. A confirmation is one of its messages. */
function useReach(contactId: string) {
  const lead = useLoad(contactId ? ["newest lead", contactId] : undefined, () => api.preview.leads.list({ contact_id: contactId, limit: 1 }), ["lead"]).data?.data[0];
  const reach = useLoad(lead ? ["reach", lead.id] : undefined, () => api.preview.leads.getReach(lead!.id), ["lead", "contact", "dealership"]).data;
  const checks = (reach?.checks ?? []).filter((c) => c.purpose === "transactional");
  const check = checks.find((c) => c.allowed) ?? checks[0];
  return { lead, check };
}

function verdictOf(check: PreviewReachCheck | undefined, known: boolean): string {
  if (!known) return "The contact has no lead, so no message can be sent.";
  if (!check) return "Checking consent.";
  const what = check.channel === "sms" ? "Texts" : "Email";
  if (!check.allowed) return `${what} can't be sent. ${check.reason}`;
  const why = check.basis && check.since ? `${word(check.basis)} consent, ${date(check.since)}` : check.reason.replace(/\.$/, "");
  return `${what} allowed: ${why}.` + (check.quiet_until ? ` Sent at ${time(check.quiet_until)}, after the quiet hours.` : "") + " This has no Undo.";
}

export function Book({ wish, onShow, onClose }: { wish: Wish; onShow: (shown: Shown) => void; onClose: () => void }) {
  const users = useUserChoices();
  const people = useDirectory();
  const locations = [...useLocations().values()];
  const form = useForm({
    name: "new appointment",
    values: {
      kind: "showing", user_id: wish.user_id ?? session.user.id, contact_id: "", hull_id: wish.hull_id ?? "", location_id: "", starts_at: wish.starts_at ?? "",
      duration_minutes: String(wish.duration ?? 60), notes: "", confirm: "yes",
    },
    save: async (v) => {
      const booked = await api.preview.appointments.create({
        kind: v.kind as AppointmentKind, contact_id: v.contact_id, user_id: v.user_id, location_id: location, starts_at: v.starts_at, duration_minutes: Number(v.duration_minutes),
        hull_id: v.hull_id || null, lead_id: lead?.id ?? null, notes: v.notes || null, override_boat: warnings.length > 0,
      });
      changed("appointment", "lead");
      const cancel = () => api.preview.appointments.cancel(booked.id, { reason: "Booked by mistake" }).then(() => changed("appointment"));
      const confirms = !!v.confirm && !!lead && !!check?.allowed;
      toastUndo(`Booked for ${sayTime(booked.starts_at, zone)}.`, cancel, "Appointment canceled.");
      if (confirms) {
        const body = `Your ${word(v.kind).toLowerCase()} is booked: ${sayTime(booked.starts_at, zone)}, with ${people.get(v.user_id)?.name ?? session.user.name} at ${locations.find((l) => l.id === location)?.name}. ${session.dealership.name}`;
        await api.leads.sendMessage(lead.id, check.channel === "email" ? { channel: "email", purpose: "transactional", subject: "Your appointment", body } : { channel: "sms", purpose: "transactional", body })
          .then(() => toast("Confirmation queued."), toastError);
        changed("lead", lead.id);
      }
    },
    onSaved: () => (form.reset(), onClose()),
  });
  const v = form.values;
  const location = v.location_id || locations[0]?.id || "";
  // The panel follows what the user drags or taps in the calendar.
  useEffect(() => {
    if (wish.starts_at) form.set("starts_at", wish.starts_at);
    if (wish.user_id) form.set("user_id", wish.user_id);
    if (wish.duration) form.set("duration_minutes", String(wish.duration));
  }, [wish]);

  const starts_at = isInstant(v.starts_at) ? v.starts_at : parseTime(v.starts_at, zone).value || undefined;
  const body = { kind: v.kind as AppointmentKind, user_id: v.user_id, contact_id: v.contact_id || null, hull_id: v.hull_id || null, location_id: location, starts_at: starts_at!, duration_minutes: Number(v.duration_minutes) };
  const { data: result } = useLoad(starts_at && v.user_id && location ? ["appointment check", body] : undefined, () => api.preview.appointments.check(body), ["appointment", "hull"]);
  const refused = result?.conflicts.filter((c) => c.refused) ?? [];
  const warnings = result?.conflicts.filter((c) => !c.refused) ?? [];
  const shown = useMemo(() => ({ user_id: v.user_id, hull_id: v.hull_id, starts_at, duration: Number(v.duration_minutes), result }), [v.user_id, v.hull_id, starts_at, v.duration_minutes, result]);
  useEffect(() => onShow(shown), [shown]);

  const { lead, check } = useReach(v.contact_id);
  const name = people.get(v.user_id)?.name.split(" ")[0] ?? "The user";
  const take = (f: FreeTime) => {
    form.set("starts_at", f.starts_at.replace(".000", ""));
    form.set("user_id", f.user_id);
  };
  const ways = result?.free.map((f) => <Button key={f.user_id + f.starts_at} small onClick={() => take(f)}>{`${people.get(f.user_id)?.name.split(" ")[0] ?? "Someone"} at ${clock(f.starts_at)}`}</Button>);
  return (
    <aside aria-label="New appointment">
      <header><h2>New appointment</h2><IconButton icon="close" label="Close" onClick={() => (form.reset(), onClose())} /></header>
      <Form form={form} submit={warnings.length > 0 ? "Book anyway" : "Book"} blocked={refused.length > 0} onCancel={() => (form.reset(), onClose())}>
        <div class="form-row">
          <Select form={form} name="kind" label="What" required choices={options(kinds)} />
          <Select form={form} name="user_id" label="With" required choices={users} />
        </div>
        <PickerField form={form} name="contact_id" of="contact" label="Customer" required />
        {can("hulls:read") && <PickerField form={form} name="hull_id" of="boat" />}
        <div class="form-row">
          <TimeField form={form} name="starts_at" label="When" required />
          <Select form={form} name="duration_minutes" label="Length" required choices={lengths.some(([n]) => n === v.duration_minutes) ? lengths : [...lengths, [v.duration_minutes, `${v.duration_minutes} minutes`]]} />
        </div>
        {locations.length > 1 && <Select form={form} name="location_id" label="Where" choices={locations.map((l) => [l.id, l.name])} />}
        {refused.length > 0 && <Verdict answer="no" title={refused[0]!.kind === "user_booked" ? `${name} is booked.` : "This isn't possible."} ways={ways}>{refused.map((c) => c.text).join(" ")}</Verdict>}
        {refused.length === 0 && warnings.length > 0 && <Verdict answer="wait" title={warnings[0]!.kind === "boat_booked" ? "Two want this boat at that time." : "Check the boat."} ways={ways}>{warnings.map((c) => c.text).join(" ")}</Verdict>}
        {result && result.conflicts.length === 0 && <Verdict answer="yes" title={`${name} is free${v.hull_id ? ", and so is the boat" : ""}.`} />}
        {v.contact_id && <CheckField form={form} name="confirm" label={`${check?.channel === "email" ? "Email" : "Text"} a confirmation`} hint={verdictOf(check, !!lead)} disabled={!check?.allowed} />}
        <TextArea form={form} name="notes" label="Notes" rows={2} />
      </Form>
    </aside>
  );
}
