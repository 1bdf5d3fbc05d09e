// Live updates: a stream of hints that say what changed, not how. load.ts then loads it again from the API.
import { useEffect, useState } from "preact/hooks";
import { api } from "./api.ts";

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
let connected = true;
const connectionListeners = new Set<(connected: boolean) => void>();

function setConnected(now: boolean): void {
  if (now === connected) return;
  connected = now;
  for (const listener of connectionListeners) listener(now);
}

/** Returns whether the page receives live updates. */
export function useConnected(): boolean {
  const [now, setNow] = useState(connected);
  useEffect(() => {
    connectionListeners.add(setNow);
    return () => void connectionListeners.delete(setNow);
  }, []);
  return now;
}

/** Follows the stream for as long as the page is open. */
export async function startLive(): Promise<void> {
  addEventListener("offline", () => setConnected(false));
  let lastId = "";
  let isFirst = true;
  for (let failures = 0; ; failures++) {
    try {
      const response = await openStream(lastId);
      setConnected(true);
      // Without an ID to continue after, changes since the connection was lost are unknown.
      if (!isFirst && !lastId) deliver({ id: "", event: "reset", data: "" });
      isFirst = false;
      failures = 0;
      for await (const message of messages(response)) {
        if (message.id) lastId = message.id;
        deliver(message);
      }
    } catch {
      if (failures > 0) setConnected(false);
    }
    await pause(Math.min(30, 2 ** failures) * (500 + Math.random() * 500));
  }
}

function openStream(lastId: string): Promise<Response> {
  return api.preview.webhooks.streamEvents(lastId ? { headers: { "Last-Event-ID": lastId } } : {});
}

function deliver(message: Message): void {
  if (message.event === "reset") {
    for (const listener of listeners) listener();
  } else if (message.data) {
    const hint = JSON.parse(message.data) as Hint;
    for (const listener of listeners) listener(hint);
  }
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
