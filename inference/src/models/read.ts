import type { Category } from "../categories.ts";
import type { ViewTensor } from "../images/view.ts";
import type { Detection } from "../pipeline/detection.ts";
import { decodeDense } from "./dense.ts";
import type { Manifest } from "./manifest.ts";
import type { Pass } from "./plan.ts";
import { decodeText } from "./text.ts";

/** A network's outputs by name, each the part that belongs to one view. */
export type Answer = ReadonlyMap<string, Float32Array>;

/** One view for a network, and what is wanted of it. */
export interface Look {
  tensor: ViewTensor;
  pass: Pass;
  /** Size in pixels of the picture that the view is of. */
  picture: { width: number; height: number };
  /** Least confidence of each category asked for. */
  thresholds: ReadonlyMap<Category, number>;
}

/**
 * Reads a network's answer to one view.
 * @returns Candidates in 0…1 of the picture, before suppression.
 */
export function readAnswer(answer: Answer, manifest: Manifest, look: Omit<Look, "tensor">): Detection[] {
  const { outputs } = manifest;
  const { pass, picture, thresholds } = look;
  const output = (name: string): Float32Array => {
    const values = answer.get(name);
    if (values === undefined) throw new Error(`The network gave no output ${name}.`);
    return values;
  };
  const dense = { scores: output(outputs.scores), boxes: output(outputs.boxes) };
  const found = decodeDense(dense, manifest, pass, picture, thresholds);
  const threshold = outputs.text && thresholds.get(outputs.text.category);
  if (outputs.text === undefined || threshold === undefined || !pass.readsText) return found;
  const map = output(outputs.text.output);
  return [...found, ...decodeText(map, manifest, outputs.text, pass.view, picture, threshold)];
}
