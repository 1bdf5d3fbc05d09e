import assert from "node:assert/strict";
import { Slipway, type Config } from "../src/index.ts";

/** Answers one request of a scripted server. */
export type Step = (url: string, init: RequestInit) => Response | Promise<Response>;

export interface Received {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * A client of a server that answers each request with the next step. The client doesn't wait. It
 * records how long it would have waited, in seconds.
 */
export function script(steps: Step[], config: Partial<Config> = {}) {
  const requests: Received[] = [];
  const waits: number[] = [];
  const slipway = new Slipway({
    baseUrl: "https://slipway.example.com/",
    key: "sk_test_1",
    fetch: async (input, init = {}) => {
      const body = init.body ? await new Response(init.body).text() : "";
      init.signal?.throwIfAborted();
      const url = String(input).replace("https://slipway.example.com", "");
      requests.push({ method: init.method ?? "", url, headers: { ...(init.headers as Record<string, string>) }, body });
      const step = steps[requests.length - 1];
      assert.ok(step, `got request ${requests.length}, ${init.method} ${url}; want ${steps.length} requests`);
      return step(url, init);
    },
    sleep: async (milliseconds) => void waits.push(milliseconds / 1000),
    ...config,
  });
  const keys = () => [...new Set(requests.map((r) => r.headers["Idempotency-Key"]))];
  return { slipway, requests, waits, keys };
}

export const reply = (status: number, body: string | null, headers: Record<string, string> = {}): Step =>
  () => new Response(body, { status, headers: { "Request-Id": "req_1", ...headers } });

/** An error in the format of the API. */
export const fails = (status: number, code: string, headers: Record<string, string> = {}): Step =>
  reply(
    status,
    JSON.stringify({
      error: { status, code, message: "No.", request_id: "req_1", details: [{ field: "title", code: "too_long", message: "is too long" }] },
    }),
    headers,
  );

/** Closes the connection after the headers and a part of the body. */
export const drops: Step = () =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"id": "con_1"'));
        controller.error(new TypeError("terminated"));
      },
    }),
  );

/** Closes the connection without a response. */
export const vanishes: Step = () => {
  throw new TypeError("fetch failed");
};

export const ok = reply(200, '{"id": "con_1"}');
