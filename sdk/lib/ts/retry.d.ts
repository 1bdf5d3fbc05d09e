export interface Retries {
    /** How often a request is sent again at most. Defaults to 3. */
    maxRetries?: number;
    /** Replaces the waits between attempts, for tests. */
    sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}
/** Calls attempt until it succeeds or fails permanently. */
export declare function retry<T>({ maxRetries, sleep }: Retries, signal: AbortSignal | undefined, attempt: (number: number) => Promise<T>, isRepeatable?: () => boolean): Promise<T>;
