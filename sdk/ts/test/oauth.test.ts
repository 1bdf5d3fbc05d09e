import assert from "node:assert/strict";
import { test } from "node:test";
import { ConnectionError, OAuth, type OAuthConfig, type Tokens } from "../src/index.ts";
import { ok, script } from "./script.ts";

/** A credential whose token endpoint calls answer with the number of the request. */
function oauth(answer: (n: number, form: URLSearchParams) => Response | Promise<Response>, config: Partial<OAuthConfig> = {}) {
  let requests = 0;
  const credential = new OAuth({
    tokenUrl: "https://slipway.example.com/oauth/token",
    clientId: "app_1",
    clientSecret: "secret",
    tokens: { accessToken: "at_0", refreshToken: "rt_0", expiresAt: Date.now() },
    fetch: async (_, init) => answer(++requests, init?.body as URLSearchParams),
    sleep: async () => {},
    ...config,
  });
  return { credential, requests: () => requests };
}

const issue = (n: number) => Response.json({ access_token: `at_${n}`, refresh_token: `rt_${n}`, expires_in: 3600 });

test("however many requests wait, there is one refresh per expiration", async (t) => {
  const saved: Tokens[] = [];
  const { credential, requests } = oauth((n, form) => {
    assert.equal(form.get("refresh_token"), `rt_${n - 1}`);
    return issue(n);
  }, { save: (tokens) => void saved.push(tokens) });
  const tokens = await Promise.all(Array.from({ length: 50 }, () => credential.token()));
  assert.deepEqual(new Set(tokens), new Set(["at_1"]));
  assert.deepEqual([requests(), saved.length, saved[0]?.refreshToken], [1, 1, "rt_1"]);

  const soon = Date.now() + 59 * 60_000 + 1000; // a minute early
  t.mock.method(Date, "now", () => soon);
  assert.equal(await credential.token(), "at_2");
  assert.equal(requests(), 2);
});

test("a refresh is retried", async () => {
  const { credential } = oauth((n) => {
    if (n === 1) throw new TypeError("fetch failed");
    return n === 2 ? new Response(null, { status: 503 }) : issue(n);
  });
  assert.equal(await credential.token(), "at_3");
});

test("client credentials", async () => {
  const { credential } = oauth((_, form) => {
    assert.equal(form.toString(), "client_id=app_1&client_secret=secret&install_id=inst_1&grant_type=client_credentials");
    return Response.json({ access_token: "at_1", expires_in: 3600 });
  }, { tokens: undefined as never, installId: "inst_1" });
  const s = script([ok], { key: credential.token });
  await s.slipway.contacts.get("con_1");
  assert.equal(s.requests[0]?.headers["Authorization"], "Bearer at_1");
});

test("if the token endpoint doesn't respond, only the refresh is retried", async () => {
  const { credential, requests } = oauth(() => {
    throw new TypeError("fetch failed");
  });
  const s = script([], { key: credential.token });
  await assert.rejects(s.slipway.contacts.get("con_1"), ConnectionError);
  assert.equal(requests(), 4);
});

test("a rejected refresh token fails the request", async () => {
  const { credential, requests } = oauth(() => Response.json({ error: "invalid_grant", error_description: "Revoked." }, { status: 400 }));
  const s = script([], { key: credential.token });
  await assert.rejects(s.slipway.contacts.get("con_1"), { code: "invalid_grant", message: "Revoked." });
  assert.equal(requests(), 1);
  await assert.rejects(credential.token(), { code: "invalid_grant" });
  assert.equal(requests(), 2);
});
