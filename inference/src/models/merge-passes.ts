import type { Category } from "../detections/categories.ts";
import { combineLooks, agreeingShare } from "../geometry/agree.ts";
import { clipToUnit } from "../geometry/box.ts";
import { suppress } from "../geometry/suppress.ts";
import type { Detection } from "../detections/detection.ts";
import { categoriesOf, type Growth, type Manifest } from "./manifest.ts";
import { textCategoryOf } from "./adapters/outputs.ts";
import type { Pass } from "./plan-passes.ts";

/** What one pass over a picture found, before suppression. */
export interface PassFindings {
  readonly pass: Pass;
  readonly detections: readonly Detection[];
}

/** Whether a picture is looked at as it is and in the mirror. */
function isTwofold(passes: readonly Pass[]): boolean {
  return passes.some(({ view }) => view.isMirrored);
}

/** From which confidence on passes are read, that their merged findings are complete from the thresholds on. */
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

/** One finding for each object: suppression over scales and tiles, agreement of a picture and its mirror image, growth. */
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

/** What a detector of a part, such as a face, says about the whole. */
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
