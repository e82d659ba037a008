/** Tests whether a list stays cheap as an account grows: compares page 1 of 100,000 media items with page 1 of 100 in one database. */
import { createLimitedAccount, withBenchData, withBenchWorker } from "./lib/bench-worker.ts";
import { LoadClient } from "./lib/http-load.ts";
import { insertMediaRows } from "./lib/media-rows.ts";
import { atMost, progress, runBenchmark } from "./lib/report.ts";
import { median, percentile, rounded } from "./lib/statistics.ts";

const LIMIT = 3;
const FEW = 100;
const MANY = 100_000;
const WARM_UP_REQUESTS = 50;
const ROUNDS = 200;
const QUERIES = { "no filter": "", "by status": "&status=completed", "by type": "&media_type=image" };

await runBenchmark(import.meta.filename, async () => {
  const measured = await withBenchData(async (data) => {
    const few = await createLimitedAccount(data.target);
    const many = await createLimitedAccount(data.target);
    await insertMediaRows(data.target, { accountId: few.accountId, count: FEW, firstNumber: 1 });
    progress(`list: filling in ${MANY} media`);
    await insertMediaRows(data.target, { accountId: many.accountId, count: MANY, firstNumber: FEW + 1 });
    return await withBenchWorker(data, async (origin) => {
      const results = [];
      for (const [name, query] of Object.entries(QUERIES)) {
        progress(`list: ${name}`);
        results.push({
          name,
          ...(await compare(`${origin}/api/v1/media?page=1${query}`, few.apiKey, many.apiKey)),
        });
      }
      return results;
    });
  });
  return {
    findings: measured.map(({ name, fewMs, manyMs }) =>
      atMost(LIMIT, {
        claim: `Page 1 of 100,000 media takes at most 3 times as long as page 1 of 100: ${name}`,
        unit: "times the list of 100",
        measured: rounded(median(manyMs) / median(fewMs)),
      }),
    ),
    details: {
      requests: ROUNDS,
      latencies: measured.map(({ name, fewMs, manyMs }) => ({
        name,
        of100: { medianMs: rounded(median(fewMs)), p95Ms: rounded(percentile(fewMs, 0.95)) },
        of100000: { medianMs: rounded(median(manyMs)), p95Ms: rounded(percentile(manyMs, 0.95)) },
      })),
    },
  };
});

async function compare(
  url: string,
  fewKey: string,
  manyKey: string,
): Promise<{ fewMs: number[]; manyMs: number[] }> {
  const client = new LoadClient(1);
  const few = { url, headers: { Authorization: `Bearer ${fewKey}` } };
  const many = { url, headers: { Authorization: `Bearer ${manyKey}` } };
  await client.warmUp(few, WARM_UP_REQUESTS);
  await client.warmUp(many, WARM_UP_REQUESTS);
  const fewMs: number[] = [];
  const manyMs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    if (round % 2 === 0) fewMs.push(await client.latencyMs(few));
    manyMs.push(await client.latencyMs(many));
    if (round % 2 === 1) fewMs.push(await client.latencyMs(few));
  }
  client.close();
  return { fewMs, manyMs };
}
