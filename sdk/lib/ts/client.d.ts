import { List, type ListParams } from "./list.ts";
import { type Retries } from "./retry.ts";
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
/** Sends the requests of a client. */
export declare class Sender {
    #private;
    constructor(config: Config);
    /** Sends a request until it succeeds or fails permanently. */
    send<T>(call: Call): Promise<T>;
}
/** Fills IDs into a path. An empty ID would address another resource. */
export declare function path(parts: TemplateStringsArray, ...ids: string[]): string;
/** A group of operations of /v1. */
export declare class Family {
    constructor(sender: Sender, prefix?: string);
}
/** A group of operations of /v2-preview. */
export declare class PreviewFamily extends Family {
    constructor(sender: Sender);
}
export declare function get<T>(family: Family, path: string, options?: Options, query?: object): Promise<T>;
export declare function post<T>(family: Family, path: string, body: unknown, options?: Options, query?: object): Promise<T>;
export declare function put<T>(family: Family, path: string, body: unknown, options?: Options, query?: object): Promise<T>;
export declare function patch<T>(family: Family, path: string, body: unknown, options?: Options, query?: object): Promise<T>;
export declare function remove<T>(family: Family, path: string, options?: Options, query?: object): Promise<T>;
/** Sends a file and decodes the response. */
export declare function upload<T>(family: Family, method: string, path: string, file: Upload, options?: Options, query?: object): Promise<T>;
/** Returns the response, whose body is not read. */
export declare function download(family: Family, path: string, options?: Options, query?: object): Promise<Response>;
/** Returns the response with the CSV of an operation that also has JSON. */
export declare function csv(family: Family, path: string, options?: Options, query?: object): Promise<Response>;
/** Returns a list, whose pages are requested when they are needed. */
export declare function list<T>(family: Family, path: string, options?: Options, query?: ListParams): List<T>;
export {};
