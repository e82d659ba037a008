import { CATEGORIES, type Category } from "../src/detections/categories.ts";
import type { DetectorReport, SetReport } from "./evaluate.ts";
import type { CategoryFigures, ThresholdFigures } from "./figures.ts";

const HEADER = [
  "Category",
  "Labels",
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

/** A share with three decimals, without its leading zero. */
export function share(value: number | undefined): string {
  return value === undefined ? "–" : value.toFixed(3).replace(/^0\./, ".");
}
/** An amount with two decimals. */
export function amount(value: number | undefined): string {
  return value === undefined ? "–" : value.toFixed(2);
}

function recallCells(figures: ThresholdFigures): string[] {
  return figures.targets === 0
    ? ["–", "–", "–", amount(figures.falsePerPhoto), "–"]
    : [
        share(figures.coverage),
        share(figures.redacted),
        share(figures.atIou50),
        amount(figures.falsePerPhoto),
        amount(figures.maskedToTarget),
      ];
}

function rowOf(names: readonly string[], figures: CategoryFigures): string[] {
  return [
    ...names,
    String(figures.best.targets),
    ...recallCells(figures.usual),
    ...recallCells(figures.best),
    amount(figures.best.threshold),
    share(figures.ap50),
  ];
}

const NAMES: ReadonlySet<string> = new Set(["Category", "Labels", "Detector", "Models", "Source", "Camera"]);

/** A Markdown table. All columns except those of names are right-aligned. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map((name) => (NAMES.has(name) ? "---" : "--:")), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

/** The table of all detectors by category, with a row for the labels of each set. */
export function categoryTable(reports: readonly DetectorReport[]): string {
  const rows = eachOf(reports, ({ categories }, category, names) => {
    const figures = categories[category];
    return figures === undefined ? [] : [rowOf(names, figures)];
  });
  return table(HEADER, rows);
}

/** Rows by category, set and detector, in this order. */
export function eachOf(
  reports: readonly DetectorReport[],
  rowsOf: (set: SetReport, category: Category, names: readonly string[]) => string[][],
): string[][] {
  const setNames = [...new Set(reports.flatMap(({ sets }) => sets.map((set) => set.name)))];
  return CATEGORIES.flatMap((category) =>
    setNames.flatMap((setName) =>
      reports.flatMap((report) =>
        report.sets
          .filter((set) => set.name === setName)
          .flatMap((set) => rowsOf(set, category, [category, set.name, report.name])),
      ),
    ),
  );
}

/** Coverage of one detector by the size of the target, at its best thresholds. */
export function sizeTable(report: DetectorReport): string {
  const figures = report.sets.flatMap(({ categories }) => Object.values(categories));
  const sizes = [...new Set(figures.flatMap(({ best }) => Object.keys(best.bySize)))].toSorted(
    (a, b) => parseInt(a, 10) - parseInt(b, 10),
  );
  const rows = eachOf([report], ({ categories }, category, [, setName = ""]) => {
    const best = categories[category]?.best;
    if (best === undefined || best.targets === 0) return [];
    const cells = sizes.map((size) => {
      const recall = best.bySize[size];
      return recall === undefined ? "–" : `${share(recall.coverage)} (${recall.targets})`;
    });
    return [[category, setName, ...cells]];
  });
  return table(["Category", "Labels", ...sizes.map((size) => `${size} px`)], rows);
}

/** Coverage by the source of the photos, at each detector's best thresholds. */
export function sourceTable(reports: readonly DetectorReport[]): string {
  const rows = eachOf(reports, ({ categories }, category, names) =>
    Object.entries(categories[category]?.best.bySource ?? {}).map(([source, recall]) =>
      names.concat(
        source,
        String(recall.targets),
        share(recall.coverage),
        share(recall.redacted),
        share(recall.atIou50),
        amount(recall.falsePerPhoto),
      ),
    ),
  );
  const header = ["Category", "Labels", "Detector", "Source"];
  return table([...header, "Targets", "Covered", "as redacted", "IoU 0.5", "false a photo"], rows);
}

/** The table of the measured detectors and their speed. */
export function detectorTable(reports: readonly DetectorReport[]): string {
  const rows = reports.map(({ name, models, millisecondsPerMegapixel, millisecondsPerPhoto }) => [
    name,
    models.map(({ id, version, sha256 }) => `${id} ${version} \`${sha256.slice(0, 12)}\``).join("<br>"),
    millisecondsPerMegapixel.toFixed(0),
    millisecondsPerPhoto.toFixed(0),
  ]);
  return table(["Detector", "Models", "ms a megapixel", "ms a photo"], rows);
}
