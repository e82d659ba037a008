import { readFile } from "node:fs/promises";
import { z } from "zod";
import { CATEGORIES } from "../categories.ts";

const category = z.enum(CATEGORIES);
const share = z.number().min(0).max(1);
const perChannel = z.array(z.number()).length(3);

const scale = z.strictObject({
  /** Length the longer side is scaled to, up or down. */
  long_side: z.int().min(16).max(8192),
  /** Only for pictures whose longer side is at least, or at most, so long. */
  min_source_long_side: z.int().positive().optional(),
  max_source_long_side: z.int().positive().optional(),
  /** Whether the text map of this pass is read. */
  text: z.boolean(),
});

const tiling = z.strictObject({
  /** Pictures whose longer side is at least so long are also looked at in tiles. */
  min_source_long_side: z.int().positive(),
  /** Size of a tile in pixels, both sides; a multiple of the input's `size_multiple`. */
  size: z.int().min(64).max(4096),
  /** Least overlap of neighbours in pixels; objects smaller than it lie whole in one of them. */
  overlap: z.int().min(0),
  /** Whether the text map of tiles is read. */
  text: z.boolean(),
});

const textOutput = z.strictObject({
  /** Name of the output [n, 1, height / stride, width / stride]: how likely a cell is the core of a text line. */
  output: z.string().min(1),
  category,
  stride: z.int().positive(),
  /** A cell at least this likely belongs to a component. */
  cell_threshold: share,
  /** Components of fewer cells are dropped. */
  min_cells: z.int().positive(),
  /** A rectangle grows on each side by this share of its core's height (less one cell). */
  growth: z.number().min(0).max(4),
  /** The growth is at least so many pixels. */
  min_growth_pixels: z.number().min(0),
});

const schema = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9][a-z0-9._-]*$/),
    version: z.string().min(1),
    description: z.string().min(1),
    /** The network, beside the manifest. */
    file: z.string().regex(/^[A-Za-z0-9._-]+\.onnx$/),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    licence: z.string().min(1),
    /** The model card, beside the manifest. */
    card: z.string().regex(/^[A-Za-z0-9._-]+\.md$/),
    input: z.strictObject({
      name: z.string().min(1),
      /** Only [n, 3, height, width] in float32. */
      layout: z.literal("nchw"),
      channels: z.enum(["rgb", "bgr"]),
      mean: perChannel,
      std: perChannel.refine((values) => values.every((value) => value !== 0), "must not hold a zero"),
      pad_value: z.int().min(0).max(255),
      size_multiple: z.int().positive(),
    }),
    scales: z.array(scale).min(1),
    tiling: tiling.optional(),
    outputs: z.strictObject({
      /** Scores after the sigmoid; distances in pixels from a grid point to the four sides. */
      kind: z.literal("dense_ltrb"),
      /** Name of the output [n, classes, points]. */
      scores: z.string().min(1),
      /** Name of the output [n, 4, points]: left, top, right, bottom. */
      boxes: z.string().min(1),
      /** Grids in the order of the points, each row by row, points at (i + 0.5) · stride. */
      strides: z.array(z.int().positive()).min(1),
      /** Category of each class; null for a class that is not served. */
      classes: z.array(category.nullable()).min(1),
      text: textOutput.optional(),
    }),
    suppression: z.strictObject({
      overlap: share,
      containment: share,
      /** Per category: how many times larger than a stronger box inside it a weaker one may be. */
      engulfing: z.partialRecord(category, z.number().min(1)).optional(),
    }),
    /** Confidence from which a detection is reported when the request says nothing. */
    thresholds: z.partialRecord(category, share),
    /** No request's `min_confidence` reaches below this. */
    confidence_floor: share,
    training: z.record(z.string(), z.unknown()).optional(),
  })
  .superRefine((manifest, context) => {
    for (const served of categoriesOf(manifest)) {
      if (manifest.thresholds[served] === undefined) {
        context.addIssue({ code: "custom", path: ["thresholds"], message: `has no threshold for ${served}` });
      }
    }
    const { tiling: tiles, input, outputs } = manifest;
    if (tiles && (tiles.size % input.size_multiple !== 0 || tiles.overlap >= tiles.size)) {
      const message = `size must be a multiple of ${input.size_multiple} and larger than the overlap`;
      context.addIssue({ code: "custom", path: ["tiling"], message });
    }
    const strides = [...outputs.strides, ...(outputs.text ? [outputs.text.stride] : [])];
    if (strides.some((stride) => input.size_multiple % stride !== 0)) {
      const message = "must be a multiple of every stride";
      context.addIssue({ code: "custom", path: ["input", "size_multiple"], message });
    }
  });

export type Manifest = z.output<typeof schema>;
export type TextOutput = z.output<typeof textOutput>;

interface Classes {
  outputs: {
    classes: readonly (z.output<typeof category> | null)[];
    text?: { category: z.output<typeof category> } | undefined;
  };
}

/** The categories a model serves, without repetition. */
export function categoriesOf({ outputs }: Classes): z.output<typeof category>[] {
  const all = [...outputs.classes, outputs.text?.category ?? null];
  return [...new Set(all.filter((name) => name !== null))];
}

/**
 * Reads and checks a manifest.
 * @throws Error naming the file and every field that is missing or wrong.
 */
export async function readManifest(path: string): Promise<Manifest> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new Error(`The model manifest ${path} cannot be read.`, { cause: error });
  });
  const result = schema.safeParse(parseJson(text, path));
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`The model manifest ${path} is not valid. ${faults.join("; ")}`);
}

const parseJson = (text: string, path: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`The model manifest ${path} is not JSON.`, { cause: error });
  }
};
