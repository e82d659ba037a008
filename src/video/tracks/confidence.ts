import type { RedactionCategory } from "../../vocabulary/media-values.ts";

/**
 * What the detector is asked for in videos, as `min_confidence`. A still has one look at a thing; a video has many, and what
 * is certain in one frame may be faint in the next (ByteTrack: Zhang et al., ECCV 2022). Detections from this floor on
 * continue a track that some frame is sure of, and count for nothing by themselves.
 */
export const DETECTION_FLOOR = 0.12;

/**
 * From which confidence a detection stands by itself, whatever its neighbours say; docs/video-tracks.md has what it costs beside the
 * thresholds of stills. Lettering and signs scatter most false alarms; code readers report shapes that only resemble a code at 0.3.
 */
function standingConfidence(category: RedactionCategory): number {
  if (category === "writing" || category === "street_signs") return 0.45;
  return category === "heads" || category === "qr_codes" || category === "barcodes" ? 0.35 : 0.3;
}

/** Whether a detection stands by itself. */
export function isSure({
  category,
  confidence,
}: {
  category: RedactionCategory;
  confidence: number;
}): boolean {
  return confidence >= standingConfidence(category);
}

/** So many faint sightings in a row, of at least `FAINT_SHARE` of the standing confidence on average, are one thing. */
const FAINT_SIGHTINGS = 5;
const FAINT_SHARE = 0.9;

/** So far from a sighting that is sure a faint one says something, in seconds. */
const FAINT_SECONDS = 1.5;

/** A chain without what is faint and far from everything sure at its ends; one that is faint altogether stays as it is. */
export function withoutFaintEnds<
  T extends {
    readonly category: RedactionCategory;
    readonly confidence: number;
    readonly timeSeconds: number;
  },
>(chain: readonly T[]): readonly T[] {
  const first = chain.find(isSure);
  const last = chain.findLast(isSure);
  if (first === undefined || last === undefined) return chain;
  return chain.filter(
    ({ timeSeconds }) =>
      timeSeconds >= first.timeSeconds - FAINT_SECONDS && timeSeconds <= last.timeSeconds + FAINT_SECONDS,
  );
}

/** Whether a chain of sightings is hidden: one that stands by itself is enough. */
export function isCredible(
  sightings: readonly { readonly category: RedactionCategory; readonly confidence: number }[],
): boolean {
  const strengths = sightings.map(({ category, confidence }) => confidence / standingConfidence(category));
  if (strengths.some((strength) => strength >= 1)) return true;
  const mean = strengths.reduce((sum, strength) => sum + strength, 0) / strengths.length;
  return strengths.length >= FAINT_SIGHTINGS && mean >= FAINT_SHARE;
}
