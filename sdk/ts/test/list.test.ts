import assert from "node:assert/strict";
import { test } from "node:test";
import type { HullListParams } from "../src/index.ts";
import { drops, fails, reply, script, type Step } from "./script.ts";

const page = (ids: string[], next: string | null) =>
  reply(200, JSON.stringify({ data: ids.map((id) => ({ id })), has_more: next !== null, next_cursor: next, prev_cursor: ids[0] }));
const first = page(["hull_3", "hull_2"], "hull_2");
const last = page(["hull_1"], null);
const start = "/v1/hulls?limit=100";
const next = "/v1/hulls?limit=100&starting_after=hull_2";

const cases: [what: string, steps: Step[], most: number, query: HullListParams, want: string[], urls: string[]][] = [
  ["all pages", [first, last], 9, { make: "Grady-White" }, ["hull_3", "hull_2", "hull_1"],
    ["/v1/hulls?limit=100&make=Grady-White", "/v1/hulls?limit=100&make=Grady-White&starting_after=hull_2"]],
  ["pages of your size", [first, last], 9, { limit: 2 }, ["hull_3", "hull_2", "hull_1"], ["/v1/hulls?limit=2", "/v1/hulls?limit=2&starting_after=hull_2"]],
  ["ends early", [first], 2, {}, ["hull_3", "hull_2"], [start]],
  ["a page is retried", [first, fails(503, "unavailable"), drops, last], 9, {}, ["hull_3", "hull_2", "hull_1"], [start, next, next, next]],
  ["newer objects", [first], 9, { ending_before: "hull_1" }, ["hull_3", "hull_2"], ["/v1/hulls?limit=100&ending_before=hull_1"]],
];

for (const [what, steps, most, query, want, urls] of cases) {
  test(`lists: ${what}`, async () => {
    const s = script(steps);
    const got: string[] = [];
    for await (const hull of s.slipway.hulls.list(query)) {
      if (got.push(hull.id) === most) break;
    }
    assert.deepEqual(got, want);
    assert.deepEqual(s.requests.map((r) => r.url), urls);
  });
}

test("a page that fails ends the list", async () => {
  const s = script([first, fails(403, "forbidden")]);
  const got: string[] = [];
  await assert.rejects(async () => {
    for await (const hull of s.slipway.hulls.list()) got.push(hull.id);
  }, { code: "forbidden" });
  assert.deepEqual(got, ["hull_3", "hull_2"]);
});

test("await returns one page", async () => {
  const s = script([first, first]);
  await s.slipway.hulls.list();
  assert.equal(s.requests[0]!.url, "/v1/hulls"); // the server chooses the size of a single page
  const { data, has_more, next_cursor, prev_cursor } = await s.slipway.hulls.list({ limit: 2 });
  assert.deepEqual([data.length, has_more, next_cursor, prev_cursor], [2, true, "hull_2", "hull_3"]);
});

test("a list can be read again", async () => {
  const s = script([first, last, first, last]);
  const list = s.slipway.hulls.list();
  for (const _ of [1, 2]) {
    let count = 0;
    for await (const _ of list) count++;
    assert.equal(count, 3);
  }
});

test("a page that hasn't changed is not sent again", async () => {
  const hulls = (id: string) => JSON.stringify({ data: [{ id }], has_more: false, next_cursor: null, prev_cursor: null });
  const s = script([
    reply(200, hulls("hull_1"), { ETag: '"a"' }), reply(304, null), reply(200, hulls("hull_2"), { ETag: '"b"' }),
    fails(503, "unavailable"), reply(304, null), page(["hull_3"], null),
  ]);
  const got: string[] = [];
  for (let i = 0; i < 4; i++) got.push((await s.slipway.hulls.list()).data[0]!.id);
  got.push((await s.slipway.hulls.list({ make: "Pursuit" })).data[0]!.id);
  assert.deepEqual(got, ["hull_1", "hull_1", "hull_2", "hull_2", "hull_3"]);
  assert.deepEqual(s.requests.map((r) => r.headers["If-None-Match"]), [undefined, '"a"', '"a"', '"b"', '"b"', undefined]);
});

test("only the pages that were used last are kept", async () => {
  const steps = Array.from({ length: 40 }, () => reply(200, '{"data": []}', { ETag: '"a"' }));
  const s = script(steps);
  for (let i = 0; i < 38; i++) await s.slipway.hulls.list({ make: String(i) });
  await s.slipway.hulls.list({ make: "37" });
  await s.slipway.hulls.list({ make: "0" });
  assert.deepEqual(s.requests.slice(-2).map((r) => r.headers["If-None-Match"]), ['"a"', undefined]);
});
