import type { Category } from "../detections/categories.ts";
import { combineLooks, agreeingShare } from "../geometry/agree.ts";
import { clipToUnit } from "../geometry/box.ts";
import { suppress } from "../geometry/suppress.ts";
import type { Detection } from "../detections/detection.ts";
import { categoriesOf, type Growth, type Manifest } from "./manifest.ts";
import { textCategoryOf } from "./adapters/outputs.ts";
import type { Pass } from "./plan-passes.ts";

/** The detections of one pass over a picture, before suppression. */
export interface PassFindings {
  readonly pass: Pass;
  readonly detections: readonly Detection[];
}

/** Whether the passes look at a picture both as it is and mirrored. */
function isTwofold(passes: readonly Pass[]): boolean {
  return passes.some(({ view }) => view.isMirrored);
}

/** The confidence from which each pass must be read so that the merged detections are complete above the thresholds. */
export function readingThresholds(
  manifest: Manifest,
  passes: readonly Pass[],
  thresholds: ReadonlyMap<Category, number>,
): ReadonlyMap<Category, number> {
  const { mirrored } = manifest;
  if (mirrored === undefined || !isTwofold(passes)) return thresholds;
  const text = textCategoryOf(manifest.outputs);
  return new Map(
    [...thresholds].map(([category, threshold]) => {
      const unsure = Math.max(manifest.confidence_floor, threshold * agreeingShare(mirrored.lone_share));
      return [category, category === text ? threshold : unsure];
    }),
  );
}

/**
 * Merges passes into one detection per object: suppresses across scales and tiles, combines the picture with its mirror image,
 * and grows the boxes.
 */
export function mergePasses(
  manifest: Manifest,
  found: readonly PassFindings[],
  thresholds: ReadonlyMap<Category, number>,
): Detection[] {
  const { engulfing, ...limits } = manifest.suppression;
  const { mirrored } = manifest;
  const text = textCategoryOf(manifest.outputs);
  const isMirrored = isTwofold(found.map(({ pass }) => pass));
  return categoriesOf(manifest).flatMap((category) => {
    const suppressed = (passes: readonly PassFindings[]): Detection[] =>
      suppress(
        passes.flatMap(({ detections }) => detections.filter((one) => one.category === category)),
        { ...limits, engulfing: engulfing?.[category] },
      );
    const growth = manifest.growth?.[category];
    const merged =
      mirrored && isMirrored && category !== text
        ? combineLooks(
            [
              suppressed(found.filter(({ pass }) => !pass.view.isMirrored)),
              suppressed(found.filter(({ pass }) => pass.view.isMirrored)),
            ],
            { overlap: mirrored.overlap, loneShare: mirrored.lone_share },
          ).filter(({ confidence }) => confidence >= (thresholds.get(category) ?? 0))
        : suppressed(found);
    return growth === undefined ? merged : merged.map((detection) => grow(detection, growth));
  });
}

/** Grows the detection of a part, such as a face, to the whole object. */
function grow(detection: Detection, growth: Growth): Detection {
  const { left, top, right, bottom } = detection.box;
  const [width, height] = [right - left, bottom - top];
  const box = clipToUnit({
    left: left - growth.left * width,
    top: top - growth.top * height,
    right: right + growth.right * width,
    bottom: bottom + growth.bottom * height,
  });
  return { category: detection.category, confidence: detection.confidence, box };
}
