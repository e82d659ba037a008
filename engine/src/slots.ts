/** Limits concurrency. Further work waits, in the order in which it came. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Takes a slot.
   *
   * @returns a function that releases the slot
   * @throws the signal's reason if it is aborted first, without taking a slot
   */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    return () => {
      const [next] = this.#waiting;
      if (next === undefined) this.#free += 1;
      else next();
    };
  }

  async #turn(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(enter);
        reject(signal.reason as Error);
      };
      const enter = (): void => {
        this.#waiting.delete(enter);
        signal.removeEventListener("abort", leave);
        resolve();
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.add(enter);
    });
  }
}
