import type { RedactionCategory } from "../../vocabulary/media-values.ts";

/**
 * What the detector is asked for in videos, as `min_confidence`. A still has one look at a thing; a video has many, and what
 * is certain in one frame may be faint in the next (ByteTrack: Zhang et al., ECCV 2022). Detections from this floor on
 * continue a track that some frame is sure of, and count for nothing by themselves.
 */
export const DETECTION_FLOOR = 0.12;

/**
 * From which confidence a detection leads a chain: those are linked first, and fainter ones only continue them. Lettering and signs scatter
 * most false alarms; code readers report shapes that only resemble a code at 0.3.
 */
function standingConfidence(category: RedactionCategory): number {
  if (category === "writing" || category === "street_signs") return 0.45;
  return category === "heads" || category === "qr_codes" || category === "barcodes" ? 0.35 : 0.3;
}

/** Whether a detection leads a chain. */
export function isSure({
  category,
  confidence,
}: {
  category: RedactionCategory;
  confidence: number;
}): boolean {
  return confidence >= standingConfidence(category);
}

/** One sighting from here on is enough, whatever the others say: a face shown in one frame is shown. */
const CERTAIN = 0.5;
/** The surest sightings vote; where there are not so many, the missing ones count as faint. */
const VOTES = 3;

/**
 * From which confidence on, on average, sightings are together enough (docs/decisions/0008-sightings-vote.md has what it costs). Of
 * tattoos and badges few were seen at all; writing and signs are found by mistake most often.
 */
function votedConfidence(category: RedactionCategory): number {
  if (category === "writing" || category === "street_signs") return 0.45;
  if (category === "tattoos" || category === "name_badges") return 0.33;
  return 0.36;
}

/** Far enough under what votes need that faint sightings together are never enough. */
const TOO_FAINT_SHARE = 0.8;

/** A detection by a threshold that a person set: it is enough by itself, or only continues what is. */
export function withVerdict<T extends { readonly category: RedactionCategory; readonly confidence: number }>(
  detection: T,
  isOverThreshold: boolean,
): T {
  const standing = standingConfidence(detection.category);
  const confidence = isOverThreshold
    ? Math.max(detection.confidence, CERTAIN)
    : Math.min(detection.confidence, TOO_FAINT_SHARE * standing);
  return { ...detection, confidence };
}

/**
 * Confidence from which a second look confirms a sighting, by sensitivity. It is far below a photo's thresholds, because a rejection
 * uncovers a whole track; one confirmed sighting keeps it.
 */
const CONFIRMING = { low: 0.35, normal: 0.2, high: 0.1 } as const;

/** Whether a second look confirms a sighting. A lower threshold that a person set applies instead. */
export function isConfirmed(
  secondLook: number,
  { sensitivity, minConfidence }: { sensitivity: keyof typeof CONFIRMING; minConfidence: number | undefined },
): boolean {
  return secondLook >= Math.min(CONFIRMING[sensitivity], minConfidence ?? 1);
}

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

/** From this confidence on, no second look rejects a sighting, and none is taken (`trusted_from` in its manifest): few false heads reach it. */
const UNDENIABLE = 0.75;

/**
 * Whether a chain of sightings is hidden: one that is certain is enough, and so are several that are likely together, by the mean of
 * their log-odds. A flash of faint ones is not, and neither is a chain of which second looks were taken and none confirms it.
 */
export function isCredible(
  sightings: readonly {
    readonly category: RedactionCategory;
    readonly confidence: number;
    readonly confirmed?: boolean | undefined;
  }[],
): boolean {
  if (isDenied(sightings)) return false;
  if (sightings.some(({ confidence }) => confidence >= CERTAIN)) return true;
  const [first] = sightings;
  if (first === undefined) return false;
  const missing = { category: first.category, confidence: DETECTION_FLOOR };
  const votes = [...sightings, ...Array.from({ length: VOTES }, () => missing)]
    .map(({ category, confidence }) => logOddsOf(confidence) - logOddsOf(votedConfidence(category)))
    .toSorted((a, b) => b - a)
    .slice(0, VOTES);
  return votes.reduce((sum, vote) => sum + vote, 0) >= 0;
}

function isDenied(
  sightings: readonly { readonly confidence: number; readonly confirmed?: boolean | undefined }[],
): boolean {
  const verdicts = sightings.flatMap(({ confirmed }) => confirmed ?? []);
  if (verdicts.length === 0 || verdicts.includes(true)) return false;
  return sightings.every(({ confidence }) => confidence < UNDENIABLE);
}

/** Of a confidence under {@link CERTAIN}; never of none at all. */
function logOddsOf(confidence: number): number {
  const least = Math.max(1e-3, confidence);
  return Math.log(least / (1 - least));
}
