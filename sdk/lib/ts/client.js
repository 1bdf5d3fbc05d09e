import { ConnectionError, toError } from "./errors.js";
import { List } from "./list.js";
import { retry } from "./retry.js";
import { VERSION } from "./types.gen.js";
// The limits of the pages that a client keeps.
const maxPages = 32;
const maxPageSize = 256 << 10;
/** Sends the requests of a client. */
export class Sender {
    #config;
    #base;
    /** The pages of lists by URL, the latest last. The server says if nothing has changed, and then sends no body. */
    #pages = new Map();
    constructor(config) {
        if (config.key === undefined || config.key === "")
            throw new TypeError("The API key is missing. Is SLIPWAY_KEY set?");
        this.#config = config;
        this.#base = config.baseUrl.replace(/\/+$/, "");
    }
    /** Sends a request until it succeeds or fails permanently. */
    async send(call) {
        const { method, path, file, stream, options = {} } = call;
        const init = { method, headers: this.#headers(call) };
        if (call.body !== undefined)
            init.body = JSON.stringify(call.body);
        const url = this.#base + path + search(call.query);
        const key = init.headers["Idempotency-Key"];
        const last = {};
        const timeout = options.timeout ?? (file ? 0 : this.#config.timeout ?? 60_000);
        const attempt = async (number) => {
            if (file)
                Object.assign(init, toBody(file, options.onProgress));
            const info = { method, path, attempt: number, ...(key && { idempotencyKey: key }) };
            const start = Date.now();
            let error;
            Object.assign(last, { authorized: false, response: undefined });
            await this.#authorize(init.headers);
            last.authorized = true;
            const kept = call.list ? this.#pages.get(url) : undefined;
            if (kept)
                init.headers["If-None-Match"] = kept.tag;
            this.#config.onRequest?.(info);
            try {
                return await limited(options.signal, timeout, stream, async (signal) => {
                    const response = await (this.#config.fetch ?? fetch)(url, { ...init, redirect: "manual", signal });
                    last.response = response;
                    if (kept && response.status === 304)
                        return JSON.parse(kept.text);
                    if (!response.ok)
                        throw toError(response, await response.text());
                    if (stream)
                        return response;
                    const text = await response.text();
                    if (call.list)
                        this.#keep(url, response.headers.get("ETag"), text);
                    return toJSON(response, text);
                });
            }
            catch (e) {
                error = toConnectionError(e, method + " " + path, options.signal);
                throw error;
            }
            finally {
                const status = last.response?.status ?? 0;
                const requestId = last.response?.headers.get("Request-Id") ?? "";
                this.#config.onResponse?.({ ...info, status, requestId, milliseconds: Date.now() - start, error });
            }
        };
        // A credential that fails was already retried.
        const result = await retry(this.#config, options.signal, attempt, () => !!last.authorized && !(file instanceof ReadableStream));
        if (last.response)
            options.onResponse?.(last.response);
        return result;
    }
    #headers({ method, body, file, options = {} }) {
        const headers = { "Service-Version": VERSION, ...this.#config.headers };
        if (method !== "GET" && method !== "DELETE")
            headers["Idempotency-Key"] = options.idempotencyKey ?? crypto.randomUUID();
        if (body !== undefined)
            headers["Content-Type"] = "application/json";
        if (file)
            headers["Content-Type"] = options.contentType ?? (file.type || "application/octet-stream");
        if (options.ifVersion !== undefined)
            headers["If-Match"] = `"${options.ifVersion}"`;
        if (options.mfaToken)
            headers["MFA-Token"] = options.mfaToken;
        return { ...headers, ...options.headers };
    }
    #keep(url, tag, text) {
        if (!tag || text.length > maxPageSize)
            return;
        this.#pages.delete(url);
        this.#pages.set(url, { tag, text });
        if (this.#pages.size > maxPages)
            this.#pages.delete(this.#pages.keys().next().value);
    }
    async #authorize(headers) {
        const { key } = this.#config;
        const token = typeof key === "function" ? await key() : key;
        if (token)
            headers["Authorization"] = "Bearer " + token;
    }
}
/**
 * Calls work with a signal that is aborted with the caller's, or when the time is up. The caller's
 * signal also ends a stream that continues after work.
 */
async function limited(outer, timeout, continues, work) {
    outer?.throwIfAborted();
    const abort = new AbortController();
    const cancel = () => abort.abort(outer?.reason);
    outer?.addEventListener("abort", cancel);
    const timer = timeout ? setTimeout(() => abort.abort(new Error("The server didn't respond in time.")), timeout) : undefined;
    try {
        return await work(abort.signal);
    }
    finally {
        clearTimeout(timer);
        if (!continues)
            outer?.removeEventListener("abort", cancel);
    }
}
/** Errors of the server and of the caller's signal are not errors of the connection. */
function toConnectionError(error, what, signal) {
    if (signal?.aborted || error?.name === "SlipwayError")
        return error;
    return new ConnectionError(what, error);
}
function toBody(file, onProgress) {
    if (!onProgress)
        return { body: file, ...(file instanceof ReadableStream && { duplex: "half" }) };
    let sent = 0;
    const count = new TransformStream({
        transform(chunk, controller) {
            onProgress((sent += chunk.byteLength));
            controller.enqueue(chunk);
        },
    });
    const stream = file instanceof ReadableStream ? file : new Blob([file]).stream();
    return { body: stream.pipeThrough(count), duplex: "half" };
}
/** Returns the parameters that are set. */
function search(query = {}) {
    const params = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
        if (value !== undefined && value !== "")
            params.set(name, String(value));
    }
    const text = params.toString();
    return text && "?" + text;
}
/** Fills IDs into a path. An empty ID would address another resource. */
export function path(parts, ...ids) {
    return parts.reduce((start, part, i) => {
        const id = ids[i - 1];
        if (!id || /^\.+$/.test(id))
            throw new TypeError(`"${id}" is not an ID.`);
        return start + encodeURIComponent(id) + part;
    });
}
function toJSON(response, text) {
    if (response.status === 204)
        return undefined;
    try {
        return JSON.parse(text);
    }
    catch {
        throw toError(response, text);
    }
}
/** A group of operations of /v1. */
export class Family {
    /** @internal */
    sender;
    /** @internal */
    prefix;
    constructor(sender, prefix = "/v1") {
        this.sender = sender;
        this.prefix = prefix;
    }
    /** @internal */
    send(method, path, rest) {
        return this.sender.send({ method, path: this.prefix + path, ...rest });
    }
}
/** A group of operations of /v2-preview. */
export class PreviewFamily extends Family {
    constructor(sender) {
        super(sender, "/v2-preview");
    }
}
// The methods of the families call these functions, whose names a bundler can shorten.
export function get(family, path, options, query) {
    return family.send("GET", path, { query, options });
}
export function post(family, path, body, options, query) {
    return family.send("POST", path, { body, query, options });
}
export function put(family, path, body, options, query) {
    return family.send("PUT", path, { body, query, options });
}
export function patch(family, path, body, options, query) {
    return family.send("PATCH", path, { body, query, options });
}
export function remove(family, path, options, query) {
    return family.send("DELETE", path, { query, options });
}
/** Sends a file and decodes the response. */
export function upload(family, method, path, file, options, query) {
    return family.send(method, path, { file, query, options });
}
/** Returns the response, whose body is not read. */
export function download(family, path, options, query) {
    return family.send("GET", path, { query, options, stream: true });
}
/** Returns the response with the CSV of an operation that also has JSON. */
export function csv(family, path, options, query) {
    return download(family, path, { ...options, headers: { ...options?.headers, Accept: "text/csv" } }, query);
}
/** Returns a list, whose pages are requested when they are needed. */
export function list(family, path, options, query = {}) {
    return new List(query, (q) => family.send("GET", path, { query: q, options, list: true }));
}
