import assert from "node:assert/strict";
import { test } from "node:test";
import { SignatureError, parseWebhook } from "../src/index.ts";

// The test vector of https://github.com/standard-webhooks/standard-webhooks.
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const seconds = 1614265330;
const body = '{"test": 2432232314}';
const signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
const other = "v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

interface Case { body?: string | Uint8Array; signature?: string; secret?: string; late?: number }

const cases: [what: string, valid: boolean, change: Case][] = [
  ["vector", true, {}],
  ["bytes", true, { body: new TextEncoder().encode(body) }],
  ["secret without prefix", true, { secret: secret.slice(6) }],
  ["two signatures", true, { signature: `${other} ${signature}` }],
  ["another version", true, { signature: `v1a,abc ${signature}` }],
  ["five minutes late", true, { late: 300 }],
  ["five minutes early", true, { late: -300 }],
  ["too late", false, { late: 301 }],
  ["too early", false, { late: -301 }],
  ["changed byte", false, { body: '{"test": 2432232315}' }],
  ["another secret", false, { secret: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }],
  ["another signature", false, { signature: other }],
  ["only another version", false, { signature: signature.replace("v1", "v2") }],
  ["no signature", false, { signature: "" }],
  ["signature is not base64", false, { signature: "v1,???" }],
];

function parse(change: Case, without?: string) {
  const headers: Record<string, string> = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": String(seconds),
    "webhook-signature": change.signature ?? signature,
  };
  if (without) delete headers[without];
  return parseWebhook(change.body ?? body, new Headers(headers), change.secret ?? secret, (seconds + (change.late ?? 0)) * 1000);
}

for (const [what, valid, change] of cases) {
  test(`webhooks: ${what}`, async () => {
    if (valid) assert.deepEqual(await parse(change), JSON.parse(body));
    else await assert.rejects(parse(change), SignatureError);
  });
}

test("webhooks: incomplete", async () => {
  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) await assert.rejects(parse({}, name), SignatureError);
  for (const invalid of ["", "whsec_", "whsec_???"]) await assert.rejects(parse({ secret: invalid }), TypeError);
});

test("webhooks: headers of Node.js", async () => {
  const headers = { "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": String(seconds), "webhook-signature": signature };
  assert.ok(await parseWebhook(body, headers, secret, seconds * 1000));
});
