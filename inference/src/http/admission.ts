import { ServiceError } from "../platform/errors.ts";

/** Limits the number of requests that are processed at once. Further requests are rejected. */
export class Admission {
  readonly #limit: number;
  #inside = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Number of requests being processed. */
  get inside(): number {
    return this.#inside;
  }

  /** Counts a request as processed while `work` runs. Throws `overloaded` if the limit is reached. */
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
