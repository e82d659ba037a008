import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { CATEGORIES, type Category } from "../src/detections/categories.ts";
import { boundsOf, type Box, type Point } from "../src/geometry/box.ts";

const entry = z.object({
  cat: z.string(),
  box: z.tuple([z.number(), z.number(), z.number(), z.number()]).nullish(),
  quad: z.array(z.number()).length(8).nullish(),
  ignore: z.boolean().nullish(),
});

const row = z.object({
  file: z.string().min(1),
  w: z.int().positive(),
  h: z.int().positive(),
  source: z.string().default(""),
  part: z.string().default(""),
  boxes: z.array(entry).default([]),
  complete_for: z.array(z.string()).nullish(),
  labels: z.string().nullish(),
  looked_at: z.string().nullish(),
});

/** A line of labels that a person set by eye. */
export const rowByEye = z.object({
  file: z.string().min(1),
  boxes: z.array(entry),
  complete_for: z.array(z.string()),
});

/** A line of a manifest. */
export type Row = z.output<typeof row>;

/** One labeled instance, with coordinates in pixels of the photo. */
export interface Label {
  readonly category: Category;
  readonly bounds: Box;
  /** Corners in order around the instance, if they are known. */
  readonly quad: readonly Point[] | undefined;
  readonly isIgnored: boolean;
}

export interface Photo {
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly source: string;
  readonly labels: readonly Label[];
  /** Categories with an instance in the photo whose place nobody recorded. */
  readonly unplaced: readonly Category[];
  /** Categories with every instance labeled. Only for these is an unmatched detection a false one. */
  readonly completeFor: ReadonlySet<Category>;
  /** Categories that a person looked for and did not see. Empty unless a person checked the photo for absence. */
  readonly absent: ReadonlySet<Category>;
  /** Whether the boxes of heads enclose only the faces. */
  readonly hasFacesOnly: boolean;
}

/**
 * Reads the lines of a manifest of labeled photos (`training/README.md`, "The photo folder").
 * @throws Error that names the manifest's line and the invalid field.
 */
export async function readRows(manifest: string): Promise<{ rows: Row[]; text: string }> {
  const text = await readFile(manifest, "utf8").catch((error: unknown) => {
    throw new Error(`The manifest ${manifest} cannot be read.`, { cause: error });
  });
  return { rows: parseLines(text, manifest, row), text };
}

/**
 * Reads a file with one JSON object per line.
 * @throws Error that names the line and the invalid field.
 */
export function parseLines<T>(text: string, file: string, schema: z.ZodType<T>): T[] {
  return text
    .split("\n")
    .map((line, index) => ({ line, place: `${file}:${index + 1}` }))
    .filter(({ line }) => line.trim() !== "")
    .map(({ line, place }) => parseLine(line, place, schema));
}

function parseLine<T>(line: string, place: string, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new Error(`${place} is not JSON.`, { cause: error });
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`${place} is not valid. ${faults.join("; ")}`);
}

function categoryOf(name: string): Category | undefined {
  return CATEGORIES.find((category) => category === name);
}

/** The photo that a manifest line describes. */
export function photoOf(folder: string, parsed: Row): Photo {
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
  const completeFor = new Set((parsed.complete_for ?? []).flatMap((name) => categoryOf(name) ?? []));
  const named = new Set(parsed.boxes.map(({ cat }) => cat));
  const isEveryday = parsed.looked_at === "absence";
  return {
    path: join(folder, parsed.file),
    width: parsed.w,
    height: parsed.h,
    source: parsed.source,
    labels,
    unplaced: [...unplaced],
    completeFor,
    absent: new Set(isEveryday ? [...completeFor].filter((category) => !named.has(category)) : []),
    hasFacesOnly: parsed.labels === "faces",
  };
}

function pointsOf(values: readonly number[]): Point[] {
  return Array.from({ length: values.length / 2 }, (_, i) => [values[2 * i] ?? 0, values[2 * i + 1] ?? 0]);
}
