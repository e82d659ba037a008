import { ServiceError } from "../platform/errors.ts";

/** The bounded queue at the door: so many requests are inside at once, the next one is sent away. */
export class Admission {
  readonly #limit: number;
  #inside = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Requests inside. */
  get inside(): number {
    return this.#inside;
  }

  /** Lets a request in while `work` runs; throws `overloaded` when the queue is full. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#limit) {
      throw new ServiceError({
        code: "overloaded",
        message: "The service has as many requests as it may queue. Try again shortly.",
        retryAfterSeconds: 1,
      });
    }
    this.#inside += 1;
    try {
      return await work();
    } finally {
      this.#inside -= 1;
    }
  }
}
