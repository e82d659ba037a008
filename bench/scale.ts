/**
 * Simulates the service under growing load and checks the simulator against a real burst. The check sends single photos through the
 * local service, then 42 photos at once from three accounts, then single photos again. It compares the burst's times with simulated ones.
 */
import { atMost, progress, reported, runBenchmark, type Finding } from "./lib/report.ts";
import { withService } from "./lib/service.ts";
import { rounded } from "./lib/statistics.ts";
import { simulateGrowth } from "./scale/growth.ts";
import { checkAgainstService, type RealityCheck } from "./scale/reality-check.ts";
import { readServiceTimes } from "./scale/service-times.ts";

/** By how much the simulated times may differ from the real ones. */
const MOST_DIFFERENCE = 0.15;
const TIMES = { totalMs: "until the last photo", medianMs: "median", p95Ms: "95 %" } as const;

await runBenchmark(import.meta.filename, async () => {
  const check = await withService(checkAgainstService);
  progress(checkTable(check));
  const times = readServiceTimes(check.database);
  const growth = simulateGrowth(times);
  return {
    findings: [...findingsOf(check), ...growth.findings],
    details: { check, growth: growth.details },
  };
});

function entriesOf({ real, simulated, simulatedByThoseBefore }: RealityCheck) {
  return (["totalMs", "medianMs", "p95Ms"] as const).map((time) => ({
    what: TIMES[time],
    realMs: real[time],
    simulatedMs: simulated[time],
    ratio: simulated[time] / real[time],
    ratioByThoseBefore: simulatedByThoseBefore[time] / real[time],
  }));
}

function findingsOf(check: RealityCheck): Finding[] {
  const { singlesMs, database, photos } = check;
  return [
    ...entriesOf(check).flatMap(({ what, realMs, simulatedMs, ratio, ratioByThoseBefore }) => [
      atMost(MOST_DIFFERENCE, {
        claim: `A real burst of ${photos} photos of three accounts takes as long as simulated, within 15 %: ${what}`,
        unit: "share of the real time",
        measured: rounded(Math.abs(ratio - 1)),
      }),
      reported({ claim: `The same, real: ${what}`, unit: "s", measured: rounded(realMs / 1_000, 1) }),
      reported({
        claim: `The same, simulated: ${what}`,
        unit: "s",
        measured: rounded(simulatedMs / 1_000, 1),
      }),
      reported({
        claim: `The same, simulated by the single photos before the burst alone: ${what}`,
        unit: "times the real time",
        measured: rounded(ratioByThoseBefore),
      }),
    ]),
    reported({
      claim: "A single photo on the idle service before the burst, mean",
      unit: "s",
      measured: rounded(singlesMs.before / 1_000),
    }),
    reported({ claim: "The same after the burst", unit: "s", measured: rounded(singlesMs.after / 1_000) }),
    reported({
      claim: "A write transaction of the database, fastest tenth of claims",
      unit: "ms",
      measured: rounded(database.writeMs, 1),
    }),
    reported({
      claim: "A poll, processor time of the storage process",
      unit: "ms",
      measured: rounded(database.readMs),
    }),
    reported({
      claim: "Write transactions of a photo, without webhooks",
      unit: "transactions",
      measured: database.writesAPhoto,
    }),
    reported({
      claim: "The database grows for a photo by",
      unit: "bytes",
      measured: rounded(database.bytesAPhoto, 0),
    }),
  ];
}

function checkTable(check: RealityCheck): string {
  const rows = entriesOf(check).map(
    ({ what, realMs, simulatedMs, ratio }) =>
      `| ${what} | ${(realMs / 1_000).toFixed(1)} s | ${(simulatedMs / 1_000).toFixed(1)} s | ${ratio.toFixed(2)} × |`,
  );
  return [
    `\n| A burst of ${check.photos} photos | Real | Simulated | Simulated / real |`,
    "| --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}
