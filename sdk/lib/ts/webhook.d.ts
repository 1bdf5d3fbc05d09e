import type { Event } from "./types.gen.ts";
/** The message wasn't signed with the secret, or too long ago. */
export declare class SignatureError extends Error {
    readonly name = "SignatureError";
}
/**
 * Verifies the signature of a message that your webhook received, and returns its event. The body
 * must be the text or the bytes that were received. The secret starts with whsec_.
 *
 * An event of a type that this SDK doesn't know is returned as it is: handle it in `default`.
 */
export declare function parseWebhook(body: string | Uint8Array, headers: Headers | Record<string, string | string[] | undefined>, secret: string, now?: number): Promise<Event>;
