/** Ends an exchange in which nothing moves any more. */
export interface IdleWatch {
    /** Aborts when nothing has moved for too long, or when the caller's own signal does. */
    readonly signal: AbortSignal;
    /** Something has been sent or received. */
    moved(): void;
    /** Nothing is expected to move until something has. */
    pause(): void;
}
/** Starts to watch over an exchange. */
export declare function watchIdleness(idleTimeoutMs: number, callerSignal: AbortSignal | undefined): IdleWatch;
