// The dialogs of leads: new, edit, close, convert, signal, task and appointment.
import { SlipwayError, api, type AppointmentKind, type DealType, type LeadSignalKind, type LeadSource, type MessageChannel, type PreviewLead } from "../../api.ts";
import { useForm } from "../../form.tsx";
import { changed } from "../../load.ts";
import { confirm } from "../../parts/dialog.tsx";
import { MoneyField, Select, TextArea, TextField, TimeField } from "../../parts/field.tsx";
import { toast, toastUndo } from "../../parts/toast.tsx";
import { href, navigate } from "../../router.ts";
import { can, session } from "../../session.ts";
import { options } from "../../words.ts";
import { boatName, useLocations } from "../boats/shared.ts";
import { FormDialog, PickerField, useUserChoices } from "../contacts/people.tsx";

/** Where leads come from, for people to choose. */
export const sources = ["walk_in", "phone", "web", "email", "sms", "referral", "marketplace", "event", "other"];

/** A number that the user left empty is null, and not 0. */
function amount(text: string): number | null {
  return text === "" ? null : Number(text);
}

/** Adds a lead of a known or a new contact. */
export function NewLead({ contactId, onClose }: { contactId: string; onClose: () => void }) {
  const users = useUserChoices();
  const form = useForm({
    name: "new lead " + contactId,
    values: {
      contact_id: contactId, "contact.first_name": "", "contact.last_name": "", "contact.email": "", "contact.phone": "", who: contactId ? "known" : "new",
      source: "walk_in", source_detail: "", interest: "", hull_id: "", budget_max_usd: "", timeline: "", message: "", owner_id: session.user.id,
    },
    save: async (v) => {
      const contact = { first_name: v["contact.first_name"] || null, last_name: v["contact.last_name"] || null, email: v["contact.email"] || null, phone: v["contact.phone"] || null };
      const lead = await api.leads.create({
        ...(v.who === "known" ? { contact_id: v.contact_id || null } : { contact }),
        source: v.source as LeadSource,
        source_detail: v.source_detail || null,
        interest: v.interest || null,
        hull_id: v.hull_id || null,
        budget_max_usd: amount(v.budget_max_usd),
        timeline: v.timeline || null,
        message: v.message || null,
        owner_id: v.owner_id || null,
      });
      changed("lead", "contact");
      toast(lead.possible_mismatch ? "Lead added to a contact with another name." : "Lead added.");
      navigate(href("leads/" + lead.id));
    },
  });
  return (
    <FormDialog title="New lead" wide form={form} submit="Add lead" onClose={onClose}>
      {!contactId && <Select form={form} name="who" label="From" required choices={[["new", "A new contact"], ["known", "A contact on file"]]} />}
      {form.values.who === "known"
        ? !contactId && <PickerField form={form} name="contact_id" of="contact" />
        : (
          <>
            <div class="form-row"><TextField form={form} name="contact.first_name" label="First name" /><TextField form={form} name="contact.last_name" label="Last name" /></div>
            <div class="form-row">
              <TextField form={form} name="contact.phone" label="Phone" type="tel" />
              <TextField form={form} name="contact.email" label="Email" type="email" hint="If a contact has this email or phone, the lead is added to it." />
            </div>
          </>
        )}
      <div class="form-row">
        <Select form={form} name="source" label="Source" required choices={options(sources)} />
        <TextField form={form} name="source_detail" label="Campaign, page or person" />
      </div>
      <TextField form={form} name="interest" label="Looking for" />
      <div class="form-row">
        {can("hulls:read") && <PickerField form={form} name="hull_id" of="boat" />}
        <MoneyField form={form} name="budget_max_usd" label="Budget up to" />
        <TextField form={form} name="timeline" label="When they plan to buy" />
      </div>
      <TextArea form={form} name="message" label="What they wrote" rows={2} />
      <Select form={form} name="owner_id" label="Owner" choices={users} empty="Unassigned" />
    </FormDialog>
  );
}

function leadValues(lead: PreviewLead) {
  return {
    interest: lead.interest ?? "", hull_id: lead.hull_id ?? "", timeline: lead.timeline ?? "",
    budget_min_usd: lead.budget_min ? String(lead.budget_min.amount / 100) : "",
    budget_max_usd: lead.budget_max ? String(lead.budget_max.amount / 100) : "",
    location_id: lead.location_id ?? "", source: lead.source as string, source_detail: lead.source_detail ?? "",
  };
}

export function EditLead({ lead, onClose }: { lead: PreviewLead; onClose: () => void }) {
  const locations = useLocations();
  const form = useForm({
    name: "lead " + lead.id,
    version: lead.version,
    values: leadValues(lead),
    save: async (v, changes, o) => {
      const entries = Object.keys(changes).map((name) => {
        const value = v[name as keyof typeof v];
        return [name, name.startsWith("budget") ? amount(value) : value || null];
      });
      await api.leads.update(lead.id, Object.fromEntries(entries), o);
      changed("lead", lead.id);
      toast("Lead saved.");
    },
    reload: async () => {
      const now = await api.preview.leads.get(lead.id);
      return { values: leadValues(now), version: now.version };
    },
    onSaved: onClose,
  });
  return (
    <FormDialog title="Edit lead" form={form} submit="Save" onClose={onClose}>
      <TextField form={form} name="interest" label="Looking for" />
      {can("hulls:read") && <PickerField form={form} name="hull_id" of="boat" title={lead.hull && boatName(lead.hull)} />}
      <div class="form-row"><MoneyField form={form} name="budget_min_usd" label="Budget from" /><MoneyField form={form} name="budget_max_usd" label="Budget up to" /></div>
      <TextField form={form} name="timeline" label="When they plan to buy" />
      <div class="form-row">
        <Select form={form} name="source" label="Source" required choices={options([...sources, "import"])} />
        <TextField form={form} name="source_detail" label="Campaign, page or person" />
      </div>
      <Select form={form} name="location_id" label="Location" choices={[...locations.values()].map((l) => [l.id, l.name])} empty="None" />
    </FormDialog>
  );
}

/** The choice that asks for a reason of its own. */
const another = "other";

export function CloseLead({ lead, name, onClose }: { lead: PreviewLead; name: string; onClose: () => void }) {
  const reasons = session.dealership.lost_reasons;
  const form = useForm({
    name: "close " + lead.id,
    values: { reason: reasons[0] ?? another, other: "", reopen_at: "" },
    save: async ({ reason, other, reopen_at }) => {
      await api.leads.close(lead.id, { reason: reason === another ? other : reason, ...(reopen_at && { reopen_at }) });
      changed("lead", lead.id);
      toast("Lead closed.");
    },
    onSaved: onClose,
  });
  return (
    <FormDialog title={`Close the lead of ${name}`} form={form} submit="Close lead" onClose={onClose}>
      <Select form={form} name="reason" label="Reason" required choices={[...reasons.map((r): [string, string] => [r, r]), [another, "Another reason"]]} />
      {form.values.reason === another && <TextField form={form} name="other" label="Which reason" required autofocus />}
      <TimeField form={form} name="reopen_at" label="Ask again" hint="The lead is open again then, and waits for an answer." />
    </FormDialog>
  );
}

/** Starts a deal with the buyer's opening offer. */
export function ConvertLead({ lead, name, onClose }: { lead: PreviewLead; name: string; onClose: () => void }) {
  const form = useForm({
    name: "convert " + lead.id,
    values: { hull_id: lead.hull_id ?? "", offer_usd: lead.hull ? String(lead.hull.price.amount / 100) : "", deal_type: "finance" },
    save: async ({ hull_id, offer_usd, deal_type }) => {
      const deal = await api.leads.convert(lead.id, { hull_id: hull_id || null, offer_usd: amount(offer_usd)!, deal_type: deal_type as DealType });
      changed("lead", "deal", "hull", lead.id);
      toast("Deal started.");
      navigate(href("deals/" + deal.id));
    },
  });
  return (
    <FormDialog title={`Start a deal with ${name}`} form={form} submit="Start deal" onClose={onClose}>
      <PickerField form={form} name="hull_id" of="boat" title={lead.hull && boatName(lead.hull)} />
      <div class="form-row">
        <MoneyField form={form} name="offer_usd" label="Opening offer" required />
        <Select form={form} name="deal_type" label="Payment" required choices={[["finance", "Finance"], ["cash", "Cash"], ["outside_finance", "Own lender"]]} />
      </div>
    </FormDialog>
  );
}

const signals = [
  "call", "sea_trial_request", "return_visit", "brochure", "trade_valuation", "payment_calculator", "credit_start", "chat", "price_view", "page_view", "email_open",
  "sms_reply",
];

export function RecordSignal({ lead, onClose }: { lead: PreviewLead; onClose: () => void }) {
  const form = useForm({
    name: "signal " + lead.id,
    values: { kind: "call", source: "" },
    save: async ({ kind, source }) => {
      await api.leads.recordSignal(lead.id, { kind: kind as LeadSignalKind, hull_id: lead.hull_id, source: source || null });
      changed("lead", lead.id);
      toast("Signal recorded.");
    },
    onSaved: onClose,
  });
  return (
    <FormDialog title="Record a signal" form={form} submit="Record signal" onClose={onClose}>
      <Select form={form} name="kind" label="What the lead did" required choices={options(signals)} />
      <TextField form={form} name="source" label="Where you saw it" />
    </FormDialog>
  );
}

export function AddTask({ lead, onClose }: { lead: PreviewLead; onClose: () => void }) {
  const users = useUserChoices();
  const form = useForm({
    name: "task " + lead.id,
    values: { body: "", due_at: "", user_id: lead.owner_id ?? session.user.id },
    save: async ({ body, due_at, user_id }) => {
      await api.preview.activities.create({ object_id: lead.id, kind: "task", body, due_at: due_at || null, user_id: user_id || null });
      changed("activity");
      toast("Task added.");
    },
    onSaved: onClose,
  });
  return (
    <FormDialog title="Add task" form={form} submit="Add task" onClose={onClose}>
      <TextField form={form} name="body" label="What to do" required />
      <div class="form-row">
        <TimeField form={form} name="due_at" label="Due" />
        <Select form={form} name="user_id" label="Who" choices={users} empty="No one yet" />
      </div>
    </FormDialog>
  );
}

const kinds = ["showing", "sea_trial", "delivery", "service", "call", "other"];

export function AddAppointment({ lead, onClose }: { lead: PreviewLead; onClose: () => void }) {
  const users = useUserChoices();
  const locations = [...useLocations().values()];
  const form = useForm({
    name: "appointment " + lead.id,
    values: {
      kind: "showing", starts_at: "", duration_minutes: "60", location_id: lead.location_id ?? locations[0]?.id ?? "",
      user_id: lead.owner_id ?? session.user.id, reminder: "", notes: "",
    },
    save: async (v) => {
      const body = {
        lead_id: lead.id,
        hull_id: lead.hull_id,
        kind: v.kind as AppointmentKind,
        starts_at: v.starts_at,
        duration_minutes: Number(v.duration_minutes),
        location_id: v.location_id,
        user_id: v.user_id || null,
        notes: v.notes || null,
        reminder: v.reminder ? { channel: v.reminder as MessageChannel } : null,
      };
      const booked = await api.preview.appointments.create(body).catch(async (error: unknown) => {
        const taken = error instanceof SlipwayError && error.details.some((d) => d.field === "hull_id" && d.code === "overlap");
        if (!taken || !(await confirm({ title: "The boat has another appointment at this time", action: "Book both" }))) throw error;
        return api.preview.appointments.create({ ...body, override_boat: true });
      });
      changed("appointment", "lead");
      toastUndo("Appointment added.", () => api.preview.appointments.cancel(booked.id, { reason: "Booked by mistake" }).then(() => changed("appointment", "lead")), "Appointment canceled.");
    },
    onSaved: onClose,
  });
  const zone = locations.find((l) => l.id === form.values.location_id)?.timezone;
  return (
    <FormDialog title="Add appointment" form={form} submit="Add appointment" onClose={onClose}>
      <div class="form-row">
        <Select form={form} name="kind" label="For" required choices={options(kinds)} />
        <Select form={form} name="location_id" label="Location" required choices={locations.map((l) => [l.id, l.name])} empty="Choose" />
      </div>
      <div class="form-row">
        <TimeField form={form} name="starts_at" label="Starts" required {...(zone && { zone })} />
        <Select form={form} name="duration_minutes" label="Length" required choices={[["30", "30 minutes"], ["60", "1 hour"], ["90", "1½ hours"], ["120", "2 hours"], ["240", "4 hours"]]} />
      </div>
      <div class="form-row">
        <Select form={form} name="user_id" label="With" choices={users} empty="Choose" required />
        <Select form={form} name="reminder" label="Reminder" choices={[["sms", "Text"], ["email", "Email"]]} empty="None" />
      </div>
      <TextField form={form} name="notes" label="Notes" hint="Only your team sees them." />
    </FormDialog>
  );
}
