import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseLines, photoOf, readRows, rowByEye, type Photo, type Row } from "./labels.ts";

/** Files of labels by eye that no training reads. */
const BY_EYE_FILE = /^evaluation.*\.jsonl$/;

/** Photos under the labels of one origin: figures of two sets are never mixed. */
export interface LabelledSet {
  readonly name: string;
  readonly manifestSha256: string;
  readonly photos: readonly Photo[];
}

export interface SetOptions {
  /** What a report calls the set. */
  readonly name: string;
  /** Folder that the paths of the manifest begin at. */
  readonly folder: string;
  readonly manifest: string;
  readonly part: string | undefined;
  /** Only photos of these sources; of all when there are none. */
  readonly sources: readonly string[];
  /** Only photos that a person looked at for what they do not hold. */
  readonly isEverydayOnly: boolean;
  /** At most so many photos, spread evenly over the manifest. */
  readonly limit: number | undefined;
}

/** Reads a set of labelled photos under the labels of its manifest. */
export async function readSet(options: SetOptions): Promise<LabelledSet> {
  const { name, folder, manifest, limit } = options;
  const { rows, text } = await readRows(manifest);
  const photos = rows.filter((row) => isWanted(row, options)).map((row) => photoOf(folder, row));
  if (photos.length === 0) throw new Error(`The manifest ${manifest} has no photo that was asked for.`);
  return { name, manifestSha256: sha256Of(text), photos: evenly(photos, limit) };
}

/**
 * Reads the same photos under labels that were set by eye: files beside each other, one JSON object a line with `file`, `boxes`
 * and `complete_for`. What they do not name is not labelled here, whatever the manifest says of it.
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

/** At most so many of some items, spread evenly over them. */
export function evenly<T>(items: readonly T[], limit: number | undefined): readonly T[] {
  if (limit === undefined || items.length <= limit) return items;
  return Array.from({ length: limit }, (_, i) => items[Math.floor((i * items.length) / limit)]).filter(
    (item) => item !== undefined,
  );
}
