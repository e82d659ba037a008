interface Scheduled {
  readonly atMs: number;
  /** Events of the same time run in the order in which they were scheduled. */
  readonly order: number;
  readonly run: () => void;
}

/** The clock of a simulation: runs events in the order of their times. A binary heap holds those to come. */
export class EventQueue {
  #nowMs = 0;
  #scheduled = 0;
  readonly #heap: Scheduled[] = [];

  /** The simulated time in milliseconds since the start. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Runs `run` after a delay in milliseconds. */
  after(delayMs: number, run: () => void): void {
    const event = { atMs: this.#nowMs + delayMs, order: this.#scheduled++, run };
    const heap = this.#heap;
    let index = heap.length;
    heap.push(event);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || isBefore(above, event)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = event;
  }

  /** Runs events until none is left or the next one is due after `untilMs`. */
  run(untilMs = Number.POSITIVE_INFINITY): void {
    for (let next = this.#heap[0]; next !== undefined && next.atMs <= untilMs; next = this.#heap[0]) {
      this.#removeFirst();
      this.#nowMs = next.atMs;
      next.run();
    }
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      let below = heap[child];
      const right = heap[child + 1];
      if (below === undefined) break;
      if (right !== undefined && isBefore(right, below)) {
        below = right;
        child++;
      }
      if (isBefore(last, below)) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
  }
}

function isBefore(a: Scheduled, b: Scheduled): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
