/** One step of a file's way: how long it took, and how long the machine needs for its work alone. */
export interface Step {
  readonly step: string;
  readonly ms: number;
  /** The machine's limit for the step's work; undefined if the step is not work. */
  readonly limitMs?: number | undefined;
  /** What the limit is a measure of. */
  readonly limitOf?: string | undefined;
}

/** A Markdown table of steps, with the share that each has of the whole. */
export function stepTable(title: string, steps: readonly Step[], totalMs: number): string {
  const rows = steps.map(({ step, ms, limitMs, limitOf }) => {
    const limit = limitMs === undefined ? "" : `${limitMs.toFixed(0)} ms: ${limitOf ?? ""}`;
    return `| ${step} | ${ms.toFixed(0)} ms | ${((100 * ms) / totalMs).toFixed(0)} % | ${limit} |`;
  });
  return [
    `| ${title} | Time | Share | The machine's limit |`,
    "| --- | --- | --- | --- |",
    ...rows,
    `| **In all** | ${totalMs.toFixed(0)} ms | 100 % | |`,
  ].join("\n");
}
