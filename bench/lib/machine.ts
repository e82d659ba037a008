import { availableParallelism, cpus, loadavg, totalmem, type, release, arch } from "node:os";
import { rounded } from "./statistics.ts";

/** What a figure was measured on. */
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

/** Processes that ran or waited for a core, averaged over the last minute. More than the cores: others ran beside. */
export function loadAverage(): number {
  return rounded(loadavg()[0] ?? 0);
}
