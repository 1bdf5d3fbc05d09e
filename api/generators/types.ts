// Uses the types of openapi-typescript. It is only compiled: each @ts-expect-error fails if
// the line below it is correct.
import type { components, operations } from "./openapi-typescript.js";

type Schemas = components["schemas"];
type Event = Schemas["Event"];
type HullStatus = Schemas["HullStatus"];
type HullPage = operations["listHulls"]["responses"][200]["content"]["application/json"];

// The type of an event determines the type of its data, without a cast.
export function subject(event: Event): string {
  switch (event.type) {
    case "hull.created":
      return `${event.data.object.make} ${event.data.object.model}`;
    case "deal.cancelled":
      return `deal ${event.data.object.id}`;
  }
  if (event.type === "payment.recorded") {
    // @ts-expect-error A payment has no make.
    return event.data.object.make;
  }
  return event.id;
}

// @ts-expect-error No event has this type.
export const unknownType: Event["type"] = "hull.sunk";

// All pages of a list.
export async function* hulls(base: string, key: string, status: HullStatus): AsyncGenerator<Schemas["Hull"]> {
  const query: operations["listHulls"]["parameters"]["query"] = { status, limit: 100 };
  for (;;) {
    const search = new URLSearchParams(Object.entries(query ?? {}).map(([k, v]) => [k, String(v)]));
    const res = await fetch(`${base}/v1/hulls?${search}`, { headers: { Authorization: `Bearer ${key}` } });
    const page = (await res.json()) as HullPage;
    yield* page.data;
    if (page.next_cursor === null) return;
    query.starting_after = page.next_cursor;
  }
}

// A named enum is the same type everywhere: in objects, in parameters and where it can be null.
export const wanted: HullStatus = "available";
export const fromHull = (hull: Schemas["Hull"]): HullStatus => hull.status;
export const toTransition = (to: HullStatus): Schemas["HullTransition"] => ({ to });
export const keel = (specs: Schemas["HullSpecs"]): Schemas["KeelType"] | null => specs.keel;
// @ts-expect-error No hull has this status.
export const sunk: HullStatus = "sunk";

// Money and counts are numbers, and not bigints.
export const total = (deal: Schemas["Deal"]): number => deal.totals.total_cents + deal.version;

// Objects are closed.
// @ts-expect-error A hull has no such property.
export const typo = (hull: Schemas["Hull"]) => hull.stok_number;

// The kind of a two-factor method determines which secret it has.
export function secretOf(enrollment: Schemas["MFAEnrollment"]): string | null {
  if (enrollment.kind === "totp") {
    const secret: string = enrollment.secret;
    return secret;
  }
  const none: null = enrollment.secret;
  return none;
}

// The channel of a message determines whether it has a subject.
type Message = Schemas["LeadMessageSend"];
export const email: Message = { channel: "email", purpose: "transactional", subject: "Your boat", body: "It is ready." };
// @ts-expect-error A text message has no subject.
export const text: Message = { channel: "sms", purpose: "transactional", subject: "Your boat", body: "It is ready." };
