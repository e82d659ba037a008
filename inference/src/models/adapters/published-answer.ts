import type { Category } from "../../detections/categories.ts";
import type { Box } from "../../geometry/box.ts";

/** The outputs of one view, and the thresholds for reading them. */
export interface PublishedAnswer {
  /** Returns an output by its name. Throws if the network has no such output. */
  readonly output: (name: string) => Float32Array;
  /** Size of the network's input in pixels. */
  readonly size: { readonly width: number; readonly height: number };
  /** Least confidence of each requested category. */
  readonly thresholds: ReadonlyMap<Category, number>;
}

/** A candidate before suppression, with its box in pixels of the network's input. */
export interface Candidate {
  readonly category: Category;
  readonly confidence: number;
  readonly box: Box;
}
