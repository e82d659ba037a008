import { cancelled, throwIfAborted } from "./errors.ts";

interface Waiter {
  readonly enter: () => void;
  isGone: boolean;
}

/** Limits how many tasks run at once, first come, first served. A task whose signal fires stops waiting. */
export class Gate {
  readonly #places: number;
  #free: number;
  readonly #waiters: Waiter[] = [];

  constructor(places: number) {
    this.#places = places;
    this.#free = places;
  }

  /** Number of tasks that hold a place. */
  get inside(): number {
    return this.#places - this.#free;
  }

  /** Number of tasks that wait. */
  get waiting(): number {
    return this.#waiters.filter((waiter) => !waiter.isGone).length;
  }

  /**
   * Runs `work` while holding a place.
   * @throws ServiceError `cancelled` if the signal fires before a place is free.
   */
  async hold<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    throwIfAborted(signal);
    await this.#enter(signal);
    try {
      throwIfAborted(signal);
      return await work();
    } finally {
      this.#leave();
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        isGone: false,
        enter: () => {
          signal.removeEventListener("abort", leave);
          resolve();
        },
      };
      const leave = (): void => {
        waiter.isGone = true;
        reject(cancelled());
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiters.push(waiter);
    });
  }

  #leave(): void {
    let next = this.#waiters.shift();
    while (next?.isGone === true) next = this.#waiters.shift();
    if (next === undefined) this.#free += 1;
    else next.enter();
  }
}
