// Loading data. A request is named by its key. Components that use the same key share the data. Old data stays on the
// screen while it loads again. Hints of the live stream load what they are about.
//
//   const boat = useLoad(["hull", id], () => api.hulls.get(id), [id]);
//   const boats = useList(["hulls", filters], (page) => api.hulls.list({ ...filters, ...page }), ["hull"]);
import { useLayoutEffect, useReducer } from "preact/hooks";
import type { ListParams, Page } from "./api.ts";
import { onHint, type Hint } from "./live.ts";

/** Names a request: what is loaded, and its parameters. Undefined loads nothing. */
export type Key = readonly unknown[] | undefined;

/** What a request depends on: nouns of event types (hull, lead, deal) and IDs of objects. */
export type Watch = readonly string[];

export interface Load<T> {
  /** Undefined until the first response. */
  data: T | undefined;
  /** Why the last request failed. Data can still be an earlier response. */
  error: Error | undefined;
  loading: boolean;
  reload: () => void;
  /** Shows this data immediately, for example the response of a write. */
  replace: (data: T) => void;
}

/** What a component needs to show data, or why there is none. */
export type Shown<T> = Pick<Load<T>, "data" | "error" | "reload">;

export interface LoadList<T> extends Load<T[]> {
  hasMore: boolean;
  /** Loads the next page. */
  more: () => void;
}

interface Entry {
  data?: unknown;
  error?: Error | undefined;
  loading: boolean;
  stale: boolean;
  watch: Watch;
  load: () => PromiseLike<unknown>;
  /** Number of the current request. Responses of earlier ones are ignored. */
  request: number;
  subscribers: Set<() => void>;
}

const entries = new Map<string, Entry>();
const maxUnused = 60;

function entryOf(key: string, load: Entry["load"], watch: Watch): Entry {
  let entry = entries.get(key);
  if (!entry) {
    entry = { loading: false, stale: true, watch, load, request: 0, subscribers: new Set() };
    entries.set(key, entry);
    removeUnused();
  }
  entry.load = load;
  entry.watch = watch;
  return entry;
}

/** Removes the oldest entries that no component uses. */
function removeUnused(): void {
  const unused = [...entries].filter(([, entry]) => entry.subscribers.size === 0 && !entry.stale);
  for (const [key] of unused.slice(0, Math.max(0, unused.length - maxUnused))) entries.delete(key);
}

function notify(entry: Entry): void {
  for (const subscriber of entry.subscribers) subscriber();
}

async function run(entry: Entry): Promise<void> {
  const request = ++entry.request;
  entry.loading = true;
  entry.stale = false;
  notify(entry);
  let result: Pick<Entry, "data" | "error">;
  try {
    result = { data: await entry.load(), error: undefined };
  } catch (error) {
    result = { error: error as Error };
    entry.stale = true;
  }
  if (request !== entry.request) return;
  Object.assign(entry, result, { loading: false });
  notify(entry);
}

/** Loads data, and loads it again when something that it depends on changes. */
export function useLoad<T>(key: Key, load: () => PromiseLike<T>, watch: Watch = []): Load<T> {
  const name = key && JSON.stringify(key);
  const entry = name ? entryOf(name, load, watch) : undefined;
  const [, render] = useReducer((n: number) => n + 1, 0);

  // A layout effect runs before a response can arrive, so no response is missed.
  useLayoutEffect(() => {
    if (!entry) return;
    const subscriber = () => render(undefined as never);
    entry.subscribers.add(subscriber);
    if (entry.stale && !entry.loading) void run(entry);
    return () => void entry.subscribers.delete(subscriber);
  }, [entry]);

  return {
    data: entry?.data as T | undefined,
    error: entry?.error,
    loading: !!entry && (entry.loading || entry.stale),
    reload: () => entry && void run(entry),
    replace: (data) => entry && show(entry, data),
  };
}

type DataOf<T extends readonly Load<any>[]> = { [K in keyof T]: T[K]["data"] };

/** Several requests as one. It is loaded when all are, and fails when one fails. Show converts the data. */
export function together<T extends readonly Load<any>[], R>(loads: [...T], show: (data: DataOf<T>) => R): Shown<R> {
  const missing = loads.some((l) => l.data === undefined && (l.loading || l.error));
  return {
    data: missing ? undefined : show(loads.map((l) => l.data) as DataOf<T>),
    error: loads.find((l) => l.error)?.error,
    reload: () => loads.filter((l) => l.error).forEach((l) => l.reload()),
  };
}

/** Shows data and ignores a request that started before it. */
function show(entry: Entry, data: unknown): void {
  entry.request++;
  Object.assign(entry, { data, error: undefined, loading: false });
  notify(entry);
}

const pageSize = 50;
const mostRows = 100; // of a page

interface Rows<T> {
  rows: T[];
  next: string | null;
}

/** Loads a list page by page. When it loads again, it loads as many rows as before. */
export function useList<T>(key: Key, load: (page: ListParams) => PromiseLike<Page<T>>, watch: Watch = []): LoadList<T> {
  const name = key && JSON.stringify(key);
  const state = useLoad<Rows<T>>(
    key,
    async () => {
      const wanted = Math.max(pageSize, current()?.rows.length ?? 0);
      const result: Rows<T> = { rows: [], next: null };
      do await append(result, load, Math.min(wanted, mostRows));
      while (result.next && result.rows.length < wanted);
      return result;
    },
    watch,
  );
  const current = () => (name ? (entries.get(name)?.data as Rows<T> | undefined) : undefined);

  const more = async () => {
    const entry = name ? entries.get(name) : undefined;
    const rows = current();
    if (!entry || entry.loading || !rows?.next) return;
    entry.loading = true;
    const request = ++entry.request;
    notify(entry);
    try {
      const result = { ...rows, rows: [...rows.rows] };
      await append(result, load);
      if (request === entry.request) Object.assign(entry, { data: result, error: undefined });
    } catch (error) {
      if (request === entry.request) entry.error = error as Error;
    }
    if (request !== entry.request) return;
    entry.loading = false;
    notify(entry);
  };

  return {
    ...state,
    data: state.data?.rows,
    hasMore: !!state.data?.next,
    more: () => void more(),
    replace: (rows) => state.replace({ next: state.data?.next ?? null, rows }),
  };
}

async function append<T>(result: Rows<T>, load: (page: ListParams) => PromiseLike<Page<T>>, limit = pageSize): Promise<void> {
  const page = await load({ limit, ...(result.next && { starting_after: result.next }) });
  result.rows.push(...page.data);
  result.next = page.has_more ? page.next_cursor : null;
}

/** Loads again what depends on an object, as a hint would. Use it after a write whose response is not the object. */
export function changed(...watched: string[]): void {
  for (const entry of entries.values()) if (entry.watch.some((w) => watched.includes(w))) entry.stale = true;
  reloadSoon();
}

function depends(entry: Entry, hint: Hint): boolean {
  return entry.watch.some((w) => w === hint.object_id || hint.type.startsWith(w + "."));
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Waits until nothing is loaded. */
export async function quiet(): Promise<void> {
  do await new Promise((resolve) => setTimeout(resolve, 200));
  while ([...entries.values()].some((entry) => entry.loading));
}

/** Loads what is on the screen and stale, at most every 120 ms. The rest is loaded when it is shown. */
function reloadSoon(): void {
  timer ??= setTimeout(() => {
    timer = undefined;
    for (const entry of entries.values()) if (entry.stale && entry.subscribers.size > 0) void run(entry);
  }, 120);
}

onHint((hint) => {
  for (const entry of entries.values()) if (!hint || depends(entry, hint)) entry.stale = true;
  reloadSoon();
});
