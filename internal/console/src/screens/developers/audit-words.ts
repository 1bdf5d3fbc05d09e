// What the audit log and events say, in words: sentences for actions, and names and values of fields.
import type { PreviewMoney } from "../../api.ts";
import { cents, count, date, dateTime, money, number, usd } from "../../format.ts";
import type { IconName } from "../../parts/icon.tsx";
import { word } from "../../words.ts";

/** Returns what people call the object with an ID. */
export type NameOf = (id: string) => string | undefined;

/** Before and after, by field. */
export type Changes = Record<string, readonly unknown[]>;

/** What each action did. {} is the object. Other actions are the verb and the object. */
const sentences: Record<string, string> = {
  "hull.created": "Added {}", "hull.created_again": "Added {} again", "hull.updated": "Changed {}", "hull.price_changed": "Changed the price of {}",
  "hull.status_changed": "Changed the status of {}", "hull.archived": "Archived {}", "hull.sold": "Sold {}", "hull.photos_added": "Added photos of {}",
  "hull.specs_replaced": "Changed the specifications of {}", "hull.syndicated": "Listed {}", "hull.syndication_queued": "Asked to list {}",
  "hull.syndication_rejected": "The listing of {} was rejected", "hull.syndication_removed": "Took down a listing of {}", "hull.hold_overridden": "Overrode the hold of {}",
  "hull_pricing.adjusted": "Changed the pricing of {}", "hull_photo.deleted": "Deleted a photo", "hull_photo.updated": "Changed a photo",
  "listing_agreement.saved": "Saved the listing agreement of {}", "listing_agreement.removed": "Removed the listing agreement of {}",
  "import.created": "Uploaded an import", "import.repaired": "Repaired rows of an import", "import.restarted": "Started an import", "import.completed": "Completed an import", "import.failed": "An import failed",
  "lead.created": "Recorded the lead of {}", "lead.updated": "Changed the lead of {}", "lead.assigned": "Assigned the lead of {}", "lead.converted": "Opened a deal for {}",
  "lead.lost": "Closed the lead of {}", "lead.qualified": "Qualified the lead of {}", "lead.stalled": "The lead of {} stalled", "lead.signal_recorded": "Recorded interest of {}",
  "lead.message_queued": "Wrote to {}", "lead.message_sent": "Sent a message to {}", "lead.message_delivered": "A message to {} was delivered", "lead.message_failed": "A message to {} failed",
  "lead.message_blocked": "A message to {} was blocked", "lead.message_received": "Received a message from {}", "lead.message_unknown": "A message to {} might have been sent",
  "lead.consent_captured": "Recorded consent of {}", "lead.consent_revoked": "Recorded an opt-out of {}", "contact.consent_revoked": "Recorded an opt-out of {}",
  "contact.created": "Added {}", "contact.updated": "Changed {}", "contact.merged": "Merged a duplicate into {}", "contact.erased": "Erased the personal data of {}", "contact.exported": "Exported the personal data of {}",
  "deal.opened": "Opened {}", "deal.updated": "Changed {}", "deal.accepted": "Accepted an offer for {}", "deal.offer_made": "Made an offer for {}", "deal.offer_rejected": "Rejected an offer for {}",
  "deal.offer_withdrawn": "Withdrew an offer for {}", "deal.offer_expired": "An offer for {} expired", "deal.offer_undone": "Undid an offer for {}", "deal.in_finance": "Moved {} to finance",
  "deal.contracted": "Contracted {}", "deal.funded": "Funded {}", "deal.delivered": "Delivered {}", "deal.closed": "Closed {}", "deal.cancelled": "Canceled {}", "deal.reopened": "Reopened {}",
  "deal.unwound": "Undid the sale of {}", "deal.adjusted": "Adjusted {}", "deal.trade_in_added": "Added a trade-in to {}", "deal.trade_in_removed": "Removed a trade-in from {}",
  "deal.trade_in_replaced": "Changed a trade-in of {}", "deal.below_floor": "Tried to sell below the floor: {}", "deal.balance_written_off": "Wrote off the balance of {}",
  "deal.buyer_overridden": "Moved a deposit between buyers of {}",
  "payment.recorded": "Recorded a payment", "payment.refunded": "Refunded a payment", "payment.reversed": "Reversed a payment", "payment.transferred": "Moved a payment to another deal",
  "document.issued": "Issued {}", "document.partially_signed": "Recorded a signature on {}", "document.signed": "{} is signed by everyone", "document.voided": "Voided {}",
  "finance_structure.created": "Added a finance offer", "finance_structure.selected": "Selected a finance offer", "funding.submitted": "Sent a contract to a lender", "funding.updated": "Changed a contract with a lender",
  "appointment.created": "Booked an appointment", "appointment.updated": "Changed an appointment", "appointment.canceled": "Canceled an appointment", "appointment.reminder_sent": "Sent a reminder of an appointment",
  "activity.created": "Added a note or a task", "activity.updated": "Changed a note or a task", "activity.deleted": "Deleted a note or a task",
  "session.started": "Signed in", "session.ended": "Signed out", "session.rotated": "Confirmed the sign-in again", "auth.failed": "A sign-in or a credential was rejected",
  "user.provisioned": "Invited {}", "user.activated": "Activated {}", "user.deactivated": "Deactivated {}", "user.updated": "Changed {}", "user.roles_assigned": "Changed the roles of {}",
  "user.password_changed": "Changed the password of {}", "user.password_reset": "Reset the password of {}", "user.unlocked": "Unlocked {}", "user.sso_linked": "Linked {} to the identity provider",
  "user.calendar_created": "Created the calendar address of {}", "user.calendar_revoked": "Revoked the calendar address of {}", "user.calendar_handed_over": "Handed over the calendar address of {}",
  "user.scim_updated": "Changed {} from the identity provider", "user.scim_deleted": "Removed {} from the identity provider",
  "mfa_factor.enrolled": "Started to set up a two-factor method", "mfa_factor.verified": "Set up a two-factor method", "mfa_factor.removed": "Deleted a two-factor method", "recovery_code.used": "Used a recovery code",
  "role.created": "Created the role {}", "role.updated": "Changed the role {}", "role.deleted": "Deleted the role {}",
  "api_key.created": "Created the API key {}", "api_key.rotated": "Rotated the API key {}", "api_key.revoked": "Revoked the API key {}", "api_key.used": "Used the API key {}", "api_key.handed_over": "Handed over the API key {}",
  "token.granted": "Gave an app access", "token.refreshed": "Renewed the access of an app", "token.revoked": "Ended the access of an app", "token.used": "Used the access of an app",
  "app.installed": "Installed an app", "app.uninstalled": "Removed an app", "app.secret_rotated": "Rotated the secret of an app",
  "location.created": "Added the location {}", "location.updated": "Changed the location {}", "location.deleted": "Deleted the location {}",
  "dealership.created": "Created the dealership", "dealership.updated": "Changed the settings of the dealership",
  "audit.read": "Read the audit log", "delivery.retried": "Sent an event to a webhook again", "event.triggered": "Sent a sample event", "quarantined_message.deleted": "Deleted a message in quarantine",
  "proposal.created": "Proposed a change", "proposal.approved": "Approved a proposal", "proposal.declined": "Declined a proposal", "proposal.expired": "A proposal expired", "proposal.failed": "An approved proposal failed",
};

/** Actions whose sentence says that they were refused. */
const refusals = ["auth.failed", "deal.below_floor", "lead.message_blocked", "hull.syndication_rejected"];

/** What an action did, with {} where the object belongs. */
export function sentence(action: string): string {
  if (sentences[action]) return sentences[action];
  const [noun = "", verb = ""] = action.split(".");
  return `${word(verb)}: {}`.replace("{}", one(noun));
}

export function isRefused(entry: { action: string; outcome?: string }): boolean {
  return entry.outcome === "failure" || refusals.includes(entry.action);
}

/** Prefixes of IDs and what they are. */
const kinds: Record<string, string> = {
  hull: "a boat", lead: "a lead", con: "a contact", deal: "a deal", usr: "a person", loc: "a location", role: "a role", key: "an API key", chn: "a channel", doc: "a document",
  pay: "a payment", apt: "an appointment", cmp: "a campaign", plan: "a plan", tpl: "a template", whk: "a webhook", app: "an app", msg: "a message", off: "an offer", prp: "a proposal", evt: "an event",
};

/** What kind of object an ID is: a boat. */
export function kindOf(id: string): string {
  return kinds[id.split("_")[0]!] ?? "an object";
}

function one(noun: string): string {
  const text = word(noun);
  const low = /^[A-Z]{2}/.test(text) ? text : text[0]!.toLowerCase() + text.slice(1);
  return `${/^[aeiouAEIO]/.test(low) ? "an" : "a"} ${low}`;
}

const icons: Record<string, IconName> = {
  hull: "boat", hull_photo: "photo", hull_pricing: "price", listing_agreement: "document", import: "upload", lead: "inbox", contact: "contacts", deal: "deal", payment: "price", document: "document",
  finance_structure: "deal", funding: "deal", appointment: "calendar", activity: "note", session: "account", user: "account", role: "account", mfa_factor: "lock", recovery_code: "lock", api_key: "key", token: "key",
  webhook: "webhook", delivery: "webhook", event: "event", audit: "audit", location: "move", dealership: "settings", proposal: "approve", campaign: "send", channel: "globe",
};

export function iconOf(action: string): IconName {
  if (action.startsWith("lead.message")) return "message";
  return icons[action.split(".")[0]!] ?? "settings";
}

/** What a summary counts, by the start of the action: one and many. The first that matches decides. Others aren't counted. */
const counted: Array<[start: string, one?: string, many?: string]> = [
  ["session."], ["audit."], ["api_key.used"], ["token."], ["hull_pricing."], ["lead.message_queued", "message", "messages"], ["lead.message"], ["deal.offer", "offer", "offers"],
  ["hull.price", "price", "prices"], ["hull.created", "new boat", "new boats"], ["hull.", "change of a boat", "changes of boats"], ["hull_photo.", "photo", "photos"],
  ["lead.created", "new lead", "new leads"], ["lead.", "change of a lead", "changes of leads"], ["contact.exported", "export", "exports"], ["contact.", "change of a contact", "changes of contacts"],
  ["deal.", "change of a deal", "changes of deals"], ["payment.", "payment", "payments"], ["document.", "document", "documents"], ["appointment.", "appointment", "appointments"],
  ["activity.", "note or task", "notes or tasks"], ["funding.", "step of a lender", "steps of lenders"], ["user.", "change of a person", "changes of people"], ["role.", "change of a role", "changes of roles"],
  ["dealership.", "change of settings", "changes of settings"], ["location.", "change of settings", "changes of settings"], ["", "other change", "other changes"],
];

export interface Summary {
  changes: number;
  refused: number;
  /** 2 offers, 5 messages, 1 appointment */
  parts: string;
}

/** Counts what was done. */
export function summarize(entries: Array<{ action: string; outcome?: string }>): Summary {
  const by = new Map<string, { n: number; many: string }>();
  let refused = 0;
  for (const entry of entries) {
    const [, one, many = ""] = counted.find(([start]) => entry.action.startsWith(start))!;
    if (isRefused(entry)) refused++;
    else if (one) by.set(one, { n: (by.get(one)?.n ?? 0) + 1, many });
  }
  const sorted = [...by].sort(([, a], [, b]) => b.n - a.n);
  return { changes: sorted.reduce((sum, [, { n }]) => sum + n, 0), refused, parts: sorted.map(([one, { n, many }]) => count(n, one, many)).join(", ") };
}

/** Fields that say nothing to people. The JSON has them. */
const technical = new Set([
  "id", "env", "version", "revision", "sequence", "created_at", "updated_at", "public_id", "prefix", "sha256", "user_agent", "ip", "hin_warnings", "unrecorded_consents", "provider", "segments",
  "consent_id", "hour", "original_id", "metadata", "object", "origin", "size_bytes", "service_version", "sent_by", "hash", "content_type",
]);

const labels: Record<string, string> = {
  hin: "HIN", msrp_usd: "MSRP", apr_percent: "APR", hp: "Horsepower", hull_id: "Boat", lead_id: "Lead", owner_id: "Owner", buyer_id: "Buyer", published_channels: "Channels", photo_count: "Photos",
  own_locations: "Only their own locations", mfa_required: "Two-factor required", sso_subject: "ID at the identity provider", refusals: "Refused so far", written_off_cents: "Written off", stock_state: "Stock",
};

/** price_usd is Price. */
export function fieldName(name: string): string {
  return labels[name] ?? word(name.replace(/_(usd|cents|at|on|ids?|percent|ft|lb|kn)$/, ""));
}

const idPattern = /^[a-z]{2,8}_[0-9a-hjkmnp-tv-z]{26}$/;

/** A value for people. Undefined if there is none. */
export function fieldValue(name: string, value: unknown, nameOf: NameOf): string | undefined {
  if (isEmpty(value)) return undefined;
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "number") {
    if (name.endsWith("_usd")) return usd(value);
    if (name.endsWith("_cents")) return cents(value);
    if (/^(year|number)$/.test(name)) return String(value);
    const unit = /_(ft|lb|kn|hours|days|minutes|gal)$/.exec(name)?.[1];
    return number(value) + (unit ? " " + unit : name.endsWith("_percent") ? "%" : "");
  }
  if (Array.isArray(value)) return typeof value[0] === "object" ? count(value.length, "entry", "entries") : value.map((v) => fieldValue(name, v, nameOf)).join(", ");
  if (isMoney(value)) return money(value);
  if (typeof value === "object") return Object.entries(value!).flatMap(([n, v]) => (isEmpty(v) || technical.has(n) ? [] : [`${fieldName(n)} ${fieldValue(n, v, nameOf)}`])).join(", ") || undefined;
  const text = String(value);
  if (idPattern.test(text)) return nameOf(text) ?? kindOf(text);
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return dateTime(text);
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return date(text);
  if (name.endsWith("_percent") && /^[\d.]+$/.test(text)) return text + "%";
  return /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(text) ? word(text) : text;
}

function isMoney(value: unknown): value is PreviewMoney {
  return isObject(value) && "amount" in (value as object) && "currency" in (value as object);
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === "" || (typeof value === "object" && Object.values(value).every(isEmpty));
}

export interface FieldChange {
  label: string;
  from: string | undefined;
  to: string | undefined;
  /** Whether it is an amount, which lines show at the end. */
  isMoney: boolean;
}

/** The changes that people care about. Objects are divided into their fields. */
export function changesOf(changes: Changes, nameOf: NameOf, inside = ""): FieldChange[] {
  return Object.entries(changes).flatMap(([name, [before, after]]): FieldChange[] => {
    if (technical.has(name)) return [];
    if (!inside && (isObject(before) || isObject(after)) && !isMoney(before ?? after)) {
      const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
      const parts = Object.fromEntries(names.map((n) => [n, [(before as Changes | null)?.[n], (after as Changes | null)?.[n]]] as const));
      return changesOf(parts, nameOf, fieldName(name));
    }
    const [from, to] = [fieldValue(name, before, nameOf), fieldValue(name, after, nameOf)];
    const isSame = from === to && JSON.stringify(before) === JSON.stringify(after);
    if (isSame || (from === undefined && to === undefined)) return [];
    const label = inside ? `${inside}: ${fieldName(name).toLowerCase()}` : fieldName(name);
    return [{ label, from, to: from === to ? `${to}, changed` : to, isMoney: /_(usd|cents)$/.test(name) || isMoney(after ?? before) }];
  });
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The IDs in a value. */
export function idsIn(value: unknown): string[] {
  if (typeof value === "string") return idPattern.test(value) ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(idsIn) : [];
}

/** The other objects of a change, such as the buyer of a deal. */
const related = ["contact_id", "buyer_id", "hull_id", "deal_id", "lead_id", "channel_id", "user_id", "owner_id"];

export function relatedTo(changes: Changes, target: string): string[] {
  return [...new Set(related.flatMap((name) => [changes[name]?.[1] ?? changes[name]?.[0]]).filter((id): id is string => typeof id === "string" && id !== target))];
}

/** Whether a change created its object: then every value is new. */
export function isCreation(changes: Changes): boolean {
  return !!changes["id"];
}
