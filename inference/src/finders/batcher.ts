import type { Detection } from "../detections/detection.ts";
import { cancelled } from "../platform/errors.ts";
import type { Look } from "../models/read-answer.ts";

export interface BatchLimits {
  readonly maxViews: number;
  /** Most pixels of all views of a batch together. A larger view runs alone. */
  readonly maxPixels: number;
  /** How long the first view waits for views that are expected to join it. */
  readonly delayMs: number;
  /** How many batches run at once. */
  readonly parallelBatches: number;
}

/** Whether another view may soon join the batch of this look. */
export type ExpectsCompany = (look: Look) => boolean;

/** Runs a network on views of one size. The answers have the same order. */
export type RunBatch = (looks: readonly Look[]) => Promise<Detection[][]>;

interface Job {
  readonly look: Look;
  readonly resolve: (found: Detection[]) => void;
  readonly reject: (error: unknown) => void;
  readonly signal: AbortSignal;
  readonly leave: () => void;
  /** When the view was added, by `performance.now()`. */
  readonly since: number;
}

/**
 * Collects views of the same size, from any request, into batches for one network. The oldest view decides the size. A waiting
 * view is dropped if its caller has gone.
 */
export class Batcher {
  readonly #run: RunBatch;
  readonly #limits: BatchLimits;
  readonly #expectsCompany: ExpectsCompany;
  #waiting: Job[] = [];
  #running = 0;

  constructor(run: RunBatch, limits: BatchLimits, expectsCompany: ExpectsCompany) {
    this.#run = run;
    this.#limits = limits;
    this.#expectsCompany = expectsCompany;
  }

  /** Number of views that wait for a batch. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Adds a view to the next batch that has room for it.
   * @throws ServiceError `cancelled` if the signal fires first; any error of the network.
   */
  async add(look: Look, signal: AbortSignal): Promise<Detection[]> {
    if (signal.aborted) throw cancelled();
    return new Promise<Detection[]>((resolve, reject) => {
      const job: Job = {
        look,
        resolve,
        reject,
        signal,
        since: performance.now(),
        leave: () => {
          this.#waiting = this.#waiting.filter((other) => other !== job);
          reject(cancelled());
        },
      };
      signal.addEventListener("abort", job.leave, { once: true });
      this.#waiting.push(job);
      if (this.#running < this.#limits.parallelBatches) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#running += 1;
    while (this.#waiting.length > 0) {
      await delay(this.#leftToWaitMs());
      const jobs = this.#take();
      if (jobs.length > 0) await this.#answer(jobs);
    }
    this.#running -= 1;
  }

  #leftToWaitMs(): number {
    const [first] = this.#waiting;
    if (first === undefined || this.#isFull() || !this.#expectsCompany(first.look)) return 0;
    return this.#limits.delayMs - (performance.now() - first.since);
  }

  async #answer(jobs: readonly Job[]): Promise<void> {
    try {
      const answers = await this.#run(jobs.map((job) => job.look));
      for (const [i, job] of jobs.entries()) {
        const answer = answers[i];
        if (answer === undefined)
          job.reject(new Error("The network answered fewer views than it was given."));
        else job.resolve(answer);
      }
    } catch (error) {
      for (const job of jobs) job.reject(error);
    }
  }

  /** The views of the next batch: the oldest one and those of the same size. */
  #next(): Job[] {
    const [first] = this.#waiting;
    if (first === undefined) return [];
    const { width, height } = first.look.tensor;
    const fitting = Math.max(
      1,
      Math.min(this.#limits.maxViews, Math.floor(this.#limits.maxPixels / (width * height))),
    );
    return this.#waiting
      .filter(({ look: { tensor } }) => tensor.width === width && tensor.height === height)
      .slice(0, fitting);
  }

  #isFull(): boolean {
    const [first] = this.#waiting;
    if (first === undefined) return false;
    const pixels = first.look.tensor.width * first.look.tensor.height;
    return (
      this.#next().length >= Math.min(this.#limits.maxViews, Math.floor(this.#limits.maxPixels / pixels))
    );
  }

  #take(): Job[] {
    const jobs = this.#next();
    this.#waiting = this.#waiting.filter((job) => !jobs.includes(job));
    for (const job of jobs) job.signal.removeEventListener("abort", job.leave);
    return jobs;
  }
}

async function delay(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}
