import { VeilTimeoutError } from "./errors.ts";

/** Ends an exchange in which no data moves anymore. */
export interface IdleWatch {
  /** Aborted when no data has moved for too long, or when the caller's own signal aborts. */
  readonly signal: AbortSignal;
  /** Call when data was sent or received. */
  moved(): void;
  /** Stops the timeout until the next call of `moved`. */
  pause(): void;
}

/** Starts to watch an exchange. */
export function watchIdleness(idleTimeoutMs: number, callerSignal: AbortSignal | undefined): IdleWatch {
  const controller = new AbortController();
  const signal =
    callerSignal === undefined ? controller.signal : AbortSignal.any([callerSignal, controller.signal]);
  const giveUp = (): void => {
    controller.abort(new VeilTimeoutError(`No data moved for ${idleTimeoutMs / 1000} seconds.`));
  };
  let timer = setTimeout(giveUp, idleTimeoutMs);
  return {
    signal,
    moved() {
      clearTimeout(timer);
      timer = setTimeout(giveUp, idleTimeoutMs);
    },
    pause() {
      clearTimeout(timer);
    },
  };
}
