import type { Point } from "../geometry/box.ts";
import type { Detection } from "../detections/detection.ts";
import type { Picture } from "../images/decode.ts";
import { confidenceOf, logOddsOf } from "../models/odds.ts";
import type { Line } from "../writing/cut-line.ts";
import type { Reading } from "../writing/reading.ts";

/** A line is large from this height, as a share of the picture's longer side. The detectors have learned hardly any line that is so large. */
const LARGE = 0.12;
/** From this height, a line that cannot be read is doubtful: faces, waves and benches look like one word that fills the picture. */
const DOUBTFUL = 0.18;
/** A line is read if the recognizer is this certain of its characters, and there are at least so many. */
const READ = { certainty: 0.75, characters: 2 };
/** A line is unread below this certainty, and loses these log-odds. */
const UNREAD = { certainty: 0.5, logOdds: 1.3 };
/** A line that is steeper than this is read in both directions: cosine of 60°. */
const STEEP = 0.5;
/** A shape that is nearly square is read along the side that is more level. */
const NEARLY_SQUARE = 1.4;
/** Most lines of a picture that are read, the largest first. */
const MOST_LINES = 16;

/** Reads a line of a picture. */
export type LineReader = (task: { readonly picture: Picture; readonly line: Line }) => Promise<Reading>;

/**
 * Reads large lines of writing. A line that can be read gets the confidence of its reading. A very large line that cannot be read loses
 * confidence.
 *
 * @param found what was found in a picture. Other categories stay as they are.
 * @param confidences the confidence from which writing counts, and from which it is reported at all
 */
export async function readLargeLines(
  found: readonly Detection[],
  { picture, confidences }: { picture: Picture; confidences: { threshold: number; reported: number } },
  read: LineReader,
): Promise<Detection[]> {
  const large = found
    .filter(({ category }) => category === "writing")
    .map((one) => ({ one, line: lineOf(one, picture) }))
    .map(({ one, line }) => ({ one, line, size: heightOf(line) / Math.max(picture.width, picture.height) }))
    .filter(({ size }) => size >= LARGE)
    .toSorted((a, b) => b.size - a.size)
    .slice(0, MOST_LINES);
  const judged = new Map(
    await Promise.all(
      large.map(async ({ one, line, size }) => {
        const readings = await Promise.all(
          directionsOf(line).map(async (direction) => await read({ picture, line: direction })),
        );
        return [one, judge(one, { size, readings })] as const;
      }),
    ),
  );
  const { threshold, reported } = confidences;
  return found.flatMap((one) => {
    const confidence = judged.get(one);
    if (confidence === undefined) return [one];
    if (confidence < reported) return [];
    const { isCandidate: _before, ...line } = one;
    return [confidence < threshold ? { ...line, confidence, isCandidate: true } : { ...line, confidence }];
  });
}

function judge(
  { confidence }: Detection,
  { size, readings }: { size: number; readings: readonly Reading[] },
): number {
  const read = readings
    .filter(({ characters }) => characters >= READ.characters)
    .map(({ certainty }) => certainty)
    .filter((certainty) => certainty >= READ.certainty);
  if (read.length > 0) return Math.max(confidence, ...read);
  if (size < DOUBTFUL || readings.some(({ certainty }) => certainty >= UNREAD.certainty)) return confidence;
  return confidenceOf(logOddsOf(confidence) - UNREAD.logOdds);
}

/** The line that a detection shows, read from left to right. */
function lineOf({ box, polygon }: Detection, { width, height }: Picture): Line {
  const corners = polygon ?? [
    [box.left, box.top],
    [box.right, box.top],
    [box.right, box.bottom],
    [box.left, box.bottom],
  ];
  const [a, b, c] = corners.map(([x, y]): Point => [x * width, y * height]);
  if (a === undefined || b === undefined || c === undefined) throw new Error("A line has four corners.");
  const sides = [minus(b, a), minus(c, b)] as const;
  const [long, short] = lengthOf(sides[0]) >= lengthOf(sides[1]) ? sides : ([sides[1], sides[0]] as const);
  const isSquare = lengthOf(long) < NEARLY_SQUARE * lengthOf(short);
  const isTurned = isSquare && Math.abs(short[0]) * lengthOf(long) > Math.abs(long[0]) * lengthOf(short);
  const [side, other] = isTurned ? [short, long] : [long, short];
  const along: Point = side[0] >= 0 ? side : minus([0, 0], side);
  // Since y grows downward, the side that lies clockwise of `along` points down.
  const isDown = along[0] * other[1] - along[1] * other[0] >= 0;
  const down: Point = isDown ? other : minus([0, 0], other);
  const middle: Point = [(a[0] + c[0]) / 2, (a[1] + c[1]) / 2];
  return {
    start: [middle[0] - (along[0] + down[0]) / 2, middle[1] - (along[1] + down[1]) / 2],
    along,
    down,
  };
}

/** A steep line is read downward and upward. */
function directionsOf(line: Line): readonly Line[] {
  const { start, along, down } = line;
  if (along[0] >= STEEP * lengthOf(along)) return [line];
  return [
    line,
    {
      start: [start[0] + along[0] + down[0], start[1] + along[1] + down[1]],
      along: minus([0, 0], along),
      down: minus([0, 0], down),
    },
  ];
}

function heightOf({ down }: Line): number {
  return lengthOf(down);
}

function minus([x, y]: Point, [otherX, otherY]: Point): Point {
  return [x - otherX, y - otherY];
}

function lengthOf([x, y]: Point): number {
  return Math.hypot(x, y);
}
