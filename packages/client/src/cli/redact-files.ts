import { VeilClient } from "../client.ts";
import { VeilError } from "../errors.ts";
import type { Order } from "./arguments.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { planOf, type Plan, type Task } from "./inputs.ts";
import { UsageError } from "./option-values.ts";
import { endsAll, hasOutput, redactFile, type Outcome, type Work } from "./redact-file.ts";
import { readRegions } from "./regions-file.ts";
import { createReport, type Report } from "./report.ts";
import { findService, type FoundService } from "./service.ts";
import type { Region } from "../types.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const CLEAN_UP_MS = 10_000;

/** Redacts all files of an order and reports each. @throws UsageError before anything is sent */
export async function redactFiles(order: Order): Promise<ExitCode> {
  const planned = await planOf(order, process.cwd());
  const { tasks, leftAlone } = order.isSkippingExisting ? await withoutExisting(planned) : planned;
  const moreRegions = order.regionsPath === undefined ? [] : await readRegions(order.regionsPath);
  const service = await findService(order, process.cwd());
  const client = clientOf(service, order);
  const report = createReport(order, tasks.length);
  const interrupt = new AbortController();
  const work: Work = {
    client,
    order: withRegions(order, moreRegions),
    signal: interrupt.signal,
    unfinished: new Set(),
    taken: new Map(),
  };
  const stopListening = onInterruption(() => interrupt.abort());
  if (service.note !== undefined) report.say(service.note);
  for (const file of leftAlone) report.leave(file);
  try {
    const outcomes = await redactAll(work, tasks, report);
    await forget(work);
    report.summarize(outcomes, leftAlone.length);
    if (interrupt.signal.aborted) return EXIT.interrupted;
    if (outcomes.some(({ error }) => error !== undefined && endsAll(error))) return EXIT.stopped;
    if (outcomes.some(({ error }) => error !== undefined)) return EXIT.someFailed;
    return leftAlone.some(({ reason }) => reason === "skipped") ? EXIT.leftAlone : EXIT.allRedacted;
  } finally {
    stopListening();
    report.end();
  }
}

/** Removes the files whose output exists. */
async function withoutExisting({ tasks, leftAlone }: Plan): Promise<Plan> {
  const found = await Promise.all(tasks.map(async (task) => ({ task, isSkipped: await hasOutput(task) })));
  const skipped = found.filter(({ isSkipped }) => isSkipped);
  return {
    tasks: found.filter(({ isSkipped }) => !isSkipped).map(({ task }) => task),
    leftAlone: [
      ...leftAlone,
      ...skipped.map(({ task }) => ({ name: task.name, reason: "output_exists" as const })),
    ],
  };
}

/** @throws UsageError when the base URL cannot be used */
export function clientOf(
  { baseUrl, apiKey }: FoundService,
  { allowHttp }: Pick<Order, "allowHttp">,
): VeilClient {
  try {
    return new VeilClient({ baseUrl, apiKey, allowHttp });
  } catch (error) {
    throw error instanceof VeilError ? new UsageError(error.message) : error;
  }
}

function withRegions(order: Order, more: readonly Region[]): Order {
  if (more.length === 0) return order;
  return { ...order, masking: { ...order.masking, regions: [...(order.masking.regions ?? []), ...more] } };
}

/** Processes the tasks, several at once. Starts no new ones once continuing is pointless. */
async function redactAll(work: Work, tasks: readonly Task[], report: Report): Promise<Outcome[]> {
  const waiting = [...tasks];
  const outcomes: Outcome[] = [];
  let isOver = false;
  const runner = async (): Promise<void> => {
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
      if (isOver || work.signal.aborted) return;
      const current = task;
      const outcome = await redactFile(work, current, (step) => report.step(current, step));
      outcomes.push(outcome);
      report.done(outcome);
      isOver ||= outcome.error !== undefined && endsAll(outcome.error);
    }
  };
  await Promise.all(Array.from({ length: work.order.concurrency }, runner));
  return outcomes;
}

/** After an abort, deletes uploaded items from the service, since they will not be downloaded. */
async function forget({ client, unfinished, signal }: Work): Promise<void> {
  if (!signal.aborted) return;
  const inTime = AbortSignal.timeout(CLEAN_UP_MS);
  await Promise.allSettled([...unfinished].map(async (id) => await client.delete(id, { signal: inTime })));
}

/** The first interruption stops the work, and the second one stops the process. */
function onInterruption(stop: () => void): () => void {
  const first = (): void => {
    stopListening();
    stop();
  };
  const stopListening = (): void => {
    for (const signal of SIGNALS) process.off(signal, first);
  };
  for (const signal of SIGNALS) process.on(signal, first);
  return stopListening;
}
