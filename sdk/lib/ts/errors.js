/** An error response of the server. */
export class SlipwayError extends Error {
    name = "SlipwayError";
    /** HTTP status. */
    status;
    /** Kind of the error. Errors of the token endpoint have the codes of OAuth. */
    code;
    /** Include it when you contact support. */
    requestId;
    /** Every field, parameter or state that caused the error. */
    details;
    /** Explains the error and what to do. */
    docUrl;
    /** Seconds after which to send the request again, 0 if the server didn't say. */
    retryAfter;
    constructor(response, body) {
        super(body.message);
        this.status = response.status;
        this.code = body.code;
        this.requestId = body.request_id || response.headers.get("Request-Id") || "";
        this.details = body.details || [];
        this.docUrl = body.doc_url || "";
        this.retryAfter = retryAfter(response.headers.get("Retry-After"));
    }
    /** Returns what is wrong with a field. */
    field(name) {
        return this.details.find((d) => d.field === name)?.message;
    }
}
/** There was no complete response. */
export class ConnectionError extends Error {
    name = "ConnectionError";
    /** @internal */
    constructor(request, cause) {
        super(`${request}: ${reasons(cause)}`, { cause });
    }
}
/** The message of an error and of its causes: "fetch failed" alone doesn't say that the connection was refused. */
function reasons(error) {
    const { message, code, cause } = (error ?? {});
    const text = message || code || String(error);
    return cause ? `${text}: ${reasons(cause)}` : text;
}
/**
 * Returns the error of a response. A response of something else, such as the page of a
 * proxy, becomes server_error with the status.
 */
export function toError(response, text) {
    const json = parse(text);
    const error = json?.error;
    if (typeof error === "string") {
        return new SlipwayError(response, { code: error, message: json?.error_description || error });
    }
    return new SlipwayError(response, error?.code ? error : { code: "server_error", message: `The response is not from Slipway: ${response.status}` });
}
function parse(text) {
    try {
        return JSON.parse(text);
    }
    catch {
        return undefined;
    }
}
/** Parses seconds or a date. */
function retryAfter(value) {
    if (!value)
        return 0;
    const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
    return Math.max(0, seconds || 0);
}
