/**
 * Writes a network small enough to reason about, in the form that the model runner expects: one class that answers at
 * bright squares, and a text map that answers at bright pixels.
 *
 * Usage: node scripts/make-tiny-model.ts FOLDER
 */
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  attributeInt,
  attributeInts,
  FLOAT,
  int64Tensor,
  modelOf,
  node,
  tensor,
  UINT8,
  value,
} from "./onnx.ts";
import { bytesField, message, stringField } from "./protobuf.ts";

/** Side of the grid cells, in pixels; a bright square that fills one is found. */
export const TINY_STRIDE = 8;
/** The distances that the network reports to every side of a point. */
export const TINY_HALF_SIDE = 4;

function mean(side: number): number[] {
  return Array.from({ length: 3 * side * side }, () => 1 / (3 * side * side));
}
function square(side: number): Uint8Array[] {
  return [attributeInts("kernel_shape", [side, side]), attributeInts("strides", [side, side])];
}

/** How the network takes pixels, as its manifest says. */
export type TinyLayout = "nchw" | "nhwc_uint8";

function inputOf(layout: TinyLayout): Uint8Array[] {
  return layout === "nchw"
    ? [
        bytesField(11, value("image", ["n", 3, "h", "w"])),
        bytesField(1, node("Identity", { inputs: ["image"], output: "planes" })),
      ]
    : [
        bytesField(11, value("image", ["n", "h", "w", 3], UINT8)),
        bytesField(
          1,
          node("Cast", { inputs: ["image"], output: "levels", attributes: [attributeInt("to", FLOAT)] }),
        ),
        bytesField(
          1,
          node("Transpose", {
            inputs: ["levels"],
            output: "planes",
            attributes: [attributeInts("perm", [0, 3, 1, 2])],
          }),
        ),
      ];
}

/**
 * The network: means over cells of 8 × 8 pixels, where a mean under 200 scores 0 and 255 scores 1; every box is the cell
 * itself. The text map is the same over cells of 4 × 4.
 */
export function tinyModel(layout: TinyLayout = "nchw"): Uint8Array {
  const graph = message(
    ...inputOf(layout),
    bytesField(1, node("Conv", { inputs: ["planes", "mean8"], output: "bright8", attributes: square(8) })),
    bytesField(1, node("Sub", { inputs: ["bright8", "dark"], output: "over8" })),
    bytesField(1, node("Mul", { inputs: ["over8", "scale"], output: "linear8" })),
    bytesField(1, node("Clip", { inputs: ["linear8", "zero", "one"], output: "map8" })),
    bytesField(1, node("Reshape", { inputs: ["map8", "shape"], output: "scores" })),
    bytesField(1, node("Mul", { inputs: ["scores", "zeros4"], output: "nothing" })),
    bytesField(1, node("Add", { inputs: ["nothing", "halfSides"], output: "boxes" })),
    bytesField(1, node("Conv", { inputs: ["planes", "mean4"], output: "bright4", attributes: square(4) })),
    bytesField(1, node("Sub", { inputs: ["bright4", "dark"], output: "over4" })),
    bytesField(1, node("Mul", { inputs: ["over4", "scale"], output: "linear4" })),
    bytesField(1, node("Clip", { inputs: ["linear4", "zero", "one"], output: "text" })),
    stringField(2, "tiny"),
    bytesField(5, tensor("mean8", [1, 3, 8, 8], mean(8))),
    bytesField(5, tensor("mean4", [1, 3, 4, 4], mean(4))),
    bytesField(5, tensor("dark", [1], [200])),
    bytesField(5, tensor("scale", [1], [1 / 55])),
    bytesField(5, tensor("zero", [], [0])),
    bytesField(5, tensor("one", [], [1])),
    bytesField(5, int64Tensor("shape", [0, 1, -1])),
    bytesField(5, tensor("zeros4", [1, 4, 1], [0, 0, 0, 0])),
    bytesField(
      5,
      tensor(
        "halfSides",
        [1, 4, 1],
        Array.from({ length: 4 }, () => TINY_HALF_SIDE),
      ),
    ),
    bytesField(12, value("scores", ["n", 1, "points"])),
    bytesField(12, value("boxes", ["n", 4, "points"])),
    bytesField(12, value("text", ["n", 1, "textHeight", "textWidth"])),
  );
  return modelOf(graph);
}

/** The manifest of the network, as its file holds it; `changes` replace top-level fields. */
export function tinyManifest(
  file: Uint8Array,
  changes: Record<string, unknown> = {},
  layout: TinyLayout = "nchw",
): Record<string, unknown> {
  return {
    id: "tiny",
    version: "1",
    description: "Finds bright squares as heads and bright strokes as writing.",
    file: "tiny.onnx",
    sha256: createHash("sha256").update(file).digest("hex"),
    licence: "Apache-2.0",
    card: "tiny.md",
    input: {
      name: "image",
      layout,
      channels: "rgb",
      mean: [0, 0, 0],
      std: [1, 1, 1],
      pad_value: 0,
      size_multiple: 8,
    },
    scales: [{ long_side: 128, text: true }],
    outputs: {
      kind: "dense_ltrb",
      scores: "scores",
      boxes: "boxes",
      strides: [TINY_STRIDE],
      classes: ["heads"],
      text: {
        output: "text",
        category: "writing",
        stride: 4,
        cell_threshold: 0.5,
        min_cells: 2,
        growth: 0,
        min_growth_pixels: 0,
      },
    },
    suppression: { overlap: 0.5, containment: 0.85 },
    thresholds: { heads: 0.5, writing: 0.5 },
    confidence_floor: 0.05,
    ...changes,
  };
}

/** Writes network, manifest, card and the list of defaults into a folder. */
export async function writeTinyModel(
  folder: string,
  changes: Record<string, unknown> = {},
  layout: TinyLayout = "nchw",
): Promise<void> {
  const file = tinyModel(layout);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "tiny.onnx"), file);
  await writeFile(join(folder, "tiny.json"), JSON.stringify(tinyManifest(file, changes, layout), null, 2));
  await writeFile(join(folder, "tiny.md"), "# tiny\n\nFor tests.\n");
  await writeFile(join(folder, "default.json"), '["tiny"]\n');
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error("Usage: node scripts/make-tiny-model.ts FOLDER");
  await writeTinyModel(folder);
}
