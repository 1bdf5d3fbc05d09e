/** The message wasn't signed with the secret, or too long ago. */
export class SignatureError extends Error {
    name = "SignatureError";
}
/** How old a message can be, in seconds, so that a recorded message can't be sent again. */
const tolerance = 5 * 60;
/**
 * Verifies the signature of a message that your webhook received, and returns its event. The body
 * must be the text or the bytes that were received. The secret starts with whsec_.
 *
 * An event of a type that this SDK doesn't know is returned as it is: handle it in `default`.
 */
export async function parseWebhook(body, headers, secret, now = Date.now()) {
    const text = typeof body === "string" ? body : new TextDecoder().decode(body);
    await verify(text, (name) => String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? ""), secret, now);
    return JSON.parse(text);
}
/** Implements https://www.standardwebhooks.com. */
async function verify(text, header, secret, now) {
    const id = header("webhook-id");
    const timestamp = header("webhook-timestamp");
    const raw = fromBase64(secret.replace(/^whsec_/, ""));
    if (!raw?.length)
        throw new TypeError("The webhook secret must be whsec_ and base64.");
    if (!id || !/^\d+$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > tolerance) {
        throw new SignatureError("The webhook message is too old, or its headers are missing.");
    }
    const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    const data = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
    for (const part of header("webhook-signature").split(" ")) { // one for each active secret
        const signature = part.startsWith("v1,") && fromBase64(part.slice(3));
        if (signature && (await crypto.subtle.verify("HMAC", key, signature, data)))
            return;
    }
    throw new SignatureError("Invalid webhook signature.");
}
function fromBase64(text) {
    try {
        return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    }
    catch {
        return undefined;
    }
}
