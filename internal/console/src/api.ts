// The client of the API. The SDK is the only code that sends requests.
import type { Config } from "../../../sdk/ts/src/client.ts";
import { Slipway } from "../../../sdk/ts/src/index.ts";
import { mode } from "./router.ts";

const config: Config = {
  baseUrl: "/console/api",
  key: null, // the cookie of the session
  headers: { "Slipway-Mode": mode },
  onResponse: ({ status }) => {
    if (status === 401) signInAgain();
  },
  // Requests that failed because the browser is offline wait until it is online again.
  sleep: async (milliseconds, signal) => {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    await online();
    signal?.throwIfAborted();
  },
};

export const api = new Slipway(config);

function online(): Promise<void> {
  if (navigator.onLine) return Promise.resolve();
  return new Promise((resolve) => addEventListener("online", () => resolve(), { once: true }));
}

const lastSignIn = "slipway-sign-in";

/**
 * Loads the page again when the session has ended. The server then asks the user to sign in, and returns here. Forms
 * keep their input in the session storage. If that happened just now, the session is not the problem.
 */
function signInAgain(): void {
  const last = Number(sessionStorage.getItem(lastSignIn) ?? 0);
  if (Date.now() - last < 10_000) return;
  sessionStorage.setItem(lastSignIn, String(Date.now()));
  location.reload();
}

/** Returns the path of a photo. The API returns absolute URLs, and the console only loads files of its own host. */
export function localPath(url: string): string {
  const { pathname, search } = new URL(url, location.href);
  return pathname + search;
}

export { ConnectionError, SlipwayError } from "../../../sdk/ts/src/index.ts";
export type * from "../../../sdk/ts/src/index.ts";
