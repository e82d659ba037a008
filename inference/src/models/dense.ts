import type { Category } from "../detections/categories.ts";
import { clipToUnit, type Box, type Point } from "../geometry/box.ts";
import { fromView, inputSizeOf, type View } from "../images/view.ts";
import type { Detection } from "../detections/detection.ts";
import type { Manifest } from "./manifest.ts";
import type { DenseOutputs } from "./adapters/outputs.ts";
import type { Pass } from "./plan-passes.ts";

/** Most candidates of one class in one pass. More are noise and would make suppression slow. */
const MAX_CANDIDATES = 600;

export interface DenseAnswer {
  /** [classes, points]. */
  readonly scores: Float32Array;
  /** [4, points]. */
  readonly boxes: Float32Array;
}

/** The parts of a manifest that define how to read a `dense_ltrb` network. */
export interface DenseManifest {
  readonly input: Pick<Manifest["input"], "size_multiple">;
  readonly outputs: Pick<DenseOutputs, "strides" | "classes">;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Number of grid points of a network for an input of the given size. */
export function pointCount(input: Size, strides: readonly number[]): number {
  return strides.reduce(
    (sum, stride) => sum + Math.floor(input.width / stride) * Math.floor(input.height / stride),
    0,
  );
}

interface DenseReading {
  readonly pass: Pass;
  /** Size in pixels of the picture that the pass covers. */
  readonly picture: Size;
  /** Least confidence of each requested category. Classes of other categories are skipped. */
  readonly thresholds: ReadonlyMap<Category, number>;
}

/**
 * Reads one pass of a `dense_ltrb` network.
 * @returns Candidates in 0…1 of the picture, before suppression.
 */
export function decodeDense(
  answer: DenseAnswer,
  manifest: DenseManifest,
  { pass, picture, thresholds }: DenseReading,
): Detection[] {
  const { strides, classes } = manifest.outputs;
  const input = inputSizeOf(pass.view, manifest.input.size_multiple);
  const points = pointCount(input, strides);
  return classes.flatMap((category, index) => {
    const threshold = category === null ? undefined : thresholds.get(category);
    if (category === null || threshold === undefined) return [];
    const scores = answer.scores.subarray(index * points, (index + 1) * points);
    const candidates: Detection[] = [];
    for (const point of placesOver(scores, threshold)) {
      const [centreX, centreY] = centreOf(point, input, strides);
      const side = (edge: number): number => answer.boxes[edge * points + point] ?? 0;
      const box = {
        left: centreX - side(0),
        top: centreY - side(1),
        right: centreX + side(2),
        bottom: centreY + side(3),
      };
      const placed = placeInPicture(box, pass, picture);
      const confidence = Math.min(1, scores[point] ?? 0);
      if (placed) candidates.push({ category, confidence, box: placed });
    }
    return strongest(candidates);
  });
}

/**
 * Indices of the scores that reach a threshold. This loop is separate because it sees about a million scores, and few reach the
 * threshold.
 */
function placesOver(scores: Float32Array, threshold: number): number[] {
  const places: number[] = [];
  for (let i = 0; i < scores.length; i += 1) if ((scores[i] ?? 0) >= threshold) places.push(i);
  return places;
}

/** Center of a grid point in input pixels. `point` counts over all grids. */
function centreOf(point: number, input: Size, strides: readonly number[]): Point {
  let place = point;
  for (const stride of strides) {
    const columns = Math.floor(input.width / stride);
    const cells = columns * Math.floor(input.height / stride);
    if (place < cells)
      return [((place % columns) + 0.5) * stride, (Math.floor(place / columns) + 0.5) * stride];
    place -= cells;
  }
  throw new RangeError("The point lies in none of the network's grids.");
}

/** The candidates of one class that suppression will see. */
export function strongest(candidates: readonly Detection[]): Detection[] {
  return candidates.toSorted((a, b) => b.confidence - a.confidence).slice(0, MAX_CANDIDATES);
}

/**
 * Maps a box in pixels of a pass's input to 0…1 of the picture.
 * @returns Undefined if the box lies outside the view, or if a neighboring tile reports it.
 */
export function placeInPicture(box: Box, pass: Pass, picture: Size): Box | undefined {
  const clipped = clipToView(box, pass.view);
  if (!(clipped.right > clipped.left && clipped.bottom > clipped.top)) return undefined;
  return isCutByTile(clipped, pass, picture) ? undefined : toPicture(clipped, pass.view, picture);
}

function clipToView(box: Box, view: View): Box {
  return {
    left: Math.max(0, box.left),
    top: Math.max(0, box.top),
    right: Math.min(view.scaledWidth, box.right),
    bottom: Math.min(view.scaledHeight, box.bottom),
  };
}

/** If an object is cut by a tile's inner edge and fits whole into the neighboring tile, the neighbor reports it. */
function isCutByTile(box: Box, { view, overlap }: Pass, picture: Size): boolean {
  if (overlap === 0) return false;
  const touch = 1;
  const cutSideways =
    (box.left <= touch && view.left > 0) ||
    (box.right >= view.scaledWidth - touch && view.left + view.width < picture.width);
  const cutUpright =
    (box.top <= touch && view.top > 0) ||
    (box.bottom >= view.scaledHeight - touch && view.top + view.height < picture.height);
  return (
    (cutSideways && box.right - box.left < overlap / 2) || (cutUpright && box.bottom - box.top < overlap / 2)
  );
}

/** Maps a box in pixels of a scaled view to 0…1 of the picture. */
export function toPicture(box: Box, view: View, picture: Size): Box {
  const from = fromView(view);
  const x = (value: number): number => from.x(value) / picture.width;
  const y = (value: number): number => from.y(value) / picture.height;
  const [left, right] = view.isMirrored ? [x(box.right), x(box.left)] : [x(box.left), x(box.right)];
  return clipToUnit({ left, top: y(box.top), right, bottom: y(box.bottom) });
}
