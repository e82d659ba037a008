import { CATEGORIES } from "../src/detections/categories.ts";
import type { DetectorReport } from "./evaluate.ts";
import { amount, table } from "./table.ts";

/** Table of how often each detector finds a category that is absent. */
export function presenceTable(reports: readonly DetectorReport[]): string {
  const first = reports.flatMap(({ presence }) => Object.values(presence))[0];
  const confidences = Object.keys(first?.shareFrom ?? {});
  const rows = CATEGORIES.flatMap((category) =>
    reports.flatMap(({ name, presence }) => {
      const found = presence[category];
      if (found === undefined) return [];
      const shares = confidences.map((from) => percent(found.shareFrom[from]));
      return [
        [
          category,
          name,
          String(found.photos),
          percent(found.share),
          percent(found.limit),
          amount(found.thresholdAtLimit),
          ...shares,
        ],
      ];
    }),
  );
  const header = ["Category", "Detector", "Photos without", "Found", "Limit", "at"];
  return table([...header, ...confidences.map((from) => `≥ ${from}`)], rows);
}

function percent(value: number | undefined): string {
  return value === undefined ? "–" : `${(100 * value).toFixed(1)} %`;
}
