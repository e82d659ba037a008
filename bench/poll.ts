/** Tests whether a poll costs little more than the minimum: compares `GET /media/{id}` with a bare Hono route that makes one D1 read. */
import { once } from "node:events";
import { constants, setPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { withBareRuntime } from "./lib/bare-runtime.ts";
import { eachRoute, type Pair, type PollFigures } from "./lib/poll-figures.ts";
import { mediaIdOf } from "./lib/media-rows.ts";
import { atMost, progress, runBenchmark } from "./lib/report.ts";
import { median, rounded } from "./lib/statistics.ts";

const LIMIT = 1.5;
const PROCESSES = 3;
const MEDIA_ROWS = 1_000;
const CONCURRENCY = 16;

/**
 * Measures from a thread that does nothing else. This thread reads the runtime's log lines at a low priority: a reader in the
 * client's thread, or one that takes the runtime's processor, would add its time to the responses.
 */
async function measureProcess(origin: string, apiKey: string): Promise<PollFigures> {
  const mediaId = mediaIdOf(MEDIA_ROWS / 2);
  const targets = {
    bare: { url: `${origin}/bare/media/${mediaId}` },
    poll: { url: `${origin}/api/v1/media/${mediaId}`, headers: { Authorization: `Bearer ${apiKey}` } },
  };
  const client = new Worker(new URL("lib/poll-client.ts", import.meta.url), {
    workerData: { targets, concurrency: CONCURRENCY },
  });
  setPriority(constants.priority.PRIORITY_LOW);
  try {
    const [figures] = (await once(client, "message")) as [PollFigures];
    return figures;
  } finally {
    tryNormalPriority();
  }
}

/** Some users may not raise a priority again. In that case everything afterwards is slower, equally for both routes. */
function tryNormalPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_NORMAL);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SYSTEM_ERROR") throw error;
  }
}

function ratio({ bare, poll }: Pair<number>): number {
  return poll / bare;
}

await runBenchmark(import.meta.filename, async () => {
  const results: PollFigures[] = [];
  for (let process = 1; process <= PROCESSES; process++) {
    progress(`poll: process ${process} of ${PROCESSES}`);
    results.push(
      await withBareRuntime(MEDIA_ROWS, async ({ origin, apiKey }) => await measureProcess(origin, apiKey)),
    );
  }
  const finding = (measure: keyof PollFigures, name: string) =>
    atMost(LIMIT, {
      claim: `A poll costs at most 1.5 times a bare Hono route that does one D1 read in the same workerd: ${name}`,
      unit: "times the bare route",
      measured: rounded(median(results.map((result) => ratio(result[measure])))),
    });
  const shown = (measure: keyof PollFigures): Pair<number> =>
    eachRoute((route) => rounded(median(results.map((result) => result[measure][route]))));
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
