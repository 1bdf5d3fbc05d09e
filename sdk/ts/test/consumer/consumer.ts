// The tour of the README, as a project with older and newer compilers sees it.
import { OAuth, Slipway, SlipwayError, parseWebhook, type Event, type Hull, type HullStatus, type PreviewHull } from "slipway-sdk";

const slipway = new Slipway({ baseUrl: "https://slipway.example.com", key: "sk_test_1" });

export async function tour(secret: string, file: Blob): Promise<void> {
  for await (const h of slipway.hulls.list({ make: "Grady-White", status: "available" })) console.log(h.year, h.model, h.price_usd);
  const { data, next_cursor } = await slipway.leads.list({ needs_review: true, limit: 10 });
  console.log(data.length, next_cursor);
  const h: Hull = await slipway.hulls.get("hull_1");
  try {
    await slipway.hulls.update(h.id, { title: "Winterized", stock_number: null }, { ifVersion: h.version });
  } catch (e) {
    if (!(e instanceof SlipwayError)) throw e;
    console.log(e.code === "conflict" ? "already changed by someone else" : e.field("title"), e.requestId);
  }
  await slipway.hulls.uploadPhoto(h.id, file, {}, { idempotencyKey: "7c0c1b4e-2f1d-4a3b-9a57-3f8f4f3d2a10" });
  await slipway.leads.sendMessage("lead_1", { channel: "sms", purpose: "transactional", body: "Your boat is ready." });
  const next: PreviewHull = await slipway.preview.hulls.get(h.id, { expand: ["location"] });
  console.log(next.price.amount, handle(await parseWebhook("{}", {}, secret)));
}

export function handle(event: Event): string | number | null {
  switch (event.type) {
    case "hull.price_changed": // narrows event.data.object
      return `${event.data.object.model}: ${event.data.previous.price_usd} to ${event.data.object.price_usd}`;
    case "lead.message_received":
      return event.data.object.body;
    default:
      return null;
  }
}

/** An enum is closed, so the compiler knows that every value is handled. */
export function isForSale(status: HullStatus): boolean {
  switch (status) {
    case "available":
    case "on_hold":
      return true;
    case "on_order":
    case "in_transit":
    case "sale_pending":
    case "sold":
    case "delivered":
    case "not_for_sale":
    case "archived":
      return false;
  }
}

export const app = new Slipway({ baseUrl: "https://slipway.example.com", key: new OAuth({ tokenUrl: "", clientId: "app_1" }).token });

// @ts-expect-error a required field is missing
void slipway.hulls.create({ make: "Grady-White" });
// @ts-expect-error not a status
void slipway.hulls.list({ status: "floating" });
// @ts-expect-error a boat must have a make
void slipway.hulls.update("hull_1", { make: null });
