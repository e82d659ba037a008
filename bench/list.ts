/**
 * Tests whether a list stays cheap as an account grows: compares page 1 of 100,000 media items with page 1 of 100, and of 10,000
 * files with three versions each with 10,000 that have one, in one database.
 */
import { createLimitedAccount, withBenchData, withBenchWorker } from "./lib/bench-worker.ts";
import { LoadClient } from "./lib/http-load.ts";
import { insertMediaRows, insertVersionRows } from "./lib/media-rows.ts";
import { atMost, progress, runBenchmark } from "./lib/report.ts";
import { median, percentile, rounded } from "./lib/statistics.ts";

const LIMIT = 3;
const FEW = 100;
const MANY = 100_000;
const FILES = 10_000;
const VERSIONS = 3;
const VERSIONS_LIMIT = 1.15;
const WARM_UP_REQUESTS = 50;
const ROUNDS = 200;
/** The files' list as a client reads it that knows versions, and as the plain contract has it. */
const VERSION_QUERIES = {
  "current versions": "&current=true&include=versions,failure",
  "all versions": "",
};
const QUERIES = { "no filter": "", "by status": "&status=completed", "by type": "&media_type=image" };

await runBenchmark(import.meta.filename, async () => {
  const measured = await withBenchData(async (data) => {
    const few = await createLimitedAccount(data.target);
    const many = await createLimitedAccount(data.target);
    await insertMediaRows(data.target, { accountId: few.accountId, count: FEW, firstNumber: 1 });
    progress(`list: filling in ${MANY} media`);
    await insertMediaRows(data.target, { accountId: many.accountId, count: MANY, firstNumber: FEW + 1 });
    progress(`list: filling in ${FILES} media with ${VERSIONS} versions each, and as many with one`);
    const [single, versioned] = [
      await createLimitedAccount(data.target),
      await createLimitedAccount(data.target),
    ];
    const [firstSingle, firstVersioned] = [200_001, 300_001];
    await insertMediaRows(data.target, {
      accountId: single.accountId,
      count: FILES,
      firstNumber: firstSingle,
    });
    await insertMediaRows(data.target, {
      accountId: versioned.accountId,
      count: FILES,
      firstNumber: firstVersioned,
    });
    await insertVersionRows(data.target, {
      count: FILES,
      firstNumber: firstVersioned,
      firstVersionNumber: 400_001,
      versions: VERSIONS,
    });
    return await withBenchWorker(data, async (origin) => {
      const results = [];
      const versions = [];
      for (const [name, query] of Object.entries(VERSION_QUERIES)) {
        progress(`list: ${name}`);
        versions.push({
          name,
          ...(await compare(`${origin}/api/v1/media?page=1${query}`, single.apiKey, versioned.apiKey)),
        });
      }
      for (const [name, query] of Object.entries(QUERIES)) {
        progress(`list: ${name}`);
        results.push({
          name,
          ...(await compare(`${origin}/api/v1/media?page=1${query}`, few.apiKey, many.apiKey)),
        });
      }
      return { results, versions };
    });
  });
  return {
    findings: [
      ...measured.results.map(({ name, fewMs, manyMs }) =>
        atMost(LIMIT, {
          claim: `Page 1 of 100,000 media takes at most 3 times as long as page 1 of 100: ${name}`,
          unit: "times the list of 100",
          measured: rounded(median(manyMs) / median(fewMs)),
        }),
      ),
      ...measured.versions.map(({ name, fewMs, manyMs }) =>
        atMost(VERSIONS_LIMIT, {
          claim: `Page 1 of 10,000 files with three versions each takes at most 1.15 times as long as with one: ${name}`,
          unit: "times the list of single versions",
          measured: rounded(median(manyMs) / median(fewMs)),
        }),
      ),
    ],
    details: {
      requests: ROUNDS,
      latencies: measured.results.map(({ name, fewMs, manyMs }) => ({
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
