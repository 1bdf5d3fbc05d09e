/** What is wrong with a request. */
export type ErrorCode = "bad_request" | "unauthenticated" | "forbidden" | "not_found" | "conflict" | "unprocessable" | "rate_limited" | "server_error" | "unavailable";
/** One invalid field, parameter or header. */
export interface Detail {
    /** Dotted path, such as engines[0].hp. */
    field: string;
    code: string;
    /** Completes a sentence that starts with the field. */
    message: string;
}
interface Body {
    code: string;
    message: string;
    request_id?: string;
    details?: Detail[];
    doc_url?: string;
}
/** An error response of the server. */
export declare class SlipwayError extends Error {
    readonly name = "SlipwayError";
    /** HTTP status. */
    readonly status: number;
    /** Kind of the error. Errors of the token endpoint have the codes of OAuth. */
    readonly code: ErrorCode | (string & {});
    /** Include it when you contact support. */
    readonly requestId: string;
    /** Every field, parameter or state that caused the error. */
    readonly details: Detail[];
    /** Explains the error and what to do. */
    readonly docUrl: string;
    /** Seconds after which to send the request again, 0 if the server didn't say. */
    readonly retryAfter: number;
    constructor(response: Response, body: Body);
    /** Returns what is wrong with a field. */
    field(name: string): string | undefined;
}
/** There was no complete response. */
export declare class ConnectionError extends Error {
    readonly name = "ConnectionError";
    /** Why, such as the error of fetch. */
    readonly cause: unknown;
}
/**
 * Returns the error of a response. A response of something else, such as the page of a
 * proxy, becomes server_error with the status.
 */
export declare function toError(response: Response, text: string): SlipwayError;
export {};
