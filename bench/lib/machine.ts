import { availableParallelism, cpus, loadavg, totalmem, type, release, arch } from "node:os";
import { rounded } from "./statistics.ts";

/** The machine that produced a figure. */
export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGigabytes: number;
  readonly system: string;
  readonly node: string;
}

export function describeMachine(): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memoryGigabytes: rounded(totalmem() / 1e9, 1),
    system: `${type()} ${release().split("-")[0] ?? ""} ${arch()}`,
    node: process.version,
  };
}

/**
 * The average number of processes that ran or waited for a core during the last minute. A value above the number of cores means
 * that other work ran at the same time.
 */
export function loadAverage(): number {
  return rounded(loadavg()[0] ?? 0);
}
