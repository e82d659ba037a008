import type { Box, Point } from "../geometry/box.ts";
import type { Detection } from "../detections/detection.ts";
import type { Picture } from "../images/decode.ts";
import type { View, ViewTensor } from "../images/view.ts";
import { confidenceOf, logOddsOf } from "../models/odds.ts";
import { LINE_HEIGHT, LINE_WIDTHS, type Reading } from "../writing/reading.ts";

/** A line is large from this height, as a share of the picture's longer side. Detectors of lines hardly learned any that large. */
const LARGE = 0.12;
/** From this height, a line that cannot be read is doubtful: faces, waves and benches look like one word that fills the picture. */
const DOUBTFUL = 0.18;
/** A line is read if the recognizer is this certain of its characters, and there are at least so many. */
const READ = { certainty: 0.75, characters: 2 };
/** A line is unread below this certainty, and loses these log-odds. */
const UNREAD = { certainty: 0.5, logOdds: 1.3 };
/** The recognizer reads level lines: at most this slope, and not much higher than wide. */
const MOST_SLOPE = 0.2;
const LEAST_ASPECT = 0.7;
/** Most lines of a picture that are read, the largest first. */
const MOST_LINES = 16;

/** Cuts a line out of a picture and reads it. */
export interface LineReader {
  readonly cut: (picture: Picture, view: View) => Promise<ViewTensor>;
  readonly read: (line: ViewTensor) => Promise<Reading>;
}

/**
 * Reads large lines of writing. One that can be read is as confident as its reading, and a very large one that cannot be read is less
 * confident than before.
 *
 * @param found what was found in a picture. Other categories stay as they are.
 * @param confidences the confidence from which writing counts, and from which it is reported at all
 */
export async function readLargeLines(
  found: readonly Detection[],
  { picture, confidences }: { picture: Picture; confidences: { threshold: number; reported: number } },
  reader: LineReader,
): Promise<Detection[]> {
  const large = found
    .flatMap((line) => {
      const size = line.category === "writing" ? levelHeightOf(line, picture) : undefined;
      return size === undefined || size < LARGE ? [] : [{ line, size }];
    })
    .toSorted((a, b) => b.size - a.size)
    .slice(0, MOST_LINES);
  const judged = new Map(
    await Promise.all(
      large.map(async ({ line, size }) => {
        const reading = await reader.read(await reader.cut(picture, viewOf(line.box, picture)));
        return [line, judge(line, { size, reading })] as const;
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
  { size, reading: { certainty, characters } }: { size: number; reading: Reading },
): number {
  if (certainty >= READ.certainty && characters >= READ.characters) return Math.max(confidence, certainty);
  if (size < DOUBTFUL || certainty >= UNREAD.certainty) return confidence;
  return confidenceOf(logOddsOf(confidence) - UNREAD.logOdds);
}

/** The height of a level line as a share of the picture's longer side. Undefined if it is steep. */
function levelHeightOf({ box, polygon }: Detection, { width, height }: Picture): number | undefined {
  const longSide = Math.max(width, height);
  const [boxWidth, boxHeight] = [(box.right - box.left) * width, (box.bottom - box.top) * height];
  if (boxWidth < LEAST_ASPECT * boxHeight) return undefined;
  const corners = (polygon ?? []).map(([x, y]): Point => [x * width, y * height]);
  const sides = corners.map(([x, y], index) => {
    const [nextX, nextY] = corners[(index + 1) % corners.length] ?? [x, y];
    return { across: Math.abs(nextX - x), down: Math.abs(nextY - y) };
  });
  const isLevel = sides.every(
    ({ across, down }) => Math.min(across, down) <= MOST_SLOPE * Math.max(across, down),
  );
  return isLevel ? boxHeight / longSide : undefined;
}

/** The line as the recognizer sees it. */
function viewOf({ left, top, right, bottom }: Box, { width, height }: Picture): View {
  const [x, y] = [Math.floor(left * width), Math.floor(top * height)];
  const across = Math.max(1, Math.min(width, Math.ceil(right * width)) - x);
  const down = Math.max(1, Math.min(height, Math.ceil(bottom * height)) - y);
  const scaledWidth = Math.round((LINE_HEIGHT * across) / down);
  return {
    left: x,
    top: y,
    width: across,
    height: down,
    scaledWidth: Math.min(LINE_WIDTHS.most, Math.max(LINE_WIDTHS.least, scaledWidth)),
    scaledHeight: LINE_HEIGHT,
  };
}
