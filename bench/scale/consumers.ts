import type { EventQueue } from "./event-queue.ts";
import { FairTurns, type Turn } from "./fair-turns.ts";
import { visitAll, type Visit } from "./station.ts";

/** A job of a queue: what its account does, step by step, once it is claimed. */
export interface Job {
  readonly visits: readonly Visit[];
  readonly done: () => void;
}

/** How a queue is consumed. */
export interface ConsumerOptions {
  /** How many invocations run at once. */
  readonly atOnce: number;
  readonly deliveryMs: number;
  /** What each claim takes, whether or not it finds a job. */
  readonly claim: readonly Visit[];
  /** A holder of a permit begins at most so many jobs, during so long. */
  readonly jobsAPermit: number;
  readonly permitMs: number;
}

/** A queue of permits and its consumers, as `src/work/jobs/run-permit.ts` has them: each runs one job after another. */
export class Consumers {
  readonly turns = new FairTurns<Job>();
  readonly #events: EventQueue;
  readonly #options: ConsumerOptions;
  #permits = 0;
  #running = 0;
  #busyMs = 0;

  constructor(events: EventQueue, options: ConsumerOptions) {
    this.#events = events;
    this.#options = options;
  }

  /** Queues a job and sends its permit. */
  send(turn: Turn<Job>, job: Job): void {
    this.turns.add(turn, job);
    this.#sendPermit();
  }

  /** The share of all consumers' time that was used during so many milliseconds. */
  utilization(overMs: number): number {
    return this.#busyMs / (this.#options.atOnce * overMs);
  }

  #sendPermit(): void {
    this.#events.after(this.#options.deliveryMs, () => {
      this.#permits++;
      this.#start();
    });
  }

  #start(): void {
    if (this.#permits === 0 || this.#running >= this.#options.atOnce) return;
    this.#permits--;
    this.#running++;
    const startedAtMs = this.#events.nowMs;
    this.#next(startedAtMs, this.#options.jobsAPermit);
  }

  #next(startedAtMs: number, jobsLeft: number): void {
    const isUsedUp = jobsLeft === 0 || this.#events.nowMs >= startedAtMs + this.#options.permitMs;
    if (isUsedUp) {
      if (this.turns.isAnyClaimable()) this.#sendPermit();
      this.#release(startedAtMs);
      return;
    }
    visitAll(this.#options.claim, () => {
      const claimed = this.turns.claim();
      if (claimed === undefined) {
        this.#release(startedAtMs);
        return;
      }
      const { turn, job } = claimed;
      visitAll(job.visits, () => {
        this.turns.end(turn);
        job.done();
        this.#next(startedAtMs, jobsLeft - 1);
      });
    });
  }

  #release(startedAtMs: number): void {
    this.#busyMs += this.#events.nowMs - startedAtMs;
    this.#running--;
    this.#start();
  }
}
