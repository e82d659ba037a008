/**
 * Measures how long an account with 20,000 photos is frozen while it is moved to another database, and how much work that is compared with
 * copying the same rows plainly.
 */
import { z } from "zod";
import { withBareRuntime } from "./lib/bare-runtime.ts";
import { progress, reported, runBenchmark } from "./lib/report.ts";
import { rounded } from "./lib/statistics.ts";

const MEDIA = 20_000;
/** How often the sweeper runs the mover. */
const SWEEP_SECONDS = 60;

const timesSchema = z.object({ runsMs: z.array(z.number()), bareMs: z.number(), rows: z.number() });

await runBenchmark(import.meta.filename, async () => {
  progress(`account-moves: ${MEDIA} photos`);
  const times = await withBareRuntime(
    MEDIA,
    async ({ origin }) => timesSchema.parse(await (await fetch(`${origin}/bare/move`)).json()),
    { hasSecondDatabase: true },
  );
  const { runsMs, bareMs, rows } = times;
  const workMs = runsMs.reduce((total, ms) => total + ms, 0);
  const frozenSeconds = (runsMs.length - 1) * SWEEP_SECONDS + (runsMs.at(-1) ?? 0) / 1000;
  return {
    findings: [
      reported({
        claim: `An account with ${MEDIA} photos is frozen, with a sweep each minute`,
        unit: "seconds",
        measured: rounded(frozenSeconds, 1),
      }),
      reported({ claim: "Sweeps that the move takes", unit: "sweeps", measured: runsMs.length }),
      reported({
        claim: `Moving ${rows} rows takes as much work as copying them plainly`,
        unit: "times a plain copy",
        measured: rounded(workMs / bareMs),
      }),
    ],
    details: times,
  };
});
