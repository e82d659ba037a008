import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
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

/** Name of its manifest, for a tiny detector's `second_look`. */
export const TINY_SECOND_LOOK = "tiny-second-look.json";

/** By how much of the crop's side every edge of the first refined box lies further right or down; the second lies twice as far. */
export const TINY_MOVE = 0.1;

/** The network: how red the middle half of a crop is in 0…1, as its score and as its scene of one cell; refined boxes are moved right and down. */
function tinySecondLook(quantiles: number): Uint8Array {
  const middle = [attributeInts("kernel_shape", [8, 8]), attributeInts("strides", [8, 8])];
  return modelOf(
    message(
      bytesField(11, value("crops", ["n", 16, 16, 3], UINT8)),
      bytesField(11, value("boxes", ["n", 4])),
      bytesField(
        1,
        node("Cast", { inputs: ["crops"], output: "levels", attributes: [attributeInt("to", FLOAT)] }),
      ),
      bytesField(
        1,
        node("Transpose", {
          inputs: ["levels"],
          output: "planes",
          attributes: [attributeInts("perm", [0, 3, 1, 2])],
        }),
      ),
      bytesField(1, node("Pad", { inputs: ["planes", "inwards"], output: "inner", attributes: [] })),
      bytesField(1, node("Conv", { inputs: ["inner", "red"], output: "mean", attributes: middle })),
      bytesField(1, node("Flatten", { inputs: ["mean"], output: "scores" })),
      bytesField(1, node("Identity", { inputs: ["mean"], output: "scene", attributes: [] })),
      bytesField(1, node("Unsqueeze", { inputs: ["boxes", "second"], output: "each" })),
      bytesField(1, node("Add", { inputs: ["each", "move"], output: "refined" })),
      stringField(2, "tiny-second-look"),
      bytesField(5, int64Tensor("inwards", [0, 0, -4, -4, 0, 0, -4, -4])),
      bytesField(5, tensor("red", [1, 3, 8, 8], redMean(8))),
      bytesField(5, int64Tensor("second", [1])),
      bytesField(5, tensor("move", [1, quantiles, 4], movesOf(quantiles))),
      bytesField(12, value("scores", ["n", 1])),
      bytesField(12, value("refined", ["n", quantiles, 4])),
      bytesField(12, value("scene", ["n", 1, 1, 1])),
    ),
  );
}

function movesOf(quantiles: number): number[] {
  return Array.from({ length: 4 * quantiles }, (_, i) => TINY_MOVE * (1 + Math.floor(i / 4)));
}

function redMean(side: number): number[] {
  const one = 1 / (side * side * 255);
  return Array.from({ length: 3 * side * side }, (_, i) => (i < side * side ? one : 0));
}

/** Writes network and manifest beside the tiny detector; `judgment` replaces fields of what it says of heads. */
export async function writeTinySecondLook(
  folder: string,
  judgment: Record<string, unknown> = {},
  changes: Record<string, unknown> = {},
): Promise<void> {
  const { quantiles } = changes;
  const file = tinySecondLook(Array.isArray(quantiles) ? quantiles.length : 1);
  await writeFile(join(folder, "tiny-second-look.onnx"), file);
  const manifest = {
    id: "tiny-second-look",
    version: "1",
    description: "Says how red the middle of a crop is.",
    file: "tiny-second-look.onnx",
    sha256: createHash("sha256").update(file).digest("hex"),
    licence: "Apache-2.0",
    crop_pixels: 16,
    context: 2,
    min_side_pixels: 4,
    pad_value: 114,
    classes: ["heads"],
    max_crops: 8,
    judgments: { heads: { from: 0.1, stage_one_weight: 0, second_look_weight: 1, ...judgment } },
    ...changes,
  };
  await writeFile(join(folder, TINY_SECOND_LOOK), JSON.stringify(manifest, null, 2));
}
