import type { Category } from "../detections/categories.ts";
import { inputSizeOf, type ViewTensor } from "../images/view.ts";
import type { Detection } from "../detections/detection.ts";
import { decodeDense, placeInPicture, strongest } from "./dense.ts";
import type { Manifest } from "./manifest.ts";
import type { Pass } from "./plan-passes.ts";
import { dbTextMapOf, decodeText, textMapOf, type TextMap } from "./text-map.ts";
import type { DbTextOutputs, DenseOutputs, Outputs } from "./adapters/outputs.ts";
import { decodeLpdYunet } from "./adapters/lpd-yunet.ts";
import { decodePicodet } from "./adapters/picodet.ts";
import { decodeUltraface } from "./adapters/ultraface.ts";
import { decodeYolox } from "./adapters/yolox.ts";
import { decodeYunet } from "./adapters/yunet.ts";
import type { Candidate, PublishedAnswer } from "./adapters/published-answer.ts";
import { area } from "../geometry/box.ts";
import { confidenceOf, logOddsOf } from "./odds.ts";

/** A network's outputs by name. Each holds only the part for one view. */
export type Answer = ReadonlyMap<string, Float32Array>;

/** One view for a network, and the thresholds for reading its answer. */
export interface Look {
  readonly tensor: ViewTensor;
  readonly pass: Pass;
  /** Size in pixels of the picture that the view belongs to. */
  readonly picture: { readonly width: number; readonly height: number };
  /** Least confidence of each requested category. */
  readonly thresholds: ReadonlyMap<Category, number>;
}

/**
 * Reads a network's answer to one view.
 * @returns Candidates in 0…1 of the picture, before suppression.
 */
export function readAnswer(answer: Answer, manifest: Manifest, look: Omit<Look, "tensor">): Detection[] {
  const { outputs, input } = manifest;
  const { pass, picture, thresholds } = look;
  const output = (name: string): Float32Array => {
    const values = answer.get(name);
    if (values === undefined) throw new Error(`The network gave no output ${name}.`);
    return values;
  };
  const readText = (map: TextMap, name: string): Detection[] => {
    const threshold = thresholds.get(map.category);
    if (threshold === undefined || !pass.readsText) return [];
    return decodeText(output(name), map, {
      sizeMultiple: input.size_multiple,
      view: pass.view,
      picture,
      threshold,
    });
  };
  if (outputs.kind === "db_text") return readText(dbTextMapOf(outputs), outputs.output);
  if (outputs.kind === "dense_ltrb") {
    const dense = { scores: output(outputs.scores), boxes: output(outputs.boxes) };
    const candidates = pass.readsBoxes
      ? decodeDense(dense, { input, outputs }, { pass, picture, thresholds })
      : [];
    const found = candidates
      .map((one) => calibrate(one, manifest.calibration))
      .filter(({ category, confidence }) => confidence >= (thresholds.get(category) ?? 0));
    return outputs.text ? [...found, ...readText(textMapOf(outputs.text), outputs.text.output)] : found;
  }
  const size = inputSizeOf(pass.view, input.size_multiple);
  const candidates = pass.readsBoxes ? decodePublished(outputs, { output, size, thresholds }) : [];
  return [...Map.groupBy(candidates, ({ category }) => category).values()].flatMap((ofCategory) =>
    strongest(
      ofCategory.flatMap((candidate) => {
        const box = placeInPicture(candidate.box, pass, picture);
        if (box === undefined) return [];
        return [{ category: candidate.category, confidence: Math.min(1, candidate.confidence), box }];
      }),
    ),
  );
}

/** Reads the answer of a published detector in the detector's own format. */
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

/**
 * Makes confidences of large and small boxes comparable. A network is more confident about objects with many pixels, whether it
 * is right or wrong. A single threshold for all sizes would let large false boxes in or keep small true ones out.
 * @param calibration Log-odds that a category's boxes lose each time their side doubles, above a given side. Without it,
 * nothing changes.
 */
export function calibrate(detection: Detection, calibration: Manifest["calibration"]): Detection {
  const loss = calibration?.log_odds_per_doubling[detection.category];
  if (calibration === undefined || loss === undefined) return detection;
  const doublings = Math.log2(Math.sqrt(area(detection.box)) / calibration.from_side);
  if (doublings <= 0) return detection;
  return { ...detection, confidence: confidenceOf(logOddsOf(detection.confidence) - loss * doublings) };
}
