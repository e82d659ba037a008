import type { Category } from "../detections/categories.ts";
import { area, intersection, type Point } from "../geometry/box.ts";
import type { Specialist } from "../models/manifest.ts";
import { confidenceOf, logOddsOf } from "../models/odds.ts";
import type { Detection } from "../detections/detection.ts";
import { reportedFrom, thresholdOf, type Finder, type Question } from "../finders/finder.ts";

/** A model and the question it gets. */
export interface Errand {
  readonly finder: Finder;
  readonly question: Question;
}

/** What a model found for its question. */
export interface Findings extends Errand {
  readonly found: readonly Detection[];
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Assigns categories to models. Every model gets the categories it serves, with one exception: a specialist does not look at
 * frames of a video if another model serves its category, because speed matters there. If a specialist looks, the other models
 * are its witnesses, and they also report detections of lower confidence.
 */
export function planErrands(finders: readonly Finder[], question: Question): Errand[] {
  return finders.flatMap((finder) => {
    const categories = question.categories.filter(
      (category) =>
        finder.categories.includes(category) && !isLeftToOthers(finder, category, { finders, question }),
    );
    if (categories.length === 0) return [];
    const minConfidence = { ...question.minConfidence };
    for (const category of categories) {
      const specialist = specialistFor(category, finders);
      const rules = specialist?.manifest.specialist;
      if (specialist === undefined || rules === undefined || question.isSingleLook) continue;
      const threshold = reportedFrom(specialist, category, question);
      minConfidence[category] = readingThreshold(rules, finder === specialist, threshold);
    }
    return [{ finder, question: { ...question, categories, minConfidence } }];
  });
}

/**
 * Combines what all models found in one picture. A specialist's detections lose log-odds if no witness saw the same object, and
 * if they are large. Confident detections of a witness that the specialist did not find stay. One threshold serves all: the
 * specialist's.
 */
export function settleFindings(
  findings: readonly Findings[],
  question: Question,
  picture: Size,
): Detection[] {
  const specialists = findings.filter(({ finder: { manifest }, question: { categories } }) =>
    categories.some((category) => category === manifest.specialist?.category),
  );
  const contested = new Set(specialists.map(({ finder }) => finder.manifest.specialist?.category));
  return [
    ...findings.flatMap(({ finder, found }) =>
      found
        .filter(({ category }) => !contested.has(category))
        .map((one) => mark(one, thresholdOf(finder, one.category, question))),
    ),
    ...specialists.flatMap((specialist) => testify(specialist, { findings, question, picture })),
  ];
}

function specialistFor(category: Category, finders: readonly Finder[]): Finder | undefined {
  return finders.find(({ manifest }) => manifest.specialist?.category === category);
}

function isLeftToOthers(
  finder: Finder,
  category: Category,
  { finders, question }: { finders: readonly Finder[]; question: Question },
): boolean {
  return (
    question.isSingleLook &&
    finder.manifest.specialist?.category === category &&
    finders.some((other) => other !== finder && other.categories.includes(category))
  );
}

/** The confidence from which detections must be read, so that none is missing that ends at or above the threshold. */
function readingThreshold(rules: Specialist, isOwn: boolean, threshold: number): number {
  const { certainty, witness } = rules;
  if (isOwn) return confidenceOf(logOddsOf(threshold) / certainty);
  return Math.min(witness.from_confidence, confidenceOf(logOddsOf(threshold) + witness.alone_log_odds));
}

function testify(
  { finder, found }: Findings,
  { findings, question, picture }: { findings: readonly Findings[]; question: Question; picture: Size },
): Detection[] {
  const rules = finder.manifest.specialist;
  if (rules === undefined) return [];
  const { category, witness } = rules;
  const others = findings
    .filter((other) => other.finder !== finder)
    .flatMap((other) => other.found.filter((one) => one.category === category));
  const hasWitness = findings.some(
    (other) => other.finder !== finder && other.question.categories.includes(category),
  );
  const seen = others.filter(({ confidence }) => confidence >= witness.from_confidence);
  const [threshold, from] = [
    thresholdOf(finder, category, question),
    reportedFrom(finder, category, question),
  ];
  const isReported = ({ confidence }: Detection): boolean => confidence >= from;
  const own = found
    .filter((one) => one.category === category)
    .map((one) => {
      const isAlone = hasWitness && !isCovered(one, seen, witness.share);
      const loss = lossBySize(one, rules, picture) + (isAlone ? witness.log_odds : 0);
      return withLogOdds(one, rules.certainty * (logOddsOf(one.confidence) - loss));
    })
    .filter(isReported);
  const sure = own.filter(({ confidence }) => confidence >= threshold);
  const alone = others
    .map((one) => withLogOdds(one, logOddsOf(one.confidence) - witness.alone_log_odds))
    .filter(isReported)
    // A candidate never replaces a confident detection.
    .filter((one) => !isCovered(one, one.confidence >= threshold ? sure : own, witness.share));
  return [...own, ...alone].map((one) => mark(one, threshold));
}

/** Marks a detection below the threshold as a candidate. */
function mark(detection: Detection, threshold: number): Detection {
  return detection.confidence >= threshold ? detection : { ...detection, isCandidate: true };
}

function withLogOdds(detection: Detection, logOdds: number): Detection {
  return {
    ...detection,
    confidence: confidenceOf(logOdds),
  };
}

function lossBySize(detection: Detection, { size }: Specialist, picture: Size): number {
  const longSide = Math.max(picture.width, picture.height);
  const doublings = Math.log2(shortSideOf(detection, picture) / longSide / size.from);
  return Math.max(0, doublings) * size.log_odds_per_doubling;
}

/** Length of the shorter side in pixels of the picture. */
function shortSideOf({ box, polygon }: Detection, { width, height }: Size): number {
  const [a, b, c] = (polygon ?? []).map(([x, y]): Point => [x * width, y * height]);
  if (a === undefined || b === undefined || c === undefined)
    return Math.min((box.right - box.left) * width, (box.bottom - box.top) * height);
  return Math.min(Math.hypot(b[0] - a[0], b[1] - a[1]), Math.hypot(c[0] - b[0], c[1] - b[1]));
}

function isCovered({ box }: Detection, others: readonly Detection[], share: number): boolean {
  return (
    others.reduce((sum, other) => sum + intersection(box, other.box), 0) >= share * area(box) && area(box) > 0
  );
}
