import { ConnectionError, toError } from "./errors.ts";
import { List, type ListParams, type Page } from "./list.ts";
import { retry, type Retries } from "./retry.ts";
import { VERSION } from "./types.gen.ts";

/** Configures a client. */
export interface Config extends Retries {
  /** URL of the server, such as https://slipway.example.com. */
  baseUrl: string;
  /**
   * An API key or a session token, or a function that returns one, such as `oauth.token`. null sends
   * requests without a key, for a proxy that adds one. A key that is undefined or empty is an error.
   */
  key: string | (() => string | Promise<string>) | null | undefined;
  /**
   * Milliseconds to wait for a response, for each attempt. Defaults to one minute. Uploads have
   * no time limit unless the request sets one. Downloads must start within the limit.
   */
  timeout?: number;
  /** Headers to send with each request. */
  headers?: Record<string, string>;
  /** Replaces the global fetch, for example to use a proxy. */
  fetch?: typeof fetch;
  /** Called before each attempt, for logs and traces. */
  onRequest?: (request: RequestInfo) => void;
  /** Called after each attempt, for logs and traces. */
  onResponse?: (response: ResponseInfo) => void;
}

/** Describes an attempt, without the body and the credential. */
export interface RequestInfo {
  method: string;
  path: string;
  /** Starts at 1. */
  attempt: number;
  idempotencyKey?: string;
}

/** Describes how an attempt ended. */
export interface ResponseInfo extends RequestInfo {
  /** HTTP status, 0 if there was no response. */
  status: number;
  /** Include it when you contact support. */
  requestId: string;
  milliseconds: number;
  /** Undefined if the attempt succeeded. */
  error: unknown;
}

/** Options of one request. */
export interface Options {
  /**
   * A UUID that names a write. If you send it again within 24 hours, even from another process,
   * nothing changes and you get the first response. Defaults to a new one, which retries share.
   */
  idempotencyKey?: string;
  /** Fails a write with the code conflict unless the resource is at this version. */
  ifVersion?: number;
  /** Token of a two-factor verification. */
  mfaToken?: string;
  /** Cancels the request and its retries. */
  signal?: AbortSignal | undefined;
  /** Milliseconds to wait for a response, for each attempt. 0 means no limit. */
  timeout?: number;
  /** Headers to send. */
  headers?: Record<string, string>;
  /** Called with the response, to read headers such as Request-Id. */
  onResponse?: (response: Response) => void;
  /** Type of an upload that is not a Blob, such as text/csv. */
  contentType?: string;
  /** Called with the number of bytes of an upload that were sent. */
  onProgress?: (sent: number) => void;
}

/** A file to upload. A stream is not sent again if an attempt fails. */
export type Upload = Blob | Uint8Array | ReadableStream<Uint8Array>;

/** A call of an operation. */
interface Call {
  method: string;
  path: string;
  query?: object | undefined;
  body?: unknown;
  file?: Upload;
  /** The response is a page, which is kept. */
  list?: boolean;
  /** The caller reads the response. */
  stream?: boolean;
  options?: Options | undefined;
}

// The limits of the pages that a client keeps.
const maxPages = 32;
const maxPageSize = 256 << 10;

type Init = { method: string; headers: Record<string, string>; body?: BodyInit; duplex?: "half" };

/** Sends the requests of a client. */
export class Sender {
  #config: Config;
  #base: string;
  /** The pages of lists by URL, the latest last. The server says if nothing has changed, and then sends no body. */
  #pages = new Map<string, { tag: string; text: string }>();

  constructor(config: Config) {
    if (config.key === undefined || config.key === "") throw new TypeError("The API key is missing. Is SLIPWAY_KEY set?");
    this.#config = config;
    this.#base = config.baseUrl.replace(/\/+$/, "");
  }

  /** Sends a request until it succeeds or fails permanently. */
  async send<T>(call: Call): Promise<T> {
    const { method, path, file, stream, options = {} } = call;
    const init: Init = { method, headers: this.#headers(call) };
    if (call.body !== undefined) init.body = JSON.stringify(call.body);
    const url = this.#base + path + search(call.query);
    const key = init.headers["Idempotency-Key"];
    const last: { response?: Response | undefined; authorized?: boolean } = {};
    const timeout = options.timeout ?? (file ? 0 : this.#config.timeout ?? 60_000);

    const attempt = async (number: number): Promise<T> => {
      if (file) Object.assign(init, toBody(file, options.onProgress));
      const info: RequestInfo = { method, path, attempt: number, ...(key && { idempotencyKey: key }) };
      const start = Date.now();
      let error: unknown;
      Object.assign(last, { authorized: false, response: undefined });
      await this.#authorize(init.headers);
      last.authorized = true;
      const kept = call.list ? this.#pages.get(url) : undefined;
      if (kept) init.headers["If-None-Match"] = kept.tag;
      this.#config.onRequest?.(info);
      try {
        return await limited(options.signal, timeout, stream, async (signal) => {
          const response = await (this.#config.fetch ?? fetch)(url, { ...init, redirect: "manual", signal });
          last.response = response;
          if (kept && response.status === 304) return JSON.parse(kept.text) as T;
          if (!response.ok) throw toError(response, await response.text());
          if (stream) return response as T;
          const text = await response.text();
          if (call.list) this.#keep(url, response.headers.get("ETag"), text);
          return toJSON(response, text) as T;
        });
      } catch (e) {
        error = toConnectionError(e, method + " " + path, options.signal);
        throw error;
      } finally {
        const status = last.response?.status ?? 0;
        const requestId = last.response?.headers.get("Request-Id") ?? "";
        this.#config.onResponse?.({ ...info, status, requestId, milliseconds: Date.now() - start, error });
      }
    };
    // A credential that fails was already retried.
    const result = await retry(this.#config, options.signal, attempt, () => !!last.authorized && !(file instanceof ReadableStream));
    if (last.response) options.onResponse?.(last.response);
    return result;
  }

  #headers({ method, body, file, options = {} }: Call): Record<string, string> {
    const headers: Record<string, string> = { "Service-Version": VERSION, ...this.#config.headers };
    if (method !== "GET" && method !== "DELETE") headers["Idempotency-Key"] = options.idempotencyKey ?? crypto.randomUUID();
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (file) headers["Content-Type"] = options.contentType ?? ((file as Blob).type || "application/octet-stream");
    if (options.ifVersion !== undefined) headers["If-Match"] = `"${options.ifVersion}"`;
    if (options.mfaToken) headers["MFA-Token"] = options.mfaToken;
    return { ...headers, ...options.headers };
  }

  #keep(url: string, tag: string | null, text: string): void {
    if (!tag || text.length > maxPageSize) return;
    this.#pages.delete(url);
    this.#pages.set(url, { tag, text });
    if (this.#pages.size > maxPages) this.#pages.delete(this.#pages.keys().next().value!);
  }

  async #authorize(headers: Record<string, string>): Promise<void> {
    const { key } = this.#config;
    const token = typeof key === "function" ? await key() : key;
    if (token) headers["Authorization"] = "Bearer " + token;
  }
}

/**
 * Calls work with a signal that is aborted with the caller's, or when the time is up. The caller's
 * signal also ends a stream that continues after work.
 */
async function limited<T>(
  outer: AbortSignal | undefined,
  timeout: number,
  continues: boolean | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer?.throwIfAborted();
  const abort = new AbortController();
  const cancel = () => abort.abort(outer?.reason);
  outer?.addEventListener("abort", cancel);
  const timer = timeout ? setTimeout(() => abort.abort(new Error("The server didn't respond in time.")), timeout) : undefined;
  try {
    return await work(abort.signal);
  } finally {
    clearTimeout(timer);
    if (!continues) outer?.removeEventListener("abort", cancel);
  }
}

/** Errors of the server and of the caller's signal are not errors of the connection. */
function toConnectionError(error: unknown, what: string, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted || (error as Error)?.name === "SlipwayError") return error;
  return new ConnectionError(what, error);
}

function toBody(file: Upload, onProgress: Options["onProgress"]): Partial<Init> {
  if (!onProgress) return { body: file as BodyInit, ...(file instanceof ReadableStream && { duplex: "half" }) };
  let sent = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      onProgress((sent += chunk.byteLength));
      controller.enqueue(chunk);
    },
  });
  const stream = file instanceof ReadableStream ? file : new Blob([file as BlobPart]).stream();
  return { body: (stream as ReadableStream<Uint8Array>).pipeThrough(count as never), duplex: "half" };
}

/** Returns the parameters that are set. */
function search(query: object = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") params.set(name, String(value));
  }
  const text = params.toString();
  return text && "?" + text;
}

/** Fills IDs into a path. An empty ID would address another resource. */
export function path(parts: TemplateStringsArray, ...ids: string[]): string {
  return parts.reduce((start, part, i) => {
    const id = ids[i - 1];
    if (!id || /^\.+$/.test(id)) throw new TypeError(`"${id}" is not an ID.`);
    return start + encodeURIComponent(id) + part;
  });
}

function toJSON(response: Response, text: string): unknown {
  if (response.status === 204) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw toError(response, text);
  }
}

/** A group of operations of /v1. */
export class Family {
  /** @internal */
  readonly sender: Sender;
  /** @internal */
  readonly prefix: string;

  constructor(sender: Sender, prefix = "/v1") {
    this.sender = sender;
    this.prefix = prefix;
  }

  /** @internal */
  send<T>(method: string, path: string, rest: Partial<Call>): Promise<T> {
    return this.sender.send<T>({ method, path: this.prefix + path, ...rest });
  }
}

/** A group of operations of /v2-preview. */
export class PreviewFamily extends Family {
  constructor(sender: Sender) {
    super(sender, "/v2-preview");
  }
}

// The methods of the families call these functions, whose names a bundler can shorten.

export function get<T>(family: Family, path: string, options?: Options, query?: object): Promise<T> {
  return family.send("GET", path, { query, options });
}

export function post<T>(family: Family, path: string, body: unknown, options?: Options, query?: object): Promise<T> {
  return family.send("POST", path, { body, query, options });
}

export function put<T>(family: Family, path: string, body: unknown, options?: Options, query?: object): Promise<T> {
  return family.send("PUT", path, { body, query, options });
}

export function patch<T>(family: Family, path: string, body: unknown, options?: Options, query?: object): Promise<T> {
  return family.send("PATCH", path, { body, query, options });
}

export function remove<T>(family: Family, path: string, options?: Options, query?: object): Promise<T> {
  return family.send("DELETE", path, { query, options });
}

/** Sends a file and decodes the response. */
export function upload<T>(family: Family, method: string, path: string, file: Upload, options?: Options, query?: object): Promise<T> {
  return family.send(method, path, { file, query, options });
}

/** Returns the response, whose body is not read. */
export function download(family: Family, path: string, options?: Options, query?: object): Promise<Response> {
  return family.send("GET", path, { query, options, stream: true });
}

/** Returns the response with the CSV of an operation that also has JSON. */
export function csv(family: Family, path: string, options?: Options, query?: object): Promise<Response> {
  return download(family, path, { ...options, headers: { ...options?.headers, Accept: "text/csv" } }, query);
}

/** Returns a list, whose pages are requested when they are needed. */
export function list<T>(family: Family, path: string, options?: Options, query: ListParams = {}): List<T> {
  return new List<T>(query, (q) => family.send<Page<T>>("GET", path, { query: q, options, list: true }));
}
