// What the logs share: links from one to another, times, curl commands and the live tail.
import type { ComponentChildren } from "preact";
import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import { api, type ListParams, type Page } from "../../api.ts";
import { date, dateTime, phone } from "../../format.ts";
import { onHint } from "../../live.ts";
import { useLoad, type LoadList } from "../../load.ts";
import { Icon } from "../../parts/icon.tsx";
import { href, type Query } from "../../router.ts";
import { can, session, type Scope } from "../../session.ts";
import { kindOf, type NameOf } from "./audit-words.ts";

/** Where objects are shown, by the start of their ID. */
const places: Array<[string, Scope, (id: string) => string]> = [
  ["hull_", "hulls:read", (id) => href(`boats/${id}`)],
  ["lead_", "leads:read", (id) => href(`leads/${id}`)],
  ["con_", "leads:read", (id) => href(`contacts/${id}`)],
  ["deal_", "deals:read", (id) => href(`deals/${id}`)],
  ["whk_", "webhooks", (id) => href(`developers/webhooks/${id}`)],
  ["evt_", "webhooks", (id) => href("developers/events", { peek: id })],
  ["req_", "admin", (id) => href("developers/requests", { peek: id })],
  ["key_", "admin", () => href("developers/keys")],
  ["usr_", "admin", (id) => href("settings/people", { peek: id })],
  ["loc_", "admin", () => href("settings/locations")],
  ["role_", "admin", () => href("settings/roles")],
  ["chn_", "hulls:read", () => href("settings/channels")],
  ["sso_", "admin", () => href("settings/sso")],
  ["app_", "admin", () => href("settings/apps")],
];

/** Where an object is shown, or undefined if the user can't see it. */
export function placeOf(id: string): string | undefined {
  const place = places.find(([prefix]) => id.startsWith(prefix));
  return place && can(place[1]) ? place[2](id) : undefined;
}

/** An ID that links to its object, if the user can see it. Only its end differs from others, so tables shorten it. */
export function ObjectLink({ id, short }: { id: string; short?: boolean }) {
  const text = short ? id.replace(/^([a-z]+_).*(.{6})$/, "$1…$2") : id;
  const place = placeOf(id);
  return place ? <a class="link mono" title={id} href={place}>{text}</a> : <span class="mono" title={id}>{text}</span>;
}

const names = new Map<string, string>();
const namesAtOnce = 100; // of a request

/** Returns a function that names objects, once their names are loaded. Only administrators can load them. */
export function useObjectNames(ids: string[]): (id: string) => string | undefined {
  const [, render] = useReducer((n: number) => n + 1, 0);
  const missing = can("admin") ? [...new Set(ids)].filter((id) => !names.has(id)) : [];
  useEffect(() => {
    if (missing.length === 0) return;
    for (const id of missing) names.set(id, ""); // an object without a name is not asked for again
    const loadAll = async () => {
      for (let at = 0; at < missing.length; at += namesAtOnce) {
        const { data } = await api.preview.dealership.listNames({ ids: missing.slice(at, at + namesAtOnce).join(",") });
        for (const { id, name } of data) names.set(id, phone(name)); // a contact without a name is a number
      }
    };
    void loadAll().catch(() => missing.forEach((id) => names.delete(id))).finally(() => render(undefined as never));
  }, [missing.join()]);
  return (id) => names.get(id) || undefined;
}

/** An object by its name, or else by what it is, as a link if the user can see it. */
export function NameLink({ id, nameOf }: { id: string; nameOf: NameOf }) {
  const text = nameOf(id) ?? kindOf(id);
  const place = placeOf(id);
  return place ? <a class="link" href={place}>{text}</a> : <>{text}</>;
}

/** The query of a log for what happened around a request. */
export function around(request: { id: string; created_at: string; duration_ms: number }): Query {
  const at = Date.parse(request.created_at);
  return {
    request_id: request.id,
    created_after: new Date(at - 1000).toISOString(),
    created_before: new Date(at + request.duration_ms + 5000).toISOString(),
  };
}

/** Keeps the rows of one request. The API can't filter by it. */
export async function ofRequest<T>(page: PromiseLike<Page<T>>, wanted: string | undefined, of: (row: T) => string | null): Promise<Page<T>> {
  const result = await page;
  return wanted ? { ...result, data: result.data.filter((row) => of(row) === wanted) } : result;
}

/** 9:41:07 AM, with the full time as the title. */
export function Clock({ at }: { at: string }) {
  const seconds = new Date(at).toLocaleTimeString("en-US", { timeZone: session.dealership.timezone });
  const isToday = date(at) === date(new Date().toISOString());
  return <time class="num" dateTime={at} title={dateTime(at)}>{isToday ? seconds : dateTime(at).replace(/, \d{4}/, "")}</time>;
}

/** 83 ms, 1.2 s */
export function duration(ms: number): string {
  return ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** Text in monospace, such as a command. */
export function Code({ text }: { text: string }) {
  return <pre class="json" tabIndex={0}>{text}</pre>;
}

/** A curl command. Values are quoted for a shell. */
export function curl(method: string, url: string, headers: string[], body?: unknown): string {
  const quote = (text: string) => (text.includes("$") ? `"${text.replace(/["`\\]/g, "\\$&")}"` : `'${text.replaceAll("'", "'\\''")}'`);
  const parts = [`curl -X ${method} ${`'${url.replaceAll("'", "'\\''")}'`}`, ...headers.map((h) => `-H ${quote(h)}`)];
  if (body !== undefined && body !== null) parts.push(`-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`);
  return parts.join(" \\\n  ");
}

/** The view of a pane: one of a few names. */
export function useViews<N extends string>(names: readonly N[]): [N, ComponentChildren] {
  const [view, setView] = useState(names[0]!);
  const buttons = <div class="mode views" role="group" aria-label="View">{names.map((n) => <button key={n} type="button" aria-pressed={n === view} onClick={() => setView(n)}>{n}</button>)}</div>;
  return [view, buttons];
}

/** Calls a function every few seconds while the page is visible. */
export function usePoll(run: () => void, seconds: number, active = true): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    if (!active) return;
    const timer = setInterval(() => !document.hidden && latest.current(), seconds * 1000);
    return () => clearInterval(timer);
  }, [seconds, active]);
}

/** Adds new rows at the top of a list, every two seconds or with each live update. Returns the button that pauses it. */
export function useTail<T extends { id: string }>(list: LoadList<T>, newer: (page: ListParams) => PromiseLike<Page<T>>, every: "hint" | "two seconds"): ComponentChildren {
  const [live, setLive] = useState(true);
  const busy = useRef(false);
  const load = async () => {
    const rows = list.data;
    if (busy.current || !rows) return;
    if (!rows[0]) return list.reload();
    busy.current = true;
    try {
      const { data } = await newer({ limit: 100, ending_before: rows[0].id });
      if (data.length) list.replace([...data, ...rows]);
    } catch {
      // The next turn tries again.
    } finally {
      busy.current = false;
    }
  };
  const latest = useRef(load);
  latest.current = load;
  usePoll(() => void load(), 2, live && every === "two seconds");
  useEffect(() => {
    if (!live || every !== "hint") return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onHint(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void latest.current();
      }, 500);
    });
    return () => (stop(), clearTimeout(timer));
  }, [live, every]);
  return (
    <button type="button" class={live ? "chip on tail" : "chip tail"} aria-pressed={live} onClick={() => setLive(!live)}>
      {live ? <i class="dot" /> : <Icon name="hold" />}{live ? "Live" : "Paused"}
    </button>
  );
}

/** Users and API keys by ID, to choose an actor. */
export function useActors(): Array<[string, string]> {
  const users = useLoad(["directory"], () => api.preview.dealership.listDirectory({ limit: 100 }), ["user"]);
  const keys = useLoad(["actor keys"], () => api.access.listApiKeys({ limit: 100 }), ["api_key"]);
  return [
    ...(users.data?.data ?? []).map((u): [string, string] => [u.id, u.name]),
    ...(keys.data?.data ?? []).map((k): [string, string] => [k.id, `${k.name} (key)`]),
  ];
}
