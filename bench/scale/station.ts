import type { EventQueue } from "./event-queue.ts";

/** One use of a station. */
export interface Visit {
  readonly station: Station;
  readonly ms: number;
}

/** A resource with a number of servers. Whoever finds all of them busy waits, in the order of arrival. */
export class Station {
  readonly name: string;
  readonly servers: number;
  readonly #events: EventQueue;
  readonly #waiting: { readonly ms: number; readonly done: () => void }[] = [];
  #firstWaiting = 0;
  #busy = 0;
  #servedMs = 0;

  /** @param servers how many visits are served at once; `Infinity` for a station where nobody waits */
  constructor(events: EventQueue, name: string, servers: number) {
    this.#events = events;
    this.name = name;
    this.servers = servers;
  }

  /** Occupies a server for so many milliseconds, as soon as one is free, and then runs `done`. */
  visit(ms: number, done: () => void): void {
    if (this.#busy < this.servers) this.#serve(ms, done);
    else this.#waiting.push({ ms, done });
  }

  /** The share of its servers' time that was used during so many milliseconds: 1 is all of it. */
  utilization(overMs: number): number {
    return this.#servedMs / (this.servers * overMs);
  }

  #serve(ms: number, done: () => void): void {
    this.#busy++;
    this.#events.after(ms, () => {
      this.#servedMs += ms;
      this.#busy--;
      const next = this.#waiting[this.#firstWaiting];
      if (next !== undefined) {
        this.#forgetFirst();
        this.#serve(next.ms, next.done);
      }
      done();
    });
  }

  /** Moves past the first that waits. Shortens the list now and then: removing the first each time would take its whole length. */
  #forgetFirst(): void {
    this.#firstWaiting++;
    if (this.#firstWaiting < 1024 || this.#firstWaiting * 2 < this.#waiting.length) return;
    this.#waiting.splice(0, this.#firstWaiting);
    this.#firstWaiting = 0;
  }
}

/** Makes visits one after the other, and then runs `done`. */
export function visitAll(visits: readonly Visit[], done: () => void, from = 0): void {
  const visit = visits[from];
  if (visit === undefined) done();
  else
    visit.station.visit(visit.ms, () => {
      visitAll(visits, done, from + 1);
    });
}

/** The time of visits if nobody waits, in milliseconds. */
export function serviceMs(visits: readonly Visit[]): number {
  return visits.reduce((sum, { ms }) => sum + ms, 0);
}
