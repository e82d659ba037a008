import { z } from "zod";
import { CATEGORIES } from "../../detections/categories.ts";

export const category = z.enum(CATEGORIES);
export const share = z.number().min(0).max(1);
const outputName = z.string().min(1);
const strides = z.array(z.int().positive()).min(1);

/** Category of each served class, by class number. Several classes may map to one category. */
const classMap = z
  .record(z.string().regex(/^\d+$/, "must be a class number"), category)
  .refine((map) => Object.keys(map).length > 0, "must name a class");

const textMap = {
  /** A cell belongs to a component if it is at least this likely. */
  cell_threshold: share,
  /** Least number of cells of a component. */
  min_cells: z.int().positive(),
};

const textOutput = z.strictObject({
  ...textMap,
  /** Name of the output [n, 1, height / stride, width / stride]: the probability that a cell is in the core of a text line. */
  output: outputName,
  category,
  stride: z.int().positive(),
  /**
   * Less likely cells, down to this probability, make separate components that touch none of the likelier ones. If absent, they
   * make none.
   */
  faint_cell_threshold: share.optional(),
  /** A rectangle grows on each side by this share of its core's height (less one cell). */
  growth: z.number().min(0).max(4),
  /** Least growth on each side, in pixels. */
  min_growth_pixels: z.number().min(0),
  /** How many pixels right of and below a line's core the network's answer lies. */
  shift_pixels: z.number().default(0),
});

const denseLtrb = z.strictObject({
  /** Scores are after the sigmoid. Boxes are distances in pixels from a grid point to the four sides. */
  kind: z.literal("dense_ltrb"),
  /** Name of the output [n, classes, points]. */
  scores: outputName,
  /** Name of the output [n, 4, points]: left, top, right, bottom. */
  boxes: outputName,
  /** The strides of the grids, in the order of the points. Each grid is in row-major order, with points at (i + 0.5) · stride. */
  strides,
  /** Category of each class. Null for a class that is not served. */
  classes: z.array(category.nullable()).min(1),
  text: textOutput.optional(),
});

const yunet = z.strictObject({
  /** libfacedetection.train: outputs cls_S, obj_S and bbox_S for each stride S. */
  kind: z.literal("yunet"),
  category,
  strides,
});

const ultraface = z.strictObject({
  /** Ultra-Light-Fast-Generic-Face-Detector-1MB: scores [n, points, 2], boxes [n, points, 4] as corners in 0…1. */
  kind: z.literal("ultraface"),
  category,
  scores: outputName,
  boxes: outputName,
});

const dbText = z.strictObject({
  ...textMap,
  /** PaddleOCR's DBNet: a map [n, 1, height, width] of the probability that a pixel is in the core of a text line. */
  kind: z.literal("db_text"),
  category,
  output: outputName,
  /** A rectangle grows on each side by this ratio times its area over its perimeter. */
  unclip_ratio: z.number().min(0).max(4),
});

const yolox = z.strictObject({
  /** Megvii YOLOX, exported without decoding: [n, points, 5 + classes]. */
  kind: z.literal("yolox"),
  output: outputName,
  strides,
  classes: classMap,
});

const picodet = z.strictObject({
  /**
   * PaddleDetection PicoDet, exported without post-processing: for each stride, scores [n, points, classes] and box
   * distributions.
   */
  kind: z.literal("picodet"),
  strides,
  /** Names of the score outputs, in the order of the strides. */
  scores: z.array(outputName).min(1),
  /** Names of the outputs [n, points, 4 · bins]. */
  boxes: z.array(outputName).min(1),
  classes: classMap,
});

const lpdYunet = z.strictObject({
  /** OpenCV zoo's LPD-YuNet: loc [points, 14], conf [points, 2], iou [points, 1] over anchors. */
  kind: z.literal("lpd_yunet"),
  category,
});

export const outputs = z.discriminatedUnion("kind", [
  denseLtrb,
  yunet,
  ultraface,
  dbText,
  yolox,
  picodet,
  lpdYunet,
]);

export type Outputs = z.output<typeof outputs>;
export type DenseOutputs = z.output<typeof denseLtrb>;
export type YunetOutputs = z.output<typeof yunet>;
export type UltrafaceOutputs = z.output<typeof ultraface>;
export type DbTextOutputs = z.output<typeof dbText>;
export type YoloxOutputs = z.output<typeof yolox>;
export type PicodetOutputs = z.output<typeof picodet>;
export type LpdYunetOutputs = z.output<typeof lpdYunet>;
export type TextOutput = z.output<typeof textOutput>;

/** The parts of a description of outputs that define the served categories. */
export type Served =
  | (Pick<DenseOutputs, "kind" | "classes"> & { text?: Pick<TextOutput, "category"> | undefined })
  | Pick<YoloxOutputs | PicodetOutputs, "kind" | "classes">
  | Pick<YunetOutputs | UltrafaceOutputs | DbTextOutputs | LpdYunetOutputs, "kind" | "category">;

/** The category that is read from a text map, if there is one. */
export function textCategoryOf(served: Served): z.output<typeof category> | undefined {
  if (served.kind === "db_text") return served.category;
  return served.kind === "dense_ltrb" ? served.text?.category : undefined;
}

/** The categories that are read as boxes, without duplicates. */
export function boxCategoriesOf(served: Served): z.output<typeof category>[] {
  switch (served.kind) {
    case "dense_ltrb":
      return [...new Set(served.classes.filter((name) => name !== null))];
    case "yolox":
    case "picodet":
      return [...new Set(Object.values(served.classes))];
    case "yunet":
    case "ultraface":
    case "lpd_yunet":
      return [served.category];
    case "db_text":
      return [];
  }
}

/** Names of the outputs that a network must have. */
export function outputNamesOf(described: Outputs): string[] {
  switch (described.kind) {
    case "dense_ltrb":
      return [described.scores, described.boxes, ...(described.text ? [described.text.output] : [])];
    case "yunet":
      return described.strides.flatMap((stride) => [`cls_${stride}`, `obj_${stride}`, `bbox_${stride}`]);
    case "ultraface":
      return [described.scores, described.boxes];
    case "db_text":
    case "yolox":
      return [described.output];
    case "picodet":
      return [...described.scores, ...described.boxes];
    case "lpd_yunet":
      return ["loc", "conf", "iou"];
  }
}

/** The distances in pixels between the points of a network's grids. The input's sides must be multiples of all of them. */
export function stridesOf(described: Outputs): readonly number[] {
  switch (described.kind) {
    case "dense_ltrb":
      return [...described.strides, ...(described.text ? [described.text.stride] : [])];
    case "yunet":
    case "yolox":
      return described.strides;
    case "picodet":
    case "ultraface":
    case "db_text":
    case "lpd_yunet":
      return [];
  }
}
