/** What is wrong with a request. */
export type ErrorCode =
  | "bad_request"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "unprocessable"
  | "rate_limited"
  | "server_error"
  | "unavailable";

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
export class SlipwayError extends Error {
  override readonly name = "SlipwayError";
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

  constructor(response: Response, body: Body) {
    super(body.message);
    this.status = response.status;
    this.code = body.code;
    this.requestId = body.request_id || response.headers.get("Request-Id") || "";
    this.details = body.details || [];
    this.docUrl = body.doc_url || "";
    this.retryAfter = retryAfter(response.headers.get("Retry-After"));
  }

  /** Returns what is wrong with a field. */
  field(name: string): string | undefined {
    return this.details.find((d) => d.field === name)?.message;
  }
}

/** There was no complete response. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** Why, such as the error of fetch. */
  declare readonly cause: unknown;

  /** @internal */
  constructor(request: string, cause: unknown) {
    super(`${request}: ${reasons(cause)}`, { cause });
  }
}

/** The message of an error and of its causes: "fetch failed" alone doesn't say that the connection was refused. */
function reasons(error: unknown): string {
  const { message, code, cause } = (error ?? {}) as { message?: string; code?: string; cause?: unknown };
  const text = message || code || String(error);
  return cause ? `${text}: ${reasons(cause)}` : text;
}

/**
 * Returns the error of a response. A response of something else, such as the page of a
 * proxy, becomes server_error with the status.
 */
export function toError(response: Response, text: string): SlipwayError {
  const json = parse(text) as { error?: Body | string; error_description?: string } | undefined;
  const error = json?.error;
  if (typeof error === "string") {
    return new SlipwayError(response, { code: error, message: json?.error_description || error });
  }
  return new SlipwayError(
    response,
    error?.code ? error : { code: "server_error", message: `The response is not from Slipway: ${response.status}` },
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses seconds or a date. */
function retryAfter(value: string | null): number {
  if (!value) return 0;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Math.max(0, seconds || 0);
}
