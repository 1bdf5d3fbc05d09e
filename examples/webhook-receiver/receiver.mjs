// Receives events with Node.js 20 or newer, and nothing else.
//
//   SECRET=whsec_... node receiver.mjs
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const secret = process.env.SECRET ?? "";
const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
if (!key.length) throw new Error("Set SECRET to the signing secret of the webhook.");
const seen = new Set(); // a real receiver stores these IDs with what it did

/** Verifies a message as https://www.standardwebhooks.com describes. */
function isGenuine(headers, body) {
  const id = headers["webhook-id"], timestamp = headers["webhook-timestamp"];
  if (!id || !(Math.abs(Date.now() / 1000 - timestamp) <= 300)) return false;
  const want = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  return String(headers["webhook-signature"]).split(" ").some((part) => { // one for each active secret
    const got = Buffer.from(part.replace(/^v1,/, ""), "base64");
    return part.startsWith("v1,") && got.length === want.length && timingSafeEqual(got, want);
  });
}

createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts); // the bytes as they were received
  if (!isGenuine(request.headers, body)) return response.writeHead(400).end();
  response.writeHead(204).end(); // respond first, then work

  const event = JSON.parse(body);
  if (seen.has(event.id)) return; // a message can come twice
  seen.add(event.id);
  console.log(event.type, event.data.object.id);
}).listen(process.env.PORT ?? 3000);
