// Receives an event. The server must be able to reach this machine: for a server on the same
// machine, set SLIPWAY_ALLOW_PRIVATE_WEBHOOKS.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Slipway, parseWebhook, type Event, type WebhookWithSecret } from "slipway-sdk";

const slipway = new Slipway({ baseUrl: process.env["SLIPWAY_URL"] ?? "", key: process.env["SLIPWAY_KEY"] ?? "" });

/** Narrowing the type of the event narrows its object. */
function show(event: Event): void {
  switch (event.type) {
    case "hull.price_changed": {
      const { object, previous } = event.data;
      console.log(`${event.type}: ${object.model} from ${previous.price_usd} to ${object.price_usd}`);
      break;
    }
    default:
      console.log("Ignored:", event.type);
  }
}

let webhook: WebhookWithSecret | undefined;
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  let event;
  try {
    event = await parseWebhook(Buffer.concat(chunks), request.headers, webhook?.secret ?? ""); // verifies the signature and the time
  } catch {
    return void response.writeHead(400).end();
  }
  response.writeHead(204).end(); // respond first, then work
  show(event);
  if (webhook) await slipway.webhooks.delete(webhook.id);
  server.close();
});

await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as AddressInfo;
webhook = await slipway.webhooks.create({ url: `http://127.0.0.1:${port}`, events: ["hull.price_changed"] });
for (const h of (await slipway.hulls.list({ limit: 1 })).data) {
  await slipway.hulls.adjustPricing(h.id, { price_usd: 67500, reason: "Winter sale" });
}
