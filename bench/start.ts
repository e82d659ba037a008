/** Measures the start of the service until all parts answer, in processor time and in elapsed time. */
import { familyProcessorMs } from "./lib/process-memory.ts";
import { atMost, progress, reported, runBenchmark } from "./lib/report.ts";
import { withServiceIn } from "./lib/service.ts";
import { median, rounded } from "./lib/statistics.ts";
import { withTemporaryFolder } from "./lib/temporary.ts";

const LIMIT_SECONDS = 10;
const RUNS = 3;

interface Start {
  readonly processorSeconds: number;
  readonly seconds: number;
}

await runBenchmark(import.meta.filename, async () => {
  // This run builds the Workers if their sources have changed since the last build.
  const first = await withTemporaryFolder(start);
  const fresh: Start[] = [];
  const again: Start[] = [];
  for (let run = 1; run <= RUNS; run++) {
    progress(`start: ${run} of ${RUNS}`);
    await withTemporaryFolder(async (folder) => {
      fresh.push(await start(folder));
      again.push(await start(folder));
    });
  }
  return {
    findings: [...findings("a start with no data", fresh), ...findings("a start with data", again)],
    details: {
      note: "From the start of scripts/start.ts until all parts answer. Processor time is that of all processes, user and system. The first start also builds the Workers, unless they were built from the same sources before.",
      first,
      fresh,
      again,
    },
  };
});

function findings(what: string, starts: readonly Start[]) {
  return [
    atMost(LIMIT_SECONDS, {
      claim: `Seconds until all parts answer: ${what}, median of ${RUNS}`,
      unit: "s",
      measured: median(starts.map(({ seconds }) => seconds)),
    }),
    reported({
      claim: `Processor time of ${what}, median of ${RUNS}`,
      unit: "s",
      measured: median(starts.map(({ processorSeconds }) => processorSeconds)),
    }),
  ];
}

/** Starts the service in a folder, and stops it once it is ready. */
async function start(folder: string): Promise<Start> {
  const startedAtMs = performance.now();
  return await withServiceIn(folder, (pid) =>
    Promise.resolve({
      processorSeconds: rounded(familyProcessorMs(pid) / 1000, 1),
      seconds: rounded((performance.now() - startedAtMs) / 1000, 1),
    }),
  );
}
