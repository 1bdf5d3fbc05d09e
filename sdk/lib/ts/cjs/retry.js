"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.retry = retry;
const errors_ts_1 = require("./errors.js");
/** The longest Retry-After to wait for, in seconds. */
const maxWait = 60;
/** Calls attempt until it succeeds or fails permanently. */
async function retry({ maxRetries = 3, sleep = wait }, signal, attempt, isRepeatable = () => true) {
    for (let number = 1;; number++) {
        try {
            return await attempt(number);
        }
        catch (error) {
            const seconds = (error instanceof errors_ts_1.SlipwayError && error.retryAfter) || backoff(number);
            if (!isRepeatable() || number > maxRetries || signal?.aborted || !isTemporary(error) || seconds > maxWait)
                throw error;
            await sleep(seconds * 1000, signal);
        }
    }
}
/** Between half and all of 0.5, 1, 2, 4 and 8 seconds. */
function backoff(attempt) {
    return Math.min(8, 2 ** (attempt - 2)) * (0.5 + Math.random() / 2);
}
function isTemporary(error) {
    if (!(error instanceof errors_ts_1.SlipwayError))
        return error instanceof errors_ts_1.ConnectionError;
    return error.status === 429 || error.status >= 500 || (error.status === 409 && error.retryAfter > 0);
}
/** Waits, unless the signal is aborted first. */
function wait(milliseconds, signal) {
    return new Promise((resolve, reject) => {
        const cancel = () => {
            clearTimeout(timer);
            reject(signal?.reason);
        };
        const timer = setTimeout(() => {
            signal?.removeEventListener("abort", cancel);
            resolve();
        }, milliseconds);
        signal?.addEventListener("abort", cancel, { once: true });
    });
}
