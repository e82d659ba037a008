import { readFile } from "node:fs/promises";
import { z } from "zod";
import { CATEGORIES } from "../detections/categories.ts";

const share = z.number().min(0).max(1);
const category = z.enum(CATEGORIES);
const weight = z.number().min(0).max(4);
const fileName = z.string().regex(/^[A-Za-z0-9._-]+\.onnx$/);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const signedWeight = z.number().min(-40).max(40);

const sceneJudgment = z.strictObject({
  /** Replace the weights and the offset of the plain judgment. */
  stage_one_weight: weight,
  second_look_weight: weight,
  offset: signedWeight,
  /** Replaces the plain judgment's, where another look has changed the confidence before. */
  trusted_from: share.optional(),
  /** Weights of two logarithms: a proposal's side in pixels, and its share of the picture's side. */
  pixels_weight: signedWeight,
  share_weight: signedWeight,
  /** Three weights for each class of the scene: in the middle of a proposal, below it, and above it. */
  weights: z.record(z.string(), z.tuple([signedWeight, signedWeight, signedWeight])),
});

const judgment = z.strictObject({
  /** Stage one's confidence from which a detection is worth a second look. */
  from: share,
  /** Weight of stage one's log-odds in the combined confidence. */
  stage_one_weight: weight,
  /** Weight of the second look's log-odds. */
  second_look_weight: weight,
  /** Added to the weighted log-odds, so that the category's threshold stays the same as with stage one alone. */
  offset: z.number().min(-8).max(8).default(0),
  /**
   * How the second look judges frames of videos: `each` detection gets its confidence and box, or `once` per object it adds a verdict to
   * stage one's confidence and box, or `never`. Videos show many heads, and a track needs only one verdict.
   */
  in_videos: z.enum(["each", "once", "never"]).default("each"),
  /** From this confidence on, the second look cannot lower stage one's confidence. In videos, it does not judge such an object. */
  trusted_from: share.optional(),
  /**
   * Makes the second look a filter: in photos, it drops detections whose combined confidence is lower, and leaves the confidence and the
   * box of all others as they are, for the next second look.
   */
  filters_below: share.optional(),
  /** In photos: raises the confidence of detections that accompany a confident one of the same category. */
  company: z
    .strictObject({
      /** Confidence from which a detection counts as confident. */
      from: share,
      /** Largest ratio of their sides. */
      size_ratio: z.number().min(1),
      /** Added to the log-odds. */
      log_odds: z.number().min(0).max(8),
      /** Most detections raised over the threshold per confident one. If there would be more, none is raised, except in a crowd. */
      most_doubtful: z.number().positive(),
      /** Number of confident detections that make a crowd. In a crowd, the most confident are raised, up to `most_doubtful` per confident one. */
      crowd_from: z.int().positive().optional(),
    })
    .optional(),
  /** In photos: the weights of both looks if the rest of the picture also counts. Without it, the scene does not count. */
  in_scene: sceneJudgment.optional(),
  /** How far the box moves toward the refined one, as a share of the way. */
  refinement: share.default(0),
  /** Which of the network's `quantiles` the refined box is. A category whose boxes lean outward covers more and paints more. */
  quantile: share.optional(),
  /** How much the moved box grows on each side, as a share of its width and height. */
  growth: share.default(0),
});

const fields = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9._-]*$/),
  version: z.string().min(1),
  description: z.string().min(1),
  file: fileName,
  sha256,
  /** The same network in 8-bit integers, for CPUs, where it takes a third of the time. */
  integers: z.strictObject({ file: fileName, sha256 }).optional(),
  licence: z.string().min(1),
  /** Side of a crop in pixels. */
  crop_pixels: z.int().min(16).max(256),
  /** Side of the window around a box, as a multiple of the box's longer side. */
  context: z.number().min(1).max(4),
  /** Least longer side of a box in pixels. A smaller box counts as this large. */
  min_side_pixels: z.number().positive(),
  pad_value: z.int().min(0).max(255),
  /** The network's categories, in the order of its scores. */
  classes: z.array(category).min(1),
  /** Most crops of one picture. Less confident detections keep stage one's result. */
  max_crops: z.int().min(1).max(1024),
  /**
   * Limits for frames of videos, where fewer detections are judged because a video has many frames. The other detections keep
   * stage one's result.
   */
  videos: z
    .strictObject({
      /** Stage one's confidence from which a detection in a frame is worth a second look. */
      from: share,
      /** Most crops of one frame, the most confident first. */
      max_crops: z.int().min(1).max(1024),
      /** Detections of one object that are judged per request, the most confident first, in categories that are judged `once`. */
      sightings: z.int().min(1).max(64).default(2),
    })
    .optional(),
  /** Replaces the detector's overlap limit for judged boxes. Boxes that overlap less are two objects. */
  overlap: share.optional(),
  /**
   * Replaces the detector's limits for judged boxes, by category. A weaker box around a stronger one is dropped if its area is
   * more than this many times as large.
   */
  engulfing: z.partialRecord(category, z.number().min(1)).optional(),
  /**
   * Present if the network answers a crop with several refined boxes: the share of objects' sides that lie within each box, in the order
   * of its answers.
   */
  quantiles: z.array(share).min(1).optional(),
  /** How each category is judged. Categories without an entry keep stage one's result. */
  judgments: z.partialRecord(category, judgment),
  /** Present if the network also describes what a crop shows: the classes of its map, and the cells along each side. */
  scene: z.strictObject({ classes: z.array(z.string()).min(1), cells: z.int().min(1).max(64) }).optional(),
  /** Present if the network also predicts by how many quarters a crop was turned counterclockwise. */
  turned: z
    .strictObject({
      /**
       * The categories that are also searched in the upright picture. Codes, papers and lines of writing are found at any
       * angle.
       */
      categories: z.array(category).min(1),
      /** If a picture is at least this likely to be upright, it is only analyzed as it is. */
      upright_from: share,
      /** Any other picture is also analyzed in each turn that is at least this likely. */
      turn_from: share,
    })
    .optional(),
  training: z.record(z.string(), z.unknown()).optional(),
});

const schema = fields.superRefine(({ quantiles = [], judgments }, context) => {
  for (const [name, { quantile }] of Object.entries(judgments)) {
    if (quantile === undefined || quantiles.includes(quantile)) continue;
    const message = `is ${quantile}; the network answers ${quantiles.join(", ") || "none"}`;
    context.addIssue({ code: "custom", path: ["judgments", name, "quantile"], message });
  }
});

export type SecondLookManifest = z.output<typeof schema>;
export type Judgment = z.output<typeof judgment>;
export type SceneJudgment = z.output<typeof sceneJudgment>;

/**
 * Reads and checks the manifest of a second look.
 * @throws Error that names the file and every missing or invalid field.
 */
export async function readSecondLookManifest(path: string): Promise<SecondLookManifest> {
  const result = schema.safeParse(JSON.parse(await readFile(path, "utf8")));
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`The manifest ${path} is not valid. ${faults.join("; ")}`);
}
