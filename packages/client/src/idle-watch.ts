import { VeilTimeoutError } from "./errors.ts";

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
