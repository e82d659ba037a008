import type { DetectorReport } from "./evaluate.ts";
import type { VideoReport } from "./videos.ts";
import { amount, eachOf, share, table } from "./table.ts";

const NAMES = ["Category", "Labels", "Detector"];
const SHARES = ["Targets", "95 % painted", "90 % of its box", "painted / found"];

/** Table of the painted area compared with the labeled one. */
export function paintedTable(reports: readonly DetectorReport[]): string {
  const rows = eachOf(reports, ({ painted }, category, names) => {
    const figures = painted[category];
    if (figures === undefined) return [];
    const ratios = [figures.paintedToFound, figures.paintedToLabelled, figures.inBlocksToLabelled];
    return [
      [
        ...names,
        String(figures.targets),
        share(figures.painted),
        share(figures.boxPainted),
        ...ratios.map(amount),
      ],
    ];
  });
  return table([...NAMES, ...SHARES, "painted / labelled", "in JPEG blocks"], rows);
}

/** The same table by the source of the photos. */
export function paintedSourceTable(reports: readonly DetectorReport[]): string {
  const rows = eachOf(reports, ({ painted }, category, names) =>
    Object.entries(painted[category]?.bySource ?? {}).map(([source, own]) =>
      names.concat(
        source,
        String(own.targets),
        share(own.painted),
        share(own.boxPainted),
        amount(own.paintedToFound),
      ),
    ),
  );
  return table([...NAMES, "Source", ...SHARES], rows);
}

/** The same table for videos, with tracks and patches. */
export function videoTable({ filmed, clips, presence }: VideoReport): string {
  const rows = filmed
    .toSorted((a, b) => a.category.localeCompare(b.category))
    .map(({ pan, set, category, painted }) => [
      category,
      set,
      pan,
      String(painted.targets),
      share(painted.painted),
      amount(painted.paintedToFound),
      amount(painted.paintedToLabelled),
    ]);
  const header = ["Category", "Labels", "Camera", "Seen", "95 % painted", "painted / found"];
  return [
    table([...header, "painted / labelled"], rows),
    table(
      ["Category", "Films without", "Hidden in", "tracks a film"],
      presence.map(({ category, films, share: found, tracks }) => [
        category,
        String(films),
        share(found),
        amount(tracks),
      ]),
    ),
    `Clips of the leak test: ${amount(clips.paintedToLabelled)} times their codes painted, ${clips.readableFrames} of ${clips.frames} frames readable, ${(100 * (1 - clips.bareShare)).toFixed(1)} % of frames with 95 % hidden.`,
  ].join("\n\n");
}
