/** Tests whether a poll stays cheap as the table grows: polls databases of 100 to 1,000,000 media items in turn within one run. */
import { withBareRuntime } from "../lib/bare-runtime.ts";
import { LoadClient, type Target } from "../lib/http-load.ts";
import { mediaIdOf } from "../lib/media-rows.ts";
import { atMost, atLeast, progress, reported, runBenchmark } from "../lib/report.ts";
import { median, percentile, rounded } from "../lib/statistics.ts";

const MOST_GROWTH = 1.1;
const LEAST_THROUGHPUT = 0.75;
const SIZES = [100, 1_000, 10_000, 100_000, 1_000_000];
const WARM_UP_REQUESTS = 300;
const ROUNDS = 60;
const REQUESTS_A_ROUND = 20;
const THROUGHPUT_ROUNDS = 8;
const THROUGHPUT_REQUESTS = 400;
const CONCURRENCY = 16;

interface Site {
  readonly rows: number;
  readonly poll: Target;
  readonly list: Target;
  readonly bare: Target;
  readonly pollMs: number[];
  readonly listMs: number[];
  readonly pollsPerSecond: number[];
  readonly barePerSecond: number[];
}

function siteAt(rows: number, { origin, apiKey }: { origin: string; apiKey: string }): Site {
  const headers = { Authorization: `Bearer ${apiKey}` };
  const mediaId = mediaIdOf(rows / 2);
  return {
    rows,
    poll: { url: `${origin}/api/v1/media/${mediaId}`, headers },
    list: { url: `${origin}/api/v1/media?page=1`, headers },
    bare: { url: `${origin}/bare/media/${mediaId}` },
    pollMs: [],
    listMs: [],
    pollsPerSecond: [],
    barePerSecond: [],
  };
}

/** Starts a runtime for each size, nested, so that all of them run while the benchmark polls them in turn. */
async function withSites<T>(
  sizes: readonly number[],
  sites: readonly Site[],
  use: (sites: readonly Site[]) => Promise<T>,
): Promise<T> {
  const [rows, ...rest] = sizes;
  if (rows === undefined) return await use(sites);
  progress(`load/growth: filling in ${rows} media`);
  return await withBareRuntime(
    rows,
    async (running) => await withSites(rest, [...sites, siteAt(rows, running)], use),
  );
}

async function measure(sites: readonly Site[]): Promise<void> {
  const client = new LoadClient(CONCURRENCY);
  for (const { poll, list, bare } of sites) {
    for (const target of [poll, list, bare]) await client.warmUp(target, WARM_UP_REQUESTS);
  }
  for (let round = 0; round < ROUNDS; round++) {
    // Rotate the order, so that each round starts with a different site.
    for (let turn = 0; turn < sites.length; turn++) {
      const site = sites[(round + turn) % sites.length];
      if (site === undefined) continue;
      site.pollMs.push(...(await client.latenciesMs(site.poll, REQUESTS_A_ROUND)));
      site.listMs.push(...(await client.latenciesMs(site.list, 2)));
    }
  }
  progress("load/growth: throughput");
  const load = { count: THROUGHPUT_REQUESTS, concurrency: CONCURRENCY };
  for (let round = 0; round < THROUGHPUT_ROUNDS; round++) {
    for (const site of sites.filter(({ rows }) => rows === SIZES[0] || rows === SIZES.at(-1))) {
      if (round % 2 === 0) site.barePerSecond.push(await client.requestsPerSecond(site.bare, load));
      site.pollsPerSecond.push(await client.requestsPerSecond(site.poll, load));
      if (round % 2 === 1) site.barePerSecond.push(await client.requestsPerSecond(site.bare, load));
    }
  }
  client.close();
}

await runBenchmark(import.meta.filename, async () => {
  const sites = await withSites(SIZES, [], async (all) => {
    await measure(all);
    return all;
  });
  const [few, many] = [sites[0], sites.at(-1)];
  if (few === undefined || many === undefined) throw new Error("Nothing was measured.");
  return {
    findings: [
      atMost(MOST_GROWTH, {
        claim: "A poll among 1,000,000 media takes at most 1.1 times as long as one among 100: median",
        unit: "times the poll among 100",
        measured: rounded(median(many.pollMs) / median(few.pollMs)),
      }),
      reported({
        claim: "The same, page 1 of the list",
        unit: "times the list of 100",
        measured: rounded(median(many.listMs) / median(few.listMs)),
      }),
      atLeast(LEAST_THROUGHPUT, {
        claim: `Polls among 1,000,000 media reach 0.75 of the throughput of a bare Hono route with one D1 read, ${CONCURRENCY} clients`,
        unit: "of the bare route's throughput",
        measured: rounded(median(shares(many))),
      }),
      atLeast(LEAST_THROUGHPUT, {
        claim: "The same among 100 media",
        unit: "of the bare route's throughput",
        measured: rounded(median(shares(few))),
      }),
    ],
    details: {
      requestsASize: ROUNDS * REQUESTS_A_ROUND,
      sizes: sites.map(({ rows, pollMs, listMs, pollsPerSecond, barePerSecond }) => ({
        media: rows,
        pollMs: spread(pollMs),
        listMs: spread(listMs),
        throughput:
          pollsPerSecond.length === 0
            ? null
            : {
                pollsPerSecond: rounded(median(pollsPerSecond), 0),
                barePerSecond: rounded(median(barePerSecond), 0),
              },
      })),
    },
  };
});

/** For each round, the polls' throughput as a share of the bare route's. */
function shares({ pollsPerSecond, barePerSecond }: Site): number[] {
  return pollsPerSecond.map((polls, round) => polls / (barePerSecond[round] ?? Number.NaN));
}

function spread(latenciesMs: readonly number[]): Record<"p50" | "p95" | "p99", number> {
  const at = (share: number): number => rounded(percentile(latenciesMs, share));
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
