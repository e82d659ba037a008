import { relative } from "node:path";
import { availableParallelism, cpus, loadavg, totalmem, type, release, arch } from "node:os";
import { ROOT } from "../../scripts/lib/wrangler.ts";
import { rounded } from "./statistics.ts";

/** The machine that produced a figure. */
interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGigabytes: number;
  readonly system: string;
  readonly node: string;
}

function describeMachine(): Machine {
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
function loadAverage(): number {
  return rounded(loadavg()[0] ?? 0);
}

/** One figure and its limit, if a claim sets one. A measure without a limit is only reported. */
export interface Finding {
  readonly claim: string;
  readonly unit: string;
  readonly measured: number;
  readonly limit: number | null;
  readonly isMet: boolean | null;
}

/** The report that a benchmark prints. */
export interface Report {
  readonly benchmark: string;
  readonly command: string;
  readonly date: string;
  readonly machine: Machine;
  readonly loadAverage: { readonly before: number; readonly after: number };
  readonly findings: readonly Finding[];
  readonly details: object;
}

/** The text of a report's summary, which is committed. It has one line per finding and leaves out the individual values. */
export function summaryText(report: Report): string {
  const { benchmark, command, date, machine, findings } = report;
  const about = { benchmark, command, date, machine, loadAverage: report.loadAverage };
  const head = JSON.stringify(about, null, 2).slice(0, -"\n}".length);
  const lines = findings.map((finding) => `    ${JSON.stringify(finding)}`);
  return `${head},\n  "findings": [\n${lines.join(",\n")}\n  ]\n}\n`;
}

/** A measure that must not exceed its limit. */
export function atMost(limit: number, finding: { claim: string; unit: string; measured: number }): Finding {
  return { ...finding, limit, isMet: finding.measured <= limit };
}

/** A measure that must reach its limit. */
export function atLeast(limit: number, finding: { claim: string; unit: string; measured: number }): Finding {
  return { ...finding, limit, isMet: finding.measured >= limit };
}

/** A measure that no claim limits. */
export function reported(finding: { claim: string; unit: string; measured: number }): Finding {
  return { ...finding, limit: null, isMet: null };
}

/**
 * Runs a benchmark and prints its report as JSON on standard output; progress belongs on standard error.
 * @param variant what its result is named after, if its options change what it measures
 */
export async function runBenchmark(
  script: string,
  measure: () => Promise<{ findings: readonly Finding[]; details: object }>,
  variant?: string,
): Promise<void> {
  const before = loadAverage();
  const date = new Date().toISOString();
  const { findings, details } = await measure();
  const file = relative(ROOT, script);
  const name = file.replace(/^bench\//, "").replace(/\.ts$/, "");
  const report: Report = {
    benchmark: variant === undefined ? name : `${name}-${variant}`,
    command: ["node", file, ...process.argv.slice(2)].join(" "),
    date,
    machine: describeMachine(),
    loadAverage: { before, after: loadAverage() },
    findings,
    details,
  };
  console.log(JSON.stringify(report, null, 2));
}

/** Reports the progress of a benchmark on standard error. */
export function progress(text: string): void {
  console.error(text);
}
