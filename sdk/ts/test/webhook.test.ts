import assert from "node:assert/strict";
import { test } from "node:test";
import { parseWebhook } from "../src/index.ts";
import { cases, check } from "./vectors.ts";

for (const c of cases) test(`webhooks: ${c.what}`, () => check(c));

test("webhooks: invalid secret", async () => {
  for (const secret of ["", "whsec_", "whsec_???"]) await assert.rejects(parseWebhook("{}", {}, secret), TypeError);
});
