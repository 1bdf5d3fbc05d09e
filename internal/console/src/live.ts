// Live updates: a stream of hints that say what changed, not how. load.ts then loads it again from the API.
import { api } from "./api.ts";
import { createStore, useStore } from "./parts/store.ts";
import { mode } from "./router.ts";
import { session } from "./session.ts";

/** Says that an object changed. */
export interface Hint {
  /** Event type, such as hull.updated. */
  type: string;
  object_id: string;
}

/** Called with a hint, or without one if everything can have changed. */
type Listener = (hint?: Hint) => void;

const listeners = new Set<Listener>();

/** Calls listener with each hint. Returns a function that stops it. */
export function onHint(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Whether the stream is open. A new page is considered connected until it fails twice. */
const connected = createStore(true);

/** Returns whether the page receives live updates. */
export function useConnected(): boolean {
  return useStore(connected);
}

/** ID of the last event that this tab knows of. */
let lastId = session.last_event;

/** What a tab tells the others. A null hint means that everything can have changed. */
interface Shared {
  id: string;
  hint: Hint | null;
}

const otherTabs = new BroadcastChannel("slipway-live-" + mode);

/**
 * Receives hints for as long as the page is open. Only one tab follows the stream, because browsers have few
 * connections to a server without HTTP/2. It tells the others. When it is closed, another one continues.
 */
export async function startLive(): Promise<void> {
  addEventListener("offline", () => connected.set(false));
  addEventListener("online", () => connected.set(true));
  otherTabs.onmessage = ({ data }: MessageEvent<Shared>) => receive(data);
  // Locks only exist on https and on localhost. Without them, each tab follows the stream.
  if (navigator.locks) await navigator.locks.request("slipway-live-" + mode, follow);
  else await follow();
}

async function follow(): Promise<never> {
  for (let failures = 0; ; failures++) {
    // A page that the browser keeps for the Back button must not keep its connection.
    const abort = new AbortController();
    addEventListener("pagehide", () => abort.abort(), { once: true });
    try {
      const response = await api.preview.webhooks.streamEvents({ signal: abort.signal, headers: lastId ? { "Last-Event-ID": lastId } : {} });
      connected.set(true);
      // Without an ID to continue after, what was loaded before can be outdated.
      if (!lastId) share({ id: "", hint: null });
      failures = 0;
      for await (const message of messages(response)) {
        if (message.event === "reset") share({ id: message.id, hint: null });
        else if (message.data) share({ id: message.id, hint: JSON.parse(message.data) as Hint });
      }
    } catch {
      if (failures > 0) connected.set(false);
    }
    await pause(Math.min(30, 2 ** failures) * (500 + Math.random() * 500));
  }
}

function share(shared: Shared): void {
  otherTabs.postMessage(shared);
  receive(shared);
}

function receive({ id, hint }: Shared): void {
  if (id) lastId = id;
  for (const listener of listeners) listener(hint ?? undefined);
}

/** Waits, but not longer than until the browser is online again. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    addEventListener("online", () => (clearTimeout(timer), resolve()), { once: true });
  });
}

/** A message of server-sent events. */
export interface Message {
  id: string;
  event: string;
  data: string;
}

/** If nothing arrives for so long, not even a comment, the connection is lost. The server writes every 25 seconds. */
const silence = 60_000;

async function* messages(response: Response): AsyncGenerator<Message> {
  const reader = response.body!.pipeThrough(new TextDecoderStream() as never).getReader() as ReadableStreamDefaultReader<string>;
  let rest = "";
  for (;;) {
    const { done, value } = await withTimeout(reader);
    if (done) return;
    const blocks = (rest + value).replaceAll("\r\n", "\n").split("\n\n");
    rest = blocks.pop()!;
    for (const block of blocks) yield parseMessage(block);
  }
}

async function withTimeout(reader: ReadableStreamDefaultReader<string>): Promise<ReadableStreamReadResult<string>> {
  const timer = setTimeout(() => void reader.cancel(), silence);
  try {
    return await reader.read();
  } finally {
    clearTimeout(timer);
  }
}

/** Parses the lines of one message. Lines that start with a colon are comments. */
export function parseMessage(block: string): Message {
  const message: Message = { id: "", event: "message", data: "" };
  for (const line of block.split("\n")) {
    const [, field, value = ""] = /^(\w+)(?:: ?(.*))?$/.exec(line) ?? [];
    if (field === "id" || field === "event") message[field] = value;
    if (field === "data") message.data += (message.data && "\n") + value;
  }
  return message;
}
