/** Is a poll nearly as cheap as it can be? `GET /media/{id}` beside a bare Hono route with one D1 read. */
import { withBareRuntime } from "./lib/bare-runtime.ts";
import { LoadClient, type Target } from "./lib/http-load.ts";
import { mediaIdOf } from "./lib/media-rows.ts";
import { atMost, progress, runBenchmark } from "./lib/report.ts";
import { median, percentile, rounded } from "./lib/statistics.ts";

const LIMIT = 1.5;
const PROCESSES = 3;
const WARM_UP_REQUESTS = 300;
const SEQUENTIAL_ROUNDS = 20;
const SEQUENTIAL_REQUESTS = 25;
const CONCURRENT_ROUNDS = 4;
const CONCURRENT_REQUESTS = 240;
const CONCURRENCY = 16;
const MEDIA_ROWS = 1_000;

/** The two routes, or what was measured of each. */
interface Pair<T> {
  readonly bare: T;
  readonly poll: T;
}

/** Measures both in alternating order, over and over, so that whatever else the machine does meets both alike. */
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

interface ProcessResult {
  readonly medianMs: Pair<number>;
  readonly p95Ms: Pair<number>;
  readonly msPerAnswer: Pair<number>;
}

async function measureProcess(origin: string, apiKey: string): Promise<ProcessResult> {
  const mediaId = mediaIdOf(MEDIA_ROWS / 2);
  const targets = {
    bare: { url: `${origin}/bare/media/${mediaId}` },
    poll: { url: `${origin}/api/v1/media/${mediaId}`, headers: { Authorization: `Bearer ${apiKey}` } },
  };
  const client = new LoadClient(CONCURRENCY);
  try {
    for (const target of [targets.bare, targets.poll]) await client.warmUp(target, WARM_UP_REQUESTS);
    const single = await alternating(
      SEQUENTIAL_ROUNDS,
      targets,
      async (target) => await client.latenciesMs(target, SEQUENTIAL_REQUESTS),
    );
    const load = { count: CONCURRENT_REQUESTS, concurrency: CONCURRENCY };
    const loaded = await alternating(
      CONCURRENT_ROUNDS,
      targets,
      async (target) => 1000 / (await client.requestsPerSecond(target, load)),
    );
    return {
      medianMs: each((route) => median(single.flatMap((pair) => pair[route]))),
      p95Ms: each((route) =>
        percentile(
          single.flatMap((pair) => pair[route]),
          0.95,
        ),
      ),
      msPerAnswer: each((route) => median(loaded.map((pair) => pair[route]))),
    };
  } finally {
    client.close();
  }
}

function each<T>(of: (route: keyof Pair<T>) => T): Pair<T> {
  return { bare: of("bare"), poll: of("poll") };
}

const ratio = ({ bare, poll }: Pair<number>): number => poll / bare;

await runBenchmark(import.meta.filename, async () => {
  const results: ProcessResult[] = [];
  for (let process = 1; process <= PROCESSES; process++) {
    progress(`poll: process ${process} of ${PROCESSES}`);
    results.push(
      await withBareRuntime(MEDIA_ROWS, async ({ origin, apiKey }) => await measureProcess(origin, apiKey)),
    );
  }
  const finding = (measure: keyof ProcessResult, name: string) =>
    atMost(LIMIT, {
      claim: `A poll costs at most 1.5 times a bare Hono route that does one D1 read in the same workerd: ${name}`,
      unit: "times the bare route",
      measured: rounded(median(results.map((result) => ratio(result[measure])))),
    });
  const shown = (measure: keyof ProcessResult): Pair<number> =>
    each((route) => rounded(median(results.map((result) => result[measure][route]))));
  return {
    findings: [
      finding("medianMs", "median latency, one client"),
      finding("p95Ms", "95th percentile of latency, one client"),
      finding("msPerAnswer", `time an answer, ${CONCURRENCY} clients`),
    ],
    details: {
      processes: PROCESSES,
      latencyMedianMs: shown("medianMs"),
      latencyP95Ms: shown("p95Ms"),
      msPerAnswerUnderLoad: shown("msPerAnswer"),
      ratios: results.map((result) => ({
        latencyMedian: rounded(ratio(result.medianMs)),
        latencyP95: rounded(ratio(result.p95Ms)),
        underLoad: rounded(ratio(result.msPerAnswer)),
      })),
    },
  };
});
