import { regionsFromDetections } from "../../src/pixels/redaction/regions/regions.ts";
import { boundsOf, type Box, type Point } from "../src/geometry/box.ts";
import { isInside } from "../src/geometry/polygon.ts";
import type { Detection } from "../src/detections/detection.ts";

/** An area in pixels. */
export interface Shape {
  readonly bounds: Box;
  /** A convex polygon, if the area does not fill its bounds. */
  readonly polygon?: readonly Point[] | undefined;
  readonly isEllipse?: boolean;
}

/** The outline of a detection or a label. */
interface Outline {
  readonly box: Box;
  readonly polygon?: readonly Point[] | undefined;
}

/** Whether a point lies in a shape. */
export function holds({ bounds, polygon, isEllipse }: Shape, x: number, y: number): boolean {
  if (x < bounds.left || x > bounds.right || y < bounds.top || y > bounds.bottom) return false;
  if (polygon !== undefined) return isInside([x, y], polygon);
  if (isEllipse !== true) return true;
  const across = (2 * x - bounds.left - bounds.right) / (bounds.right - bounds.left);
  const down = (2 * y - bounds.top - bounds.bottom) / (bounds.bottom - bounds.top);
  return across * across + down * down <= 1;
}

/** The shape of a detection or a label, with its sides grown by `share` about the center of its bounds. It keeps the unit. */
export function grownShape({ box, polygon }: Outline, share: number): Shape {
  const centreX = (box.left + box.right) / 2;
  const centreY = (box.top + box.bottom) / 2;
  const scale = 1 + share;
  const move = ([x, y]: Point): Point => [centreX + (x - centreX) * scale, centreY + (y - centreY) * scale];
  const [left, top] = move([box.left, box.top]);
  const [right, bottom] = move([box.right, box.bottom]);
  return { bounds: { left, top, right, bottom }, polygon: polygon?.map(move) };
}

/** The shape that the redaction hides for a detection on a photo, with its category's margin. All coordinates are in pixels. */
export function redactedShape(
  { category, confidence, box, polygon }: Detection,
  photo: { width: number; height: number },
): Shape {
  const normal = ([x, y]: Point): Point => [x / photo.width, y / photo.height];
  const [left, top] = normal([box.left, box.top]);
  const [right, bottom] = normal([box.right, box.bottom]);
  const [region] = regionsFromDetections(
    [{ category, confidence, box: [left, top, right - left, bottom - top], polygon: polygon?.map(normal) }],
    photo,
  );
  if (region === undefined) throw new Error("A detection has one region.");
  const [x, y, width, height] = region.box;
  const placed = ([px, py]: Point): Point => [px * photo.width, py * photo.height];
  const bounds = boundsOf([placed([x, y]), placed([x + width, y + height])]);
  return { bounds, polygon: region.polygon?.map(placed), isEllipse: region.shape === "ellipse" };
}

/** Samples along each side of a target. The resulting share is within 0.01 of the true one. */
const SAMPLES = 48;

/** Points spread evenly over a target. */
export function samplesOf(target: Shape): Point[] {
  const { left, top, right, bottom } = target.bounds;
  const points: Point[] = [];
  for (let row = 0; row < SAMPLES; row += 1) {
    const y = top + ((row + 0.5) / SAMPLES) * (bottom - top);
    for (let column = 0; column < SAMPLES; column += 1) {
      const x = left + ((column + 0.5) / SAMPLES) * (right - left);
      if (holds(target, x, y)) points.push([x, y]);
    }
  }
  return points;
}

/** Share of a shape's area under the union of others. */
export function coveredShare(target: Shape, others: readonly Shape[]): number {
  const near = others.filter((other) => touches(target.bounds, other.bounds));
  if (near.length === 0) return 0;
  const points = samplesOf(target);
  const covered = points.filter(([x, y]) => near.some((other) => holds(other, x, y)));
  return points.length === 0 ? 0 : covered.length / points.length;
}

/** Whether two boxes share area. */
export function touches(a: Box, b: Box): boolean {
  return (
    Math.min(a.right, b.right) > Math.max(a.left, b.left) &&
    Math.min(a.bottom, b.bottom) > Math.max(a.top, b.top)
  );
}

/** Cells along the longer side of the grid on which areas are counted. */
const GRID = 512;

/** Share of a picture's area under the union of shapes, counted on a grid. */
export function unionShare(shapes: readonly Shape[], picture: { width: number; height: number }): number {
  const step = Math.max(1, Math.max(picture.width, picture.height) / GRID);
  const columns = Math.ceil(picture.width / step);
  const rows = Math.ceil(picture.height / step);
  const cells = new Uint8Array(columns * rows);
  for (const shape of shapes) {
    const { left, top, right, bottom } = shape.bounds;
    const last = Math.min(rows - 1, Math.ceil(bottom / step));
    for (let row = Math.max(0, Math.floor(top / step)); row <= last; row += 1) {
      const y = (row + 0.5) * step;
      const end = Math.min(columns - 1, Math.ceil(right / step));
      for (let column = Math.max(0, Math.floor(left / step)); column <= end; column += 1) {
        if (holds(shape, (column + 0.5) * step, y)) cells[row * columns + column] = 1;
      }
    }
  }
  return cells.reduce((sum, cell) => sum + cell, 0) / cells.length;
}

/** A label's area. */
export function shapeOfLabel({ bounds, quad }: { bounds: Box; quad: readonly Point[] | undefined }): Shape {
  return quad === undefined ? { bounds } : { bounds: boundsOf(quad), polygon: quad };
}
