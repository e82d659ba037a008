import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseLines, photoOf, readRows, rowByEye, type Photo, type Row } from "./labels.ts";

/** Files of labels by eye that are never used for training. */
const BY_EYE_FILE = /^evaluation.*\.jsonl$/;

/** Photos with labels of one origin. Figures of two sets are never mixed. */
export interface LabelledSet {
  readonly name: string;
  readonly manifestSha256: string;
  readonly photos: readonly Photo[];
}

export interface SetOptions {
  /** The set's name in a report. */
  readonly name: string;
  /** Folder that the manifest's paths are relative to. */
  readonly folder: string;
  readonly manifest: string;
  readonly part: string | undefined;
  /** Only photos of these sources. An empty list means all sources. */
  readonly sources: readonly string[];
  /** Only photos that a person checked for what they do not show. */
  readonly isEverydayOnly: boolean;
  /** Most photos, spread evenly over the manifest. */
  readonly limit: number | undefined;
}

/** Reads a set of photos with the labels of its manifest. Throws if no photo is selected. */
export async function readSet(options: SetOptions): Promise<LabelledSet> {
  const { name, folder, manifest, limit } = options;
  const { rows, text } = await readRows(manifest);
  const photos = rows.filter((row) => isWanted(row, options)).map((row) => photoOf(folder, row));
  if (photos.length === 0) throw new Error(`The manifest ${manifest} has no photo that was asked for.`);
  return { name, manifestSha256: sha256Of(text), photos: evenly(photos, limit) };
}

/**
 * Reads the same photos with labels that were set by eye. These are files in one folder with one JSON object per line: `file`,
 * `boxes` and `complete_for`. A category that they do not name counts as not labeled, whatever the manifest contains.
 */
export async function readSetByEye(options: SetOptions & { byEye: string }): Promise<LabelledSet> {
  const { name, folder, manifest, byEye, limit } = options;
  const { rows } = await readRows(manifest);
  const wanted = new Map(rows.filter((row) => isWanted(row, options)).map((row) => [row.file, row]));
  const labelled = new Map<string, Row>();
  const hash = createHash("sha256");
  const files = (await readdir(byEye)).filter((file) => BY_EYE_FILE.test(file)).toSorted();
  for (const file of files) {
    const text = await readFile(join(byEye, file), "utf8");
    hash.update(text);
    for (const { boxes, ...seen } of parseLines(text, join(byEye, file), rowByEye)) {
      const row = wanted.get(seen.file);
      if (row === undefined) continue;
      const before = labelled.get(seen.file);
      labelled.set(seen.file, {
        ...row,
        boxes: [...(before?.boxes ?? []), ...boxes],
        complete_for: [...(before?.complete_for ?? []), ...seen.complete_for],
        labels: null,
        looked_at: null,
      });
    }
  }
  const photos = [...labelled.values()].map((row) => photoOf(folder, row));
  return { name, manifestSha256: hash.digest("hex"), photos: evenly(photos, limit) };
}

function isWanted({ part, source, looked_at: lookedAt }: Row, options: SetOptions): boolean {
  if (options.part !== undefined && part !== options.part) return false;
  if (options.isEverydayOnly && lookedAt !== "absence") return false;
  return options.sources.length === 0 || options.sources.includes(source);
}

function sha256Of(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Photos in the order of a hash of seed and file name, so that no person chooses them. */
export function inSeedOrder(photos: readonly Photo[], seed: string): Photo[] {
  const rank = ({ path }: Photo): string => sha256Of(`${seed} ${basename(path)}`);
  return photos.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** At most `limit` items, spread evenly over all of them. */
export function evenly<T>(items: readonly T[], limit: number | undefined): readonly T[] {
  if (limit === undefined || items.length <= limit) return items;
  return Array.from({ length: limit }, (_, i) => items[Math.floor((i * items.length) / limit)]).filter(
    (item) => item !== undefined,
  );
}
