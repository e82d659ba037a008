/** When the sweeper last ran, and for how long. */
export interface SweepRun {
  readonly endedAtMs: number;
  readonly durationMs: number;
}

let last: SweepRun | undefined;

/** Remembers a run of the sweeper in this process only. */
export function noteSweep(run: SweepRun): void {
  last = run;
}

/** The sweeper's last run in this process; undefined before the first. */
export function lastSweep(): SweepRun | undefined {
  return last;
}
