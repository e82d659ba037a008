/** An account's place among those that take turns: see `src/work/jobs/account-turns.table.ts`. */
export interface Turn<Job> {
  readonly weight: number;
  readonly mostAtOnce: number;
  readonly waiting: Job[];
  running: number;
  finishTag: number;
}

/**
 * Start-time fair queueing among accounts, as in `src/work/jobs/account-turns.repository.ts`. The account with the lowest finish tag is
 * next. Each of its jobs moves that tag by the reciprocal of its weight.
 */
export class FairTurns<Job> {
  readonly #waiting = new Set<Turn<Job>>();
  #virtualTime = 0;
  #count = 0;

  /** How many jobs wait, of all accounts. */
  get waiting(): number {
    return this.#count;
  }

  /** A place for an account. `mostAtOnce` is how many of its jobs run at once. */
  join({ weight, mostAtOnce }: { weight: number; mostAtOnce: number }): Turn<Job> {
    return { weight, mostAtOnce, waiting: [], running: 0, finishTag: 0 };
  }

  /** Adds a job of an account. */
  add(turn: Turn<Job>, job: Job): void {
    turn.waiting.push(job);
    this.#waiting.add(turn);
    this.#count++;
  }

  /** Whether a job could be claimed now. */
  isAnyClaimable(): boolean {
    return this.#next() !== undefined;
  }

  /** Claims the fairest job. Returns undefined if none may run now. */
  claim(): { readonly turn: Turn<Job>; readonly job: Job } | undefined {
    const turn = this.#next();
    const job = turn?.waiting.shift();
    if (turn === undefined || job === undefined) return undefined;
    if (turn.waiting.length === 0) this.#waiting.delete(turn);
    this.#count--;
    turn.running++;
    this.#virtualTime = Math.max(turn.finishTag, this.#virtualTime);
    turn.finishTag = this.#virtualTime + 1 / turn.weight;
    return { turn, job };
  }

  /** Records the end of a claimed job. */
  end(turn: Turn<Job>): void {
    turn.running--;
  }

  #next(): Turn<Job> | undefined {
    let next: Turn<Job> | undefined;
    for (const turn of this.#waiting)
      if (turn.running < turn.mostAtOnce && (next === undefined || turn.finishTag < next.finishTag))
        next = turn;
    return next;
  }
}
