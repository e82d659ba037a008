import type { Category } from "../detections/categories.ts";
import { area, intersection, type Point } from "../geometry/box.ts";
import type { Specialist } from "../models/manifest.ts";
import { confidenceOf, logOddsOf } from "../models/odds.ts";
import type { Detection } from "../detections/detection.ts";
import { reportedFrom, thresholdOf, type Finder, type Question } from "../finders/finder.ts";

/** A model and what it is asked. */
export interface Errand {
  readonly finder: Finder;
  readonly question: Question;
}

/** What a model answered to its errand. */
export interface Findings extends Errand {
  readonly found: readonly Detection[];
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Who looks for what. Every model is asked for the categories it serves, except that frames of a video are no specialist's
 * where another model serves its category: speed counts there. Where a specialist looks, the others are its witnesses, and
 * are asked for what they are less sure of too.
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
 * What all models together found in one picture. A specialist's finds lose odds where no witness saw the same and where they
 * are large. What a witness is sure of by itself and the specialist did not find stays. One threshold serves all: the specialist's.
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

/** From where on finds must be read so that nothing is missing that ends at or over the threshold. */
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
    // A candidate takes nothing's place that is sure.
    .filter((one) => !isCovered(one, one.confidence >= threshold ? sure : own, witness.share));
  return [...own, ...alone].map((one) => mark(one, threshold));
}

/** Says of a find under the threshold that it is a candidate. */
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

/** In pixels of the picture. */
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
