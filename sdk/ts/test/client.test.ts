import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { ConnectionError, SlipwayError, VERSION, type ResponseInfo } from "../src/index.ts";
import { drops, fails, ok, reply, script, vanishes, type Step } from "./script.ts";

const html = "<html><body>Bad Gateway</body></html>";

const cases: [what: string, steps: Step[], waits: number[], code?: string][] = [
  ["succeeds", [ok], []],
  ["dropped after the headers", [drops, ok], [0.5]],
  ["no response", [vanishes, vanishes, ok], [0.5, 1]],
  ["429 with Retry-After", [fails(429, "rate_limited", { "Retry-After": "2" }), ok], [2]],
  ["503 twice", [fails(503, "unavailable"), fails(503, "unavailable"), ok], [0.5, 1]],
  ["503 with Retry-After", [fails(503, "unavailable", { "Retry-After": "30" }), ok], [30]],
  ["409 with Retry-After", [fails(409, "conflict", { "Retry-After": "1" }), ok], [1]],
  ["409", [fails(409, "conflict")], [], "conflict"],
  ["422", [fails(422, "unprocessable")], [], "unprocessable"],
  ["HTML of a proxy", [reply(502, html), reply(502, html), reply(502, html), reply(502, html)], [0.5, 1, 2], "server_error"],
  ["a page of a proxy with 200", [reply(200, html)], [], "server_error"],
  ["a long Retry-After", [fails(503, "unavailable", { "Retry-After": "3600" })], [], "unavailable"],
];

for (const [what, steps, waits, code] of cases) {
  test(`retries: ${what}`, async (t) => {
    t.mock.method(Math, "random", () => 1);
    const s = script(steps);
    const contact = s.slipway.contacts.create({ last_name: "Bell" });
    if (code) await assert.rejects(contact, (e) => e instanceof SlipwayError && e.code === code);
    else assert.equal((await contact).id, "con_1");
    assert.equal(s.requests.length, steps.length);
    assert.deepEqual(s.waits, waits);
    assert.equal(s.keys().length, 1);
    assert.match(s.keys()[0] ?? "", /^[0-9a-f-]{36}$/);
    for (const r of s.requests) assert.equal(r.body, '{"last_name":"Bell"}');
  });
}

test("reads and deletes are retried without keys", async () => {
  const s = script([vanishes, ok, vanishes, reply(204, null)]);
  await s.slipway.contacts.get("con_1");
  assert.equal(await s.slipway.contacts.erase("con_1", { ifVersion: 3 }), undefined);
  assert.deepEqual(s.keys(), [undefined]);
  assert.equal(s.requests[3]?.headers["If-Match"], '"3"');
});

test("each write has its own key, or yours", async () => {
  const s = script([ok, ok, fails(503, "unavailable"), ok]);
  const key = "7c0c1b4e-2f1d-4a3b-9a57-3f8f4f3d2a10";
  await s.slipway.contacts.create({ last_name: "Bell" });
  await s.slipway.contacts.create({ last_name: "Bell" });
  await s.slipway.contacts.create({ last_name: "Bell" }, { idempotencyKey: key });
  assert.equal(s.keys().length, 3);
  assert.equal(s.keys()[2], key);
});

test("without a response, the error has the cause", async () => {
  const s = script([vanishes], { maxRetries: 0 });
  await assert.rejects(s.slipway.hulls.get("hull_1"), (e) =>
    e instanceof ConnectionError && e.message === "GET /v1/hulls/hull_1: fetch failed" && e.cause instanceof TypeError);
});

test("the message has the reason that fetch hides in a cause", async () => {
  const refused = Object.assign(new Error(""), { code: "ECONNREFUSED" });
  const s = script([() => { throw new TypeError("fetch failed", { cause: refused }); }], { maxRetries: 0 });
  await assert.rejects(s.slipway.hulls.get("hull_1"), { name: "ConnectionError", message: "GET /v1/hulls/hull_1: fetch failed: ECONNREFUSED" });
});

test("a missing key fails immediately, and null sends requests without one", async () => {
  for (const key of [undefined, ""]) assert.throws(() => script([], { key }), { name: "TypeError", message: /SLIPWAY_KEY/ });
  const s = script([ok], { key: null });
  await s.slipway.contacts.get("con_1");
  assert.equal(s.requests[0]!.headers["Authorization"], undefined);
});

test("a signal ends the wait", async () => {
  const abort = new AbortController();
  const s = script([fails(503, "unavailable", { "Retry-After": "30" })]);
  const reason = new Error("the user left");
  const never = script([fails(503, "unavailable", { "Retry-After": "30" })], {
    sleep: async (_, signal) => {
      abort.abort(reason);
      signal?.throwIfAborted();
    },
  });
  await assert.rejects(never.slipway.hulls.get("hull_1", { signal: abort.signal }), reason);
  await assert.rejects(s.slipway.hulls.get("hull_1", { signal: abort.signal }), reason);
  assert.equal(s.requests.length, 0);
});

test("the default wait ends with the signal", async () => {
  const abort = new AbortController();
  const leaves: Step = () => {
    setImmediate(() => abort.abort("left"));
    return new Response(null, { status: 503 });
  };
  const { slipway } = script([leaves], { sleep: undefined as never });
  await assert.rejects(slipway.hulls.get("hull_1", { signal: abort.signal }), (e) => e === "left");
});

test("an attempt that takes too long is retried", async () => {
  const hangs: Step = (_, init) => new Promise((_, reject) => init.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
  const s = script([hangs, ok]);
  assert.equal((await s.slipway.contacts.get("con_1", { timeout: 20 })).id, "con_1");
});

test("errors name the fields", async () => {
  const s = script([fails(422, "unprocessable"), reply(404, html)]);
  await assert.rejects(s.slipway.hulls.update("hull_1", { title: "x" }), (e) => {
    assert.ok(e instanceof SlipwayError);
    assert.deepEqual([e.field("title"), e.field("model"), e.requestId, e.status], ["is too long", undefined, "req_1", 422]);
    return true;
  });
  await assert.rejects(s.slipway.hulls.get("hull_1"), (e) =>
    e instanceof SlipwayError && e.status === 404 && e.code === "server_error" && e.requestId === "req_1");
});

test("requests", async () => {
  const s = script([ok, reply(200, '{"data": []}'), ok], { headers: { "X-Client-Request-Id": "7" } });
  await s.slipway.hulls.update("hull/1", { title: "Winterized", stock_number: null }, { ifVersion: 4 });
  const [patch] = s.requests;
  assert.equal(`${patch?.method} ${patch?.url} ${patch?.body}`, 'PATCH /v1/hulls/hull%2F1 {"title":"Winterized","stock_number":null}');
  const { "Idempotency-Key": _, ...headers } = patch?.headers ?? {};
  assert.deepEqual(headers, {
    "Service-Version": VERSION, "X-Client-Request-Id": "7", "Content-Type": "application/json", "If-Match": '"4"', Authorization: "Bearer sk_test_1",
  });

  await s.slipway.preview.hulls.list({ make: "Grady-White", year_min: 2020, archived: false, expand: ["location", "pricing"] });
  assert.equal(s.requests[1]?.url, "/v2-preview/hulls?make=Grady-White&year_min=2020&archived=false&expand=location%2Cpricing");

  let requestId;
  await s.slipway.hulls.archive("hull_1", undefined, { onResponse: (r) => (requestId = r.headers.get("Request-Id")) });
  assert.deepEqual([requestId, s.requests[2]?.body, s.requests[2]?.headers["Content-Type"]], ["req_1", "", undefined]);
});

test("an error of your own function is not retried", async () => {
  const s = script([ok]);
  const reason = new Error("mine");
  await assert.rejects(s.slipway.contacts.get("con_1", { onResponse: () => { throw reason; } }), reason);
});

test("an empty ID is not sent", () => {
  const s = script([]);
  for (const id of ["", ".", "..", undefined as never]) assert.throws(() => s.slipway.hulls.get(id), TypeError);
});

test("hooks see each attempt", async () => {
  const log: string[] = [];
  const s = script([fails(503, "unavailable"), ok], {
    onRequest: (r) => log.push(`${r.method} ${r.path} ${r.attempt}`),
    onResponse: (r: ResponseInfo) => log.push(`${r.status} ${r.requestId} ${r.error === undefined} ${r.idempotencyKey?.length}`),
  });
  await s.slipway.contacts.update("con_1", {});
  assert.deepEqual(log, ["PATCH /v1/contacts/con_1 1", "503 req_1 false 36", "PATCH /v1/contacts/con_1 2", "200 req_1 true 36"]);
});

test("uploads", async () => {
  const s = script([fails(503, "unavailable"), ok, fails(503, "unavailable"), ok, fails(503, "unavailable")]);
  const photo = new Blob(["a photo"], { type: "image/png" });
  await s.slipway.hulls.uploadPhoto("hull_1", photo, { caption: "At the dock" });
  const progress = mock.fn();
  await s.slipway.hulls.uploadPhoto("hull_1", new TextEncoder().encode("a photo"), {}, { contentType: "image/png", onProgress: progress });
  assert.deepEqual(progress.mock.calls.at(-1)?.arguments, [7]);
  const stream = new Response("a photo").body!;
  await assert.rejects(s.slipway.hulls.uploadPhoto("hull_1", stream, {}, { contentType: "image/png" }), SlipwayError);
  assert.equal(s.keys().length, 3);
  for (const r of s.requests) assert.equal(r.body + r.headers["Content-Type"], "a photoimage/png");
  assert.equal(s.requests[0]?.url, "/v1/hulls/hull_1/photos?caption=At+the+dock");
});

test("downloads", async () => {
  const s = script([fails(503, "unavailable"), reply(200, "a photo", { "Content-Type": "image/jpeg" }), fails(404, "not_found")]);
  const response = await s.slipway.hulls.getPhotoContent("hull_1", "pho_1", { variant: "thumb" });
  assert.equal(response.headers.get("Content-Type"), "image/jpeg");
  assert.equal(await response.text(), "a photo");
  await assert.rejects(s.slipway.hulls.getPhotoContent("hull_1", "pho_2"), (e) => e instanceof SlipwayError && e.code === "not_found");
});
