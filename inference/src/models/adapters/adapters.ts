import type { Category } from "../../detections/categories.ts";
import type { Box } from "../../geometry/box.ts";
import type { DbTextOutputs, DenseOutputs, Outputs } from "./outputs.ts";
import { decodeLpdYunet } from "./lpd-yunet.ts";
import { decodePicodet } from "./picodet.ts";
import { decodeUltraface } from "./ultraface.ts";
import { decodeYolox } from "./yolox.ts";
import { decodeYunet } from "./yunet.ts";

/** One view's outputs, and what is wanted of them. */
export interface PublishedAnswer {
  /** An output by its name. Throws when the network gave none. */
  output: (name: string) => Float32Array;
  /** Size of the network's input in pixels. */
  size: { width: number; height: number };
  /** Least confidence of each category asked for. */
  thresholds: ReadonlyMap<Category, number>;
}

/** Something found, in pixels of the network's input, before suppression. */
export interface Candidate {
  category: Category;
  confidence: number;
  box: Box;
}

/** Reads the answer of a published detector in its own form. */
export function decodePublished(
  outputs: Exclude<Outputs, DenseOutputs | DbTextOutputs>,
  answer: PublishedAnswer,
): Candidate[] {
  switch (outputs.kind) {
    case "yunet":
      return decodeYunet(outputs, answer);
    case "ultraface":
      return decodeUltraface(outputs, answer);
    case "yolox":
      return decodeYolox(outputs, answer);
    case "picodet":
      return decodePicodet(outputs, answer);
    case "lpd_yunet":
      return decodeLpdYunet(outputs, answer);
  }
}
