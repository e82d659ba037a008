import type { RedactionCategory } from "../../../ground/vocabulary/categories.ts";

/**
 * The `min_confidence` of detector requests for videos. A photo shows an object once; a video shows it many times, and an
 * object that is certain in one frame may be faint in the next (ByteTrack: Zhang et al., ECCV 2022). A detection from this
 * floor on can continue a track that is certain in other frames. By itself, it hides nothing.
 */
export const DETECTION_FLOOR = 0.12;

/**
 * Confidence from which a detection is sure. Sure detections are linked first, and fainter ones only continue their chains.
 * Writing and signs cause most false alarms. Code readers report shapes that only resemble a code at 0.3.
 */
function standingConfidence(category: RedactionCategory): number {
  if (category === "writing" || category === "street_signs") return 0.45;
  return category === "heads" || category === "qr_codes" || category === "barcodes" ? 0.35 : 0.3;
}

/** Whether a detection is sure, so that it can lead a chain. */
export function isSure({
  category,
  confidence,
}: {
  category: RedactionCategory;
  confidence: number;
}): boolean {
  return confidence >= standingConfidence(category);
}

/** One sighting with this confidence is enough, regardless of the others: a face that is visible in one frame must be hidden. */
export const CERTAIN = 0.5;
/** How many of the most confident sightings vote. Missing ones count as faint. */
const VOTES = 3;

/**
 * Mean confidence from which several sightings together are enough (docs/decisions/0008-sightings-vote.md describes the cost).
 * Few examples of tattoos and badges were available. Writing and signs have the most false detections.
 */
function votedConfidence(category: RedactionCategory): number {
  if (category === "writing" || category === "street_signs") return 0.45;
  if (category === "tattoos" || category === "name_badges") return 0.33;
  return category === "screens" ? 0.4 : 0.36;
}

/** Low enough that faint sightings never win the vote together. */
const TOO_FAINT_SHARE = 0.8;

/** Adjusts a detection to a threshold that a person set: above it, the detection is enough alone; below it, it only continues a track. */
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
 * Second-look confidence that confirms a sighting, by sensitivity. It is far below the thresholds for photos, because a
 * rejection uncovers a whole track. One confirmed sighting keeps the track.
 */
const CONFIRMING = { low: 0.35, normal: 0.2, high: 0.1 } as const;

/** Whether a second look confirms a sighting. If a person set a lower threshold, it applies instead. */
export function isConfirmed(
  secondLook: number,
  { sensitivity, minConfidence }: { sensitivity: keyof typeof CONFIRMING; minConfidence: number | undefined },
): boolean {
  return secondLook >= Math.min(CONFIRMING[sensitivity], minConfidence ?? 1);
}

/** A faint sighting counts only within this time of a sure one, in seconds. */
const FAINT_SECONDS = 1.5;

/** Removes faint sightings at the ends of a chain that are far from every sure one. A chain without sure sightings is unchanged. */
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

/**
 * From this confidence on, no second look rejects a sighting, and none is taken (`trusted_from` in its manifest). Few false
 * heads reach it.
 */
const UNDENIABLE = 0.75;

/**
 * Whether a chain of sightings is hidden. One certain sighting is enough, and so are several that are likely together, by the
 * mean of their log-odds. A few faint ones are not enough, and neither is a chain whose second looks all rejected it.
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

/** Log-odds of a confidence below {@link CERTAIN}. A floor keeps them finite. */
function logOddsOf(confidence: number): number {
  const least = Math.max(1e-3, confidence);
  return Math.log(least / (1 - least));
}
