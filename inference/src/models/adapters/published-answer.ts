import type { Category } from "../../detections/categories.ts";
import type { Box } from "../../geometry/box.ts";

/** One view's outputs, and what is wanted of them. */
export interface PublishedAnswer {
  /** An output by its name. Throws when the network gave none. */
  readonly output: (name: string) => Float32Array;
  /** Size of the network's input in pixels. */
  readonly size: { readonly width: number; readonly height: number };
  /** Least confidence of each category asked for. */
  readonly thresholds: ReadonlyMap<Category, number>;
}

/** Something found, in pixels of the network's input, before suppression. */
export interface Candidate {
  readonly category: Category;
  readonly confidence: number;
  readonly box: Box;
}
