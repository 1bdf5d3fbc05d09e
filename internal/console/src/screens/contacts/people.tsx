// What the screens about leads and contacts share.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, type Consent, type Contact, type LeadMessage, type PreviewLead, type PreviewLeadExpansion, type PreviewReachCheck } from "../../api.ts";
import { Form, type FormState, type Values } from "../../form.tsx";
import { excerpt, money, phone, when } from "../../format.ts";
import { useLoad } from "../../load.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Picker, type Choice } from "../../parts/picker.tsx";
import { Tag, type Tone } from "../../parts/status.tsx";
import { setQuery, usePlace } from "../../router.ts";
import { can, session } from "../../session.ts";
import { word } from "../../words.ts";
import { boatName } from "../boats/shared.ts";

/** The name of a contact, or how to recognize it. */
export function contactName(c: Pick<Contact, "kind" | "first_name" | "last_name" | "company_name" | "email" | "phone" | "erased_at">): string {
  if (c.erased_at) return "Erased contact";
  const person = [c.first_name, c.last_name].filter(Boolean).join(" ");
  return (c.kind === "company" && c.company_name) || person || c.company_name || c.email || (c.phone ? phone(c.phone) : "No name");
}

/** What to call a contact in a sentence. */
export function firstName(c: Contact): string {
  return c.first_name ?? contactName(c);
}

/** The users of the dealership, by ID. */
export function useDirectory() {
  const { data } = useLoad(["directory"], () => api.preview.dealership.listDirectory({ limit: 100 }), ["user"]);
  return new Map(data?.data.map((u) => [u.id, u]));
}

/** Returns a function that names a user. */
export function useNames(): (userID: string | null | undefined) => string {
  const users = useDirectory();
  return (userID) => (userID ? (users.get(userID)?.name ?? "Someone") : "No one");
}

/** The active users, as choices of a select. */
export function useUserChoices(): Array<[string, string]> {
  return [...useDirectory().values()].filter((u) => u.active).map((u) => [u.id, u.name]);
}

/** A form in a dialog. */
export function FormDialog<V extends Values>(props: { title: string; wide?: boolean; form: FormState<V>; submit: string; onClose: () => void; children: ComponentChildren }) {
  const { title, wide, form, submit, onClose } = props;
  return (
    <Dialog title={title} onClose={onClose} {...(wide && { wide })}>
      <Form form={form} submit={submit} onCancel={onClose}>{props.children}</Form>
    </Dialog>
  );
}

/** Searches a list by the q of the URL, 200 ms after the last key. */
export function SearchBox({ label }: { label: string }) {
  const q = usePlace().query.get("q") ?? "";
  const [text, setText] = useState(q);
  useEffect(() => setText(q), [q]);
  useEffect(() => {
    if (text.trim() === q) return;
    const timer = setTimeout(() => setQuery({ q: text.trim() }), 200);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <label class="search-box">
      <Icon name="search" /><span class="vh">{label}</span>
      <input type="search" placeholder={label} value={text} autocomplete="off" onInput={(e) => setText(e.currentTarget.value)} />
    </label>
  );
}

async function searchContacts(q: string, signal: AbortSignal): Promise<Choice[]> {
  const { data } = await api.contacts.list({ q, limit: 6 }, { signal });
  return data.map((c) => ({ id: c.id, title: contactName(c), note: c.email ?? (c.phone ? phone(c.phone) : "") }));
}

async function searchBoats(q: string, signal: AbortSignal): Promise<Choice[]> {
  const { data } = await api.preview.hulls.list({ q, limit: 6 }, { signal });
  return data.map((b) => ({ id: b.id, title: boatName(b), note: [b.stock_number, word(b.status), money(b.price)].filter(Boolean).join(" · ") }));
}

/** What was found, to name what is chosen. */
const titles = new Map<string, string>();

/** A field that finds a contact or a boat. Its value is the ID. */
export function PickerField<V extends Values>(props: { form: FormState<V>; name: keyof V & string; of: "boat" | "contact"; label?: string; required?: boolean; title?: string | undefined }) {
  const { form, name, of, required = false } = props;
  const label = props.label ?? (of === "boat" ? "Boat" : "Contact");
  const value = form.values[name];
  form.fields.set(name, { label, required });
  const search = async (q: string, signal: AbortSignal) => {
    const found = await (of === "boat" ? searchBoats : searchContacts)(q, signal);
    for (const choice of found) titles.set(choice.id, choice.title);
    return found;
  };
  return (
    <Picker
      label={label} placeholder={of === "boat" ? "Make, model, HIN or stock number" : "Name, email or phone"} error={form.errors[name]} search={search}
      chosen={value && (titles.get(value) ?? props.title ?? `The ${of} that you chose before`)} onChoose={(id) => form.set(name, id)}
    />
  );
}

/** Words for codes of the send check. */
const badges: Record<string, [string, Tone]> = {
  consent_revoked: ["Revoked", "red"],
  consent_expired: ["Expired", "amber"],
  consent_missing: ["No record", "gray"],
};

/** What a contact agreed to on a channel, in one word. */
export function ConsentBadge({ checks }: { checks: PreviewReachCheck[] }) {
  const [text, tone] = badgeOf(checks);
  return <Tag tone={tone}>{text}</Tag>;
}

function badgeOf(checks: PreviewReachCheck[]): [string, Tone] {
  const allowed = checks.filter((c) => c.allowed);
  if (checks.some((c) => c.code === "needs_review")) return ["Needs review", "amber"];
  if (allowed.length === checks.length) return ["All", "green"];
  if (allowed[0]) return [word(allowed[0].purpose), "blue"];
  return badges[checks[0]?.code ?? ""] ?? ["Not possible", "gray"];
}

/** Oct 10 · Express written consent, or the words that revoked it. */
export function consentNote(check: PreviewReachCheck, record: Consent | undefined): string {
  if (check.code === "consent_missing") return "No consent on file";
  const what = record?.raw_text ? `“${excerpt(record.raw_text)}”` : check.basis ? `${word(check.basis)} consent` : check.reason;
  return [check.since && when(check.since), what].filter(Boolean).join(" · ");
}

/** What is loaded with a lead. A boat needs a scope of its own. */
export function leadExpansions(): PreviewLeadExpansion[] {
  return ["contact", "owner", "last_message", ...(can("hulls:read") ? (["hull"] as const) : [])];
}

/** Who sent a message of the dealership: You, Marcus Bell, the name of an app, or Automatic. */
export function senderOf(m: LeadMessage): string {
  if (!m.sent_by) return m.automatic ? "Automatic" : "Us";
  return m.sent_by.id === session.user.id ? "You" : m.sent_by.label;
}

const tones: Partial<Record<PreviewLead["status"], Tone>> = { new: "blue", working: "green", converted: "dark" };

/** What to notice about a lead, in a word or two. */
export function markOf(lead: PreviewLead): [string, Tone] {
  if (lead.needs_review) return ["Needs review", "amber"];
  const days = Math.floor((Date.now() - Date.parse(lead.last_touched_at)) / 86_400_000);
  if (lead.stalled_at) return [days > 1 ? `Stalled ${days} days` : "Stalled", "amber"];
  return [word(lead.status), tones[lead.status] ?? "gray"];
}

/** 2024 Grady-White Freedom 235, or what the lead is looking for. */
export function leadTitle(lead: PreviewLead): string {
  return lead.hull ? boatName(lead.hull) : (lead.interest ?? (lead.source_detail || word(lead.source)));
}
