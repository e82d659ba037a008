/** The client of the poll benchmark. It runs in its own thread, requests both routes, and posts its measurements. */
import { parentPort, workerData } from "node:worker_threads";
import { LoadClient, type Target } from "./http-load.ts";
import { eachRoute, type Pair, type PollFigures } from "./poll-figures.ts";
import { median, percentile } from "./statistics.ts";

const WARM_UP_REQUESTS = 300;
const SEQUENTIAL_ROUNDS = 40;
const SEQUENTIAL_REQUESTS = 25;
const CONCURRENT_ROUNDS = 4;
const CONCURRENT_REQUESTS = 240;

/** Measures both routes repeatedly in alternating order, so that other work on the machine affects both equally. */
async function alternating<T>(
  rounds: number,
  targets: Pair<Target>,
  measure: (target: Target) => Promise<T>,
) {
  const measured: Pair<T>[] = [];
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) {
      const bare = await measure(targets.bare);
      measured.push({ bare, poll: await measure(targets.poll) });
    } else {
      const poll = await measure(targets.poll);
      measured.push({ bare: await measure(targets.bare), poll });
    }
  }
  return measured;
}

async function measureBoth(targets: Pair<Target>, concurrency: number): Promise<PollFigures> {
  const client = new LoadClient(concurrency);
  try {
    for (const target of [targets.bare, targets.poll]) await client.warmUp(target, WARM_UP_REQUESTS);
    const single = await alternating(
      SEQUENTIAL_ROUNDS,
      targets,
      async (target) => await client.latenciesMs(target, SEQUENTIAL_REQUESTS),
    );
    const loaded = await alternating(
      CONCURRENT_ROUNDS,
      targets,
      async (target) =>
        1000 / (await client.requestsPerSecond(target, { count: CONCURRENT_REQUESTS, concurrency })),
    );
    const latenciesMs = eachRoute((route) => single.flatMap((pair) => pair[route]));
    return {
      medianMs: eachRoute((route) => median(latenciesMs[route])),
      p95Ms: eachRoute((route) => percentile(latenciesMs[route], 0.95)),
      msPerAnswer: eachRoute((route) => median(loaded.map((pair) => pair[route]))),
    };
  } finally {
    client.close();
  }
}

const { targets, concurrency } = workerData as { targets: Pair<Target>; concurrency: number };
parentPort?.postMessage(await measureBoth(targets, concurrency));
