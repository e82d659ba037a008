import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";

const SAMPLE_INTERVAL_MS = 20;
/** Linux reports processor times in hundredths of a second, regardless of the rate of its own clock. */
const TICK_MS = 10;
/** The positions, after a process's name, of its user and system time and of those of its ended children (proc_pid_stat(5)). */
const OWN_TIMES = [11, 12];
const TIMES_OF_ENDED_CHILDREN = [13, 14];

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
}

/** Returns the given processes and all their descendants. */
function familyOf(ancestors: readonly number[]): Process[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid=,comm="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .map((match) => ({
      pid: Number(match?.[1]),
      parent: Number(match?.[2]),
      name: basename(match?.[3] ?? ""),
    }));
  const family = new Set(ancestors);
  // A child may precede its parent in the table.
  for (let size = 0; size !== family.size;) {
    size = family.size;
    for (const { pid, parent } of table) if (family.has(parent)) family.add(pid);
  }
  return table.filter(({ pid }) => family.has(pid));
}

/** Returns the workerd processes among the descendants of the given processes. */
export function workerdProcesses(ancestors: readonly number[]): number[] {
  return familyOf(ancestors)
    .filter(({ name }) => name.startsWith("workerd"))
    .map(({ pid }) => pid);
}

/** The processes of the service that `npm start` runs, as `.veil/service.json` lists them: inference and the workerds. */
export function serviceProcesses(pids: readonly number[]): {
  inference: number;
  storage: number;
  api: number;
  jobs: number[];
} {
  const [, inference = 0, workers = 0] = pids;
  const all = workerdProcesses([workers]).sort((a, b) => a - b);
  // The workerds are in the order in which scripts/workers.ts starts them.
  const [storage, api] = [all[0], all.at(-1)];
  if (storage === undefined || api === undefined || all.length < 4)
    throw new Error("The Workers do not run in the processes that were expected.");
  return { inference, storage, api, jobs: all.slice(1, -1) };
}

/** Returns the resident memory of a process in bytes, or 0 when the process has ended. */
export function residentBytes(pid: number): number {
  const file = `/proc/${pid}/status`;
  if (existsSync("/proc/self/status")) {
    if (!existsSync(file)) return 0;
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(file, "utf8"))?.[1] ?? 0) * 1024;
  }
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) * 1024;
}

/** Returns the processor time that the processes have used so far, in milliseconds. Only Linux reports it; other systems give 0. */
export function processorMs(pids: readonly number[]): number {
  return sumOfTimes(pids, OWN_TIMES);
}

/** Returns the processor time of a process and all its descendants, including those that have ended. */
export function familyProcessorMs(pid: number): number {
  const family = familyOf([pid]).map((member) => member.pid);
  return sumOfTimes(family, [...OWN_TIMES, ...TIMES_OF_ENDED_CHILDREN]);
}

function sumOfTimes(pids: readonly number[], times: readonly number[]): number {
  const ticks = pids.flatMap((pid) => {
    const file = `/proc/${pid}/stat`;
    if (!existsSync(file)) return [];
    // The name is in parentheses and may contain spaces.
    const fields = readFileSync(file, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return times.map((time) => Number(fields[time] ?? 0));
  });
  return ticks.reduce((sum, value) => sum + value, 0) * TICK_MS;
}

/** Returns how many bytes the memory of each process rose above its start while `work` ran. Each process counts at its own peak. */
export async function peakGrowthBytes(
  pids: readonly number[],
  work: () => Promise<void>,
): Promise<{ pid: number; beforeBytes: number; growthBytes: number }[]> {
  const samples = pids.map((pid) => ({ pid, beforeBytes: residentBytes(pid), peakBytes: 0 }));
  const timer = setInterval(() => {
    for (const sample of samples) sample.peakBytes = Math.max(sample.peakBytes, residentBytes(sample.pid));
  }, SAMPLE_INTERVAL_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return samples.map(({ pid, beforeBytes, peakBytes }) => ({
    pid,
    beforeBytes,
    growthBytes: Math.max(0, peakBytes - beforeBytes),
  }));
}
