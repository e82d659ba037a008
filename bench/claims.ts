/**
 * Measures the cost of claiming the fairest job against a claim by id, with 20 and 500 waiting jobs among a thousand and a
 * million media items.
 */
import { z } from "zod";
import { withBareRuntime } from "./lib/bare-runtime.ts";
import { atMost, progress, runBenchmark } from "./lib/report.ts";
import { median, rounded } from "./lib/statistics.ts";

const SIZES = [1_000, 1_000_000] as const;
const WAITING = [20, 500] as const;
const BLOCKS = 20;
/** Two measurements of the same claim may differ by this factor. */
const MOST_RATIO = 1.2;

const timesSchema = z.object({ fairestMs: z.array(z.number()), byIdMs: z.array(z.number()) });

await runBenchmark(import.meta.filename, async () => {
  const times: { media: number; waiting: number; fairestMs: number; byIdMs: number }[] = [];
  for (const media of SIZES) {
    progress(`claims: ${media} media`);
    await withBareRuntime(media, async ({ origin }) => {
      for (const waiting of WAITING) {
        const response = await fetch(`${origin}/bare/claims?waiting=${waiting}&blocks=${BLOCKS}`);
        const { fairestMs, byIdMs } = timesSchema.parse(await response.json());
        times.push({
          media,
          waiting,
          fairestMs: rounded(median(fairestMs)),
          byIdMs: rounded(median(byIdMs)),
        });
      }
    });
  }
  return {
    findings: times.map(({ media, waiting, fairestMs, byIdMs }) =>
      atMost(MOST_RATIO, {
        claim: `Claiming the fairest of ${waiting} jobs among ${media} media takes as long as claiming one by its id`,
        unit: "times a claim by id",
        measured: rounded(fairestMs / byIdMs),
      }),
    ),
    details: { blocks: BLOCKS, times },
  };
});
