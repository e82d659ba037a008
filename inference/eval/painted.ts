import { Coverage } from "../../src/pixels/redaction/regions/coverage.ts";
import { PIXEL_LATTICE } from "../../src/pixels/redaction/painting/pixel-cells.ts";
import { regionsFromDetections, type Region } from "../../src/pixels/redaction/regions/regions.ts";
import type { Category } from "../src/detections/categories.ts";
import { area, intersection, type Box } from "../src/geometry/box.ts";
import type { Detection } from "../src/detections/detection.ts";
import { pooledWith } from "./judge.ts";
import type { Label, Photo } from "./labels.ts";
import { holds, shapeOfLabel, type Shape } from "./shapes.ts";

/** Side of the luma blocks that a JPEG file is painted in. */
const JPEG_BLOCK_PX = 8;
/** A detection shows an instance if they share at least this share of the smaller one's area. */
const SHARED = 0.5;

/** What the kernel paints of one category on one photo, counted in pixels. */
export interface PaintedOutcome {
  readonly source: string;
  readonly isComplete: boolean;
  readonly labelledPixels: number;
  /** Pixels that all detections paint, except those of ignored instances; and the same in a JPEG file's blocks. */
  readonly paintedPixels: number;
  readonly paintedInBlocks: number;
  /** Pixels of the found instances, and the pixels that their detections paint. */
  readonly foundPixels: number;
  readonly foundPaintedPixels: number;
  readonly targets: readonly PaintedTarget[];
}

/** The painted share of one instance: of its box or outline, and of the ellipse in it. */
interface PaintedTarget {
  readonly share: number;
  readonly ellipseShare: number;
}

/** A region, and the box of its detection in pixels. */
export interface PlacedRegion {
  readonly region: Region;
  readonly bounds: Box;
}

/** Paints the detections of a category as in a file that is painted pixel by pixel. Undefined without labels. */
export function paint(
  photo: Photo,
  category: Category,
  found: readonly Detection[],
): PaintedOutcome | undefined {
  const kinds = pooledWith(category);
  const detections = found.filter((one) => kinds.includes(one.category));
  const regions = regionsOf(detections, photo);
  const placed = detections.flatMap(({ box }, index) => {
    const region = regions[index];
    return region === undefined ? [] : [{ region, bounds: inPixels(box, photo) }];
  });
  return judgePainted(photo, category, { placed, maskOf: (some, unitPx) => maskOf(some, photo, unitPx) });
}

/** Compares the area that regions paint with the picture's labels of a category. Undefined without labels. */
export function judgePainted(
  photo: Photo,
  category: Category,
  {
    placed,
    maskOf: maskFor,
  }: {
    placed: readonly PlacedRegion[];
    /** Returns one byte per pixel, 1 if it is painted. */
    maskOf: (regions: readonly Region[], unitPx: number) => Uint8Array;
  },
): PaintedOutcome | undefined {
  const labels = photo.labels.filter((label) => label.category === category);
  const targets = labels.filter(({ isIgnored }) => !isIgnored);
  if (targets.length === 0) return undefined;
  const isOfAny = ({ bounds }: PlacedRegion, some: readonly Label[]): boolean =>
    some.some((label) => isOf(bounds, label));
  const regionOf = ({ region }: PlacedRegion): Region => region;
  const truths = placed.filter((one) => isOfAny(one, targets));
  const counted = placed.filter((one) => truths.includes(one) || !isOfAny(one, labels)).map(regionOf);
  const foundLabels = targets.filter((label) => placed.some(({ bounds }) => isOf(bounds, label)));
  const painted = maskFor(placed.map(regionOf), 1);
  return {
    source: photo.source,
    isComplete: photo.completeFor.has(category),
    labelledPixels: countOf(pixelsOf(targets.map(shapeOfLabel), photo)),
    paintedPixels: countOf(maskFor(counted, 1)),
    paintedInBlocks: countOf(maskFor(counted, JPEG_BLOCK_PX)),
    foundPixels: countOf(pixelsOf(foundLabels.map(shapeOfLabel), photo)),
    foundPaintedPixels: countOf(maskFor(truths.map(regionOf), 1)),
    targets: targets.map((label) => {
      const shape = shapeOfLabel(label);
      const ellipse = { bounds: label.bounds, isEllipse: true };
      return {
        share: shareUnder(painted, shape, photo),
        ellipseShare: shareUnder(painted, label.quad === undefined ? ellipse : shape, photo),
      };
    }),
  };
}

function regionsOf(detections: readonly Detection[], picture: Size): Region[] {
  return regionsFromDetections(
    detections.map(({ category, confidence, box, polygon }) => ({
      category,
      confidence,
      box: [box.left, box.top, box.right - box.left, box.bottom - box.top],
      polygon,
    })),
    picture,
  );
}

/** Maps a box in 0…1 of a picture to the picture's pixels. */
function inPixels({ left, top, right, bottom }: Box, { width, height }: Size): Box {
  return { left: left * width, top: top * height, right: right * width, bottom: bottom * height };
}

function isOf(bounds: Box, label: Label): boolean {
  return intersection(bounds, label.bounds) >= SHARED * Math.min(area(bounds), area(label.bounds));
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** One byte per pixel, 1 if the kernel paints it in units of `unitPx` pixels. */
function maskOf(regions: readonly Region[], { width, height }: Size, unitPx: number): Uint8Array {
  const mask = new Uint8Array(width * height);
  const lattice = { ...PIXEL_LATTICE, unitPx };
  const coverage = new Coverage({ regions, width, height, lattice });
  const classes = new Uint8Array(Math.ceil(width / unitPx));
  for (let top = 0; top < height; top += unitPx) {
    if (!coverage.fillRow({ classes, unitWidthPx: unitPx, top, bottom: top + unitPx })) continue;
    for (let y = top; y < Math.min(height, top + unitPx); y += 1) {
      for (let x = 0; x < width; x += 1) {
        if (classes[Math.floor(x / unitPx)] !== 0) mask[y * width + x] = 1;
      }
    }
  }
  return mask;
}

/** One byte per pixel, 1 if its center lies in one of the shapes. */
function pixelsOf(shapes: readonly Shape[], photo: Size): Uint8Array {
  const mask = new Uint8Array(photo.width * photo.height);
  for (const shape of shapes) {
    forEachPixel(shape, photo, (at) => {
      mask[at] = 1;
    });
  }
  return mask;
}

function forEachPixel(shape: Shape, { width, height }: Size, visit: (at: number) => void): void {
  const { left, top, right, bottom } = shape.bounds;
  for (let y = Math.max(0, Math.floor(top)); y < Math.min(height, Math.ceil(bottom)); y += 1) {
    for (let x = Math.max(0, Math.floor(left)); x < Math.min(width, Math.ceil(right)); x += 1) {
      if (holds(shape, x + 0.5, y + 0.5)) visit(y * width + x);
    }
  }
}

function shareUnder(mask: Uint8Array, shape: Shape, photo: Size): number {
  let [all, under] = [0, 0];
  forEachPixel(shape, photo, (at) => {
    all += 1;
    under += mask[at] ?? 0;
  });
  return all === 0 ? 0 : under / all;
}

function countOf(mask: Uint8Array): number {
  return mask.reduce((count, value) => count + value, 0);
}
