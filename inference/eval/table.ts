import { CATEGORIES } from "../src/categories.ts";
import type { DetectorReport } from "./evaluate.ts";
import type { CategoryFigures, ThresholdFigures } from "./figures.ts";

const HEADER = [
  "Category",
  "Detector",
  "Targets",
  "Covered: usual",
  "as redacted",
  "IoU 0.5",
  "false a photo",
  "masked / target",
  "Covered: ≤ 0.5 false",
  "as redacted",
  "IoU 0.5",
  "false a photo",
  "masked / target",
  "at",
  "AP50",
];

const share = (value: number | undefined): string =>
  value === undefined ? "–" : value.toFixed(3).replace(/^0\./, ".");
const amount = (value: number | undefined): string => (value === undefined ? "–" : value.toFixed(2));

const recallCells = (figures: ThresholdFigures): string[] =>
  figures.targets === 0
    ? ["–", "–", "–", amount(figures.falsePerPhoto), "–"]
    : [
        share(figures.coverage),
        share(figures.redacted),
        share(figures.atIou50),
        amount(figures.falsePerPhoto),
        amount(figures.maskedToTarget),
      ];

const rowOf = (category: string, detector: string, figures: CategoryFigures): string[] => [
  category,
  detector,
  String(figures.best.targets),
  ...recallCells(figures.usual),
  ...recallCells(figures.best),
  amount(figures.best.threshold),
  share(figures.ap50),
];

const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map((_, i) => (i < 2 ? "---" : "--:")), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");

/** The table of all detectors, category by category. */
export function categoryTable(reports: readonly DetectorReport[]): string {
  const rows = CATEGORIES.flatMap((category) =>
    reports.flatMap(({ name, categories }) => {
      const figures = categories[category];
      return figures === undefined ? [] : [rowOf(category, name, figures)];
    }),
  );
  return table(HEADER, rows);
}

/** Coverage of the first detector by the size of the target, at its best thresholds. */
export function sizeTable(report: DetectorReport): string {
  const sizes = [
    ...new Set(Object.values(report.categories).flatMap(({ best }) => Object.keys(best.bySize))),
  ].toSorted((a, b) => parseInt(a, 10) - parseInt(b, 10));
  const rows = CATEGORIES.flatMap((category) => {
    const figures = report.categories[category];
    if (figures === undefined || figures.best.targets === 0) return [];
    const cells = sizes.map((size) => {
      const recall = figures.best.bySize[size];
      return recall === undefined ? "–" : `${share(recall.coverage)} (${recall.targets})`;
    });
    return [[category, ...cells]];
  });
  return table(["Category", ...sizes.map((size) => `${size} px`)], rows);
}

/** Coverage by where the photos come from, at each detector's best thresholds. */
export function sourceTable(reports: readonly DetectorReport[]): string {
  const rows = CATEGORIES.flatMap((category) =>
    reports.flatMap(({ name, categories }) =>
      Object.entries(categories[category]?.best.bySource ?? {}).map(([source, recall]) => [
        category,
        name,
        source,
        String(recall.targets),
        share(recall.coverage),
        share(recall.redacted),
        share(recall.atIou50),
        amount(recall.falsePerPhoto),
      ]),
    ),
  );
  return table(
    ["Category", "Detector", "Source", "Targets", "Covered", "as redacted", "IoU 0.5", "false a photo"],
    rows,
  );
}

/** Who was measured, and how fast. */
export function detectorTable(reports: readonly DetectorReport[]): string {
  const rows = reports.map(({ name, models, millisecondsPerMegapixel, millisecondsPerPhoto }) => [
    name,
    models.map(({ id, version, sha256 }) => `${id} ${version} \`${sha256.slice(0, 12)}\``).join("<br>"),
    millisecondsPerMegapixel.toFixed(0),
    millisecondsPerPhoto.toFixed(0),
  ]);
  return table(["Detector", "Models", "ms a megapixel", "ms a photo"], rows);
}
