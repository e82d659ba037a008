/** How often and how patiently a call is repeated. */
export interface RetryPolicy {
    /** Repetitions after the first try. */
    readonly retries: number;
    /** Before the first repetition; doubled for each further one. */
    readonly firstDelayMs: number;
    /** A `Retry-After` beyond this is not waited for. */
    readonly longestDelayMs: number;
}
export declare const DEFAULT_RETRY: RetryPolicy;
/**
 * How long to wait before a call that ended with `fault` is made again, undefined when it is not. Waits grow by two, up
 * to a fifth shorter or longer; `Retry-After` (RFC 9110 §10.2.3) is kept to, up to a tenth longer.
 *
 * @param attempt repetitions so far
 */
export declare function delayBeforeRetryMs(fault: unknown, attempt: number, policy: RetryPolicy): number | undefined;
/** The seconds that a `Retry-After` names, as a number or as a date (RFC 9110 §10.2.3). */
export declare function retryAfterSecondsOf(header: string | null): number | undefined;
/** Resolves after `ms` milliseconds. @throws the signal's reason as soon as it aborts */
export declare function sleep(ms: number, signal?: AbortSignal): Promise<void>;
