/**
 * Polls at a steady rate in its own thread, however long the responses take. A poll's time counts from when the poll was due,
 * so that a stalled service does not receive fewer polls.
 */
import { setTimeout as delay } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { LoadClient, type Target } from "../lib/http-load.ts";

/** The settings that a poller receives. */
export interface PollerOrder {
  readonly targets: readonly Target[];
  readonly pollsPerSecond: number;
  readonly seconds: number;
  readonly connections: number;
}

export interface PollerFigures {
  readonly latenciesMs: readonly number[];
  readonly errors: number;
}

const { targets, pollsPerSecond, seconds, connections } = workerData as PollerOrder;
const client = new LoadClient(connections);
const startedAtMs = performance.now();
const latenciesMs: number[] = [];
let errors = 0;
const polls: Promise<void>[] = [];
for (let sent = 0; sent < pollsPerSecond * seconds; sent++) {
  const dueAtMs = startedAtMs + (sent * 1000) / pollsPerSecond;
  const waitMs = dueAtMs - performance.now();
  if (waitMs > 0) await delay(waitMs);
  const target = targets[sent % targets.length];
  if (target === undefined) throw new Error("There is nothing to poll.");
  polls.push(
    client.get(target).then(
      () => void latenciesMs.push(performance.now() - dueAtMs),
      () => void (errors += 1),
    ),
  );
}
await Promise.all(polls);
client.close();
parentPort?.postMessage({ latenciesMs, errors } satisfies PollerFigures);
