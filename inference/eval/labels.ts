import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { CATEGORIES } from "../src/categories.ts";
import type { Category } from "../src/categories.ts";
import { boundsOf } from "../src/geometry/box.ts";
import type { Box, Point } from "../src/geometry/box.ts";

const entry = z.object({
  cat: z.string(),
  box: z.tuple([z.number(), z.number(), z.number(), z.number()]).nullish(),
  quad: z.array(z.number()).length(8).nullish(),
  ignore: z.boolean().nullish(),
});

const row = z.object({
  file: z.string().min(1),
  w: z.number().positive(),
  h: z.number().positive(),
  source: z.string().default(""),
  part: z.string().default(""),
  boxes: z.array(entry).default([]),
  complete_for: z.array(z.string()).nullish(),
  labels: z.string().nullish(),
});

/** One labelled instance; coordinates in pixels of the photo. */
export interface Label {
  category: Category;
  bounds: Box;
  /** Corners going round, where they are known. */
  quad: readonly Point[] | undefined;
  isIgnored: boolean;
}

export interface Photo {
  path: string;
  width: number;
  height: number;
  source: string;
  labels: readonly Label[];
  /** Categories that the photo holds at a place nobody noted. */
  unplaced: readonly Category[];
  /** Categories of which every instance is labelled: only here an unmatched detection is a false one. */
  completeFor: ReadonlySet<Category>;
  /** Whether the boxes of heads hold only their faces. */
  hasFacesOnly: boolean;
}

export interface LabelledSet {
  name: string;
  manifestSha256: string;
  photos: readonly Photo[];
}

export interface SetOptions {
  /** What a report calls the set. */
  name: string;
  /** Folder that the paths of the manifest begin at. */
  folder: string;
  manifest: string;
  part: string | undefined;
  /** At most so many photos, spread evenly over the manifest. */
  limit: number | undefined;
}

/**
 * Reads a manifest of labelled photos (`training/README.md`, "The photo folder").
 * @throws Error naming the manifest's line and field that is wrong.
 */
export async function readSet({ name, folder, manifest, part, limit }: SetOptions): Promise<LabelledSet> {
  const text = await readFile(manifest, "utf8").catch((error: unknown) => {
    throw new Error(`The manifest ${manifest} cannot be read.`, { cause: error });
  });
  const photos = text
    .split("\n")
    .map((line, index) => ({ line, index }))
    .filter(({ line }) => line.trim() !== "")
    .map(({ line, index }) => parseRow(line, `${manifest}:${index + 1}`))
    .filter((parsed) => part === undefined || parsed.part === part)
    .map((parsed) => photoOf(folder, parsed));
  if (photos.length === 0) throw new Error(`The manifest ${manifest} has no photo of part ${part ?? "any"}.`);
  return {
    name,
    manifestSha256: createHash("sha256").update(text).digest("hex"),
    photos: evenly(photos, limit),
  };
}

const parseRow = (line: string, place: string): z.output<typeof row> => {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new Error(`${place} is not JSON.`, { cause: error });
  }
  const result = row.safeParse(value);
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`${place} is not valid. ${faults.join("; ")}`);
};

const categoryOf = (name: string): Category | undefined => CATEGORIES.find((category) => category === name);

const photoOf = (folder: string, parsed: z.output<typeof row>): Photo => {
  const labels: Label[] = [];
  const unplaced = new Set<Category>();
  for (const { cat, box, quad, ignore } of parsed.boxes) {
    const category = categoryOf(cat);
    if (category === undefined) continue;
    const corners = quad ? pointsOf(quad) : undefined;
    if (box) {
      const [left, top, right, bottom] = box;
      labels.push({
        category,
        bounds: { left, top, right, bottom },
        quad: corners,
        isIgnored: ignore === true,
      });
    } else if (corners) {
      labels.push({ category, bounds: boundsOf(corners), quad: corners, isIgnored: ignore === true });
    } else if (ignore !== true) {
      unplaced.add(category);
    }
  }
  return {
    path: join(folder, parsed.file),
    width: parsed.w,
    height: parsed.h,
    source: parsed.source,
    labels,
    unplaced: [...unplaced],
    completeFor: new Set((parsed.complete_for ?? []).flatMap((name) => categoryOf(name) ?? [])),
    hasFacesOnly: parsed.labels === "faces",
  };
};

const pointsOf = (values: readonly number[]): Point[] =>
  Array.from({ length: values.length / 2 }, (_, i) => [values[2 * i] ?? 0, values[2 * i + 1] ?? 0]);

const evenly = <T>(items: readonly T[], limit: number | undefined): readonly T[] => {
  if (limit === undefined || items.length <= limit) return items;
  return Array.from({ length: limit }, (_, i) => items[Math.floor((i * items.length) / limit)]).filter(
    (item) => item !== undefined,
  );
};
