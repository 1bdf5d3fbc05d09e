// The types of events, and the field that chooses them.
import type { EventType } from "../../api.ts";
import type { FormState } from "../../form.tsx";
import { can, type Scope } from "../../session.ts";
import { word } from "../../words.ts";
import { split, useLabel } from "../choices.tsx";

type Noun = EventType extends `${infer N}.${string}` ? N : never;
type VerbOf<N extends Noun> = Extract<EventType, `${N}.${string}`> extends `${N}.${infer V}` ? V : never;

/** All event types by noun, and the scopes to read them. The types of the SDK make sure that none is missing. */
const verbs: { [N in Noun]: Record<VerbOf<N>, 1> } = {
  hull: { archived: 1, created: 1, photos_added: 1, price_changed: 1, sold: 1, specs_replaced: 1, status_changed: 1, syndicated: 1, syndication_queued: 1, syndication_rejected: 1, syndication_removed: 1, updated: 1 },
  hull_photo: { deleted: 1, updated: 1 },
  import: { completed: 1, created: 1, failed: 1, repaired: 1, restarted: 1 },
  channel: { created: 1, deleted: 1, feed_url_created: 1, feed_url_revoked: 1, secret_rotated: 1, updated: 1 },
  lead: { assigned: 1, consent_captured: 1, consent_revoked: 1, converted: 1, created: 1, lost: 1, message_blocked: 1, message_delivered: 1, message_failed: 1, message_queued: 1, message_received: 1, message_sent: 1, message_unknown: 1, qualified: 1, signal_recorded: 1, stalled: 1, updated: 1 },
  contact: { consent_captured: 1, consent_revoked: 1, created: 1, erased: 1, merged: 1, updated: 1 },
  contact_import: { completed: 1, created: 1, failed: 1, repaired: 1, restarted: 1 },
  appointment: { canceled: 1, created: 1, reminder_sent: 1, updated: 1 },
  quarantine: { started: 1 },
  campaign: { completed: 1, created: 1, deleted: 1, started: 1, stopped: 1, updated: 1 },
  follow_up_plan: { created: 1, deleted: 1, updated: 1 },
  lead_plan: { finished: 1, started: 1, step_done: 1, stopped: 1 },
  lead_segment: { created: 1, deleted: 1, updated: 1 },
  message_template: { created: 1, deleted: 1, updated: 1 },
  do_not_call_list: { created: 1, deleted: 1 },
  activity: { created: 1, deleted: 1, updated: 1 },
  deal: { accepted: 1, adjusted: 1, cancelled: 1, closed: 1, contracted: 1, delivered: 1, funded: 1, in_finance: 1, offer_expired: 1, offer_made: 1, offer_rejected: 1, offer_undone: 1, offer_withdrawn: 1, opened: 1, reopened: 1, trade_in_added: 1, trade_in_removed: 1, trade_in_replaced: 1, unwound: 1, updated: 1 },
  payment: { recorded: 1, refunded: 1, reversed: 1, transferred: 1 },
  document: { issued: 1, partially_signed: 1, signed: 1, voided: 1 },
  finance_structure: { created: 1, selected: 1 },
  funding: { submitted: 1, updated: 1 },
  listing_agreement: { removed: 1, saved: 1 },
  location: { created: 1, deleted: 1, updated: 1 },
  dealership: { created: 1, updated: 1 },
  user: { activated: 1, deactivated: 1, provisioned: 1, roles_assigned: 1, updated: 1 },
  role: { created: 1, deleted: 1, updated: 1 },
  api_key: { created: 1, revoked: 1, rotated: 1 },
  app: { created: 1, deleted: 1, installed: 1, reauthorized: 1, secret_rotated: 1, uninstalled: 1, updated: 1 },
  sso_connection: { created: 1, deleted: 1, updated: 1 },
  proposal: { approved: 1, created: 1, declined: 1, expired: 1, failed: 1 },
  webhook: { disabled: 1, test: 1 },
};

const inventory = ["hull", "hull_photo", "import", "channel", "location"];
const people = ["lead", "contact", "contact_import", "appointment", "quarantine", "campaign", "follow_up_plan", "lead_plan", "lead_segment", "message_template", "do_not_call_list"];
const sales = ["deal", "payment", "document", "finance_structure", "funding", "listing_agreement"];

/** Reports whether the user can read the events of a noun. */
function readable(noun: string): boolean {
  const need = (...scopes: Scope[]) => scopes.every(can);
  if (inventory.includes(noun)) return need("hulls:read");
  if (people.includes(noun)) return need("leads:read");
  if (sales.includes(noun)) return need("deals:read");
  if (noun === "activity") return need("hulls:read", "leads:read", "deals:read");
  return noun === "webhook" || need("admin");
}

/** The nouns whose events the user can read. */
export function nouns(): string[] {
  return Object.keys(verbs).filter(readable);
}

/** The types of events that the user can read. */
export function eventTypes(): string[] {
  return nouns().flatMap((noun) => Object.keys(verbs[noun as Noun]).map((verb) => `${noun}.${verb}`));
}

/** Reports whether a pattern such as hull.* includes a type. */
export function includes(patterns: string[], type: string): boolean {
  return patterns.some((p) => p === "*" || p === type || (p.endsWith(".*") && type.startsWith(p.slice(0, -1))));
}

/** Chooses types and patterns. The value has them separated by spaces. */
export function EventPicker({ form }: { form: FormState<{ url: string; description: string; events: string }> }) {
  const chosen = split(form.values.events);
  useLabel({ form, name: "events", label: "Events" });
  const set = (next: string[]) => form.set("events", next.join(" "));
  const toggle = (pattern: string, on: boolean, covered: (c: string) => boolean) => set(on ? [...chosen.filter((c) => !covered(c)), pattern] : chosen.filter((c) => c !== pattern));
  const box = (pattern: string, title: string, covered: (c: string) => boolean, implied = false) => (
    <label key={pattern} class="check-line">
      <input type="checkbox" checked={implied || chosen.includes(pattern)} disabled={implied} onChange={(e) => toggle(pattern, e.currentTarget.checked, covered)} />
      <span>{title}</span>
    </label>
  );
  const all = chosen.includes("*");
  return (
    <fieldset class="checklist">
      <legend>Events</legend>
      {box("*", "All events, also types that are added later", () => true)}
      {!all && nouns().map((noun) => {
        const types = Object.keys(verbs[noun as Noun]);
        const whole = chosen.includes(noun + ".*");
        const some = chosen.filter((c) => c.startsWith(noun + ".")).length;
        return (
          <details key={noun} open={some > 0 && !whole}>
            <summary>{word(noun)}{some > 0 && <b> {whole ? "all" : some}</b>}</summary>
            {box(noun + ".*", `All ${word(noun).toLowerCase()} events`, (c) => c.startsWith(noun + "."))}
            {types.map((t) => box(`${noun}.${t}`, `${noun}.${t}`, () => false, whole))}
          </details>
        );
      })}
      {form.errors.events && <p class="field-error">{form.errors.events}</p>}
    </fieldset>
  );
}
