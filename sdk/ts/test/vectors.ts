// The test vector of https://github.com/standard-webhooks/standard-webhooks, and what must be
// rejected. Node.js and browsers run the same cases.
import { SignatureError, parseWebhook } from "../src/webhook.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const seconds = 1614265330;
const body = '{"test": 2432232314}';
const signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
const other = "v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

interface Case {
  what: string;
  valid?: boolean;
  body?: string | Uint8Array;
  signature?: string;
  secret?: string;
  late?: number;
  without?: string;
}

export const cases: Case[] = [
  { what: "vector", valid: true },
  { what: "bytes", valid: true, body: new TextEncoder().encode(body) },
  { what: "secret without prefix", valid: true, secret: secret.slice(6) },
  { what: "two signatures", valid: true, signature: `${other} ${signature}` },
  { what: "another version", valid: true, signature: `v1a,abc ${signature}` },
  { what: "five minutes late", valid: true, late: 300 },
  { what: "five minutes early", valid: true, late: -300 },
  { what: "too late", late: 301 },
  { what: "too early", late: -301 },
  { what: "changed byte", body: '{"test": 2432232315}' },
  { what: "another secret", secret: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" },
  { what: "another signature", signature: other },
  { what: "only another version", signature: signature.replace("v1", "v2") },
  { what: "signature is not base64", signature: "v1,???" },
  { what: "no ID", without: "webhook-id" },
  { what: "no timestamp", without: "webhook-timestamp" },
  { what: "no signature", without: "webhook-signature" },
];

/** Fails if a case has another result than it should. */
export async function check(c: Case): Promise<void> {
  const headers: Record<string, string> = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": String(seconds),
    "webhook-signature": c.signature ?? signature,
  };
  if (c.without) delete headers[c.without];
  for (const form of [headers, new Headers(headers)]) { // as in Node.js, and as in fetch
    let result: unknown;
    try {
      result = await parseWebhook(c.body ?? body, form, c.secret ?? secret, (seconds + (c.late ?? 0)) * 1000);
    } catch (e) {
      result = e;
    }
    const valid = JSON.stringify(result) === JSON.stringify(JSON.parse(body));
    if (c.valid ? !valid : !(result instanceof SignatureError)) throw new Error(`${c.what}: got ${result}`);
  }
}
