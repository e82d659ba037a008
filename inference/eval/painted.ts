import { Coverage } from "../../src/redaction/coverage.ts";
import { PIXEL_LATTICE } from "../../src/redaction/pixel-cells.ts";
import { regionsFromDetections } from "../../src/redaction/regions.ts";
import type { Region } from "../../src/redaction/regions.ts";
import type { Category } from "../src/categories.ts";
import { area, intersection } from "../src/geometry/box.ts";
import type { Box } from "../src/geometry/box.ts";
import type { Detection } from "../src/pipeline/detection.ts";
import { pooledWith } from "./judge.ts";
import type { Label, Photo } from "./labels.ts";
import { holds, shapeOfLabel } from "./shapes.ts";
import type { Shape } from "./shapes.ts";

/** Side of the squares that a JPEG file's brightness is painted in. */
const JPEG_BLOCK_PX = 8;
/** A detection is of an instance when they share so much of the smaller one. */
const SHARED = 0.5;

/** What the kernel paints of one category on one photo, counted pixel by pixel. */
export interface PaintedOutcome {
  readonly source: string;
  readonly isComplete: boolean;
  readonly labelledPixels: number;
  /** By all detections but those of ignored instances; and the same in a JPEG file's blocks. */
  readonly paintedPixels: number;
  readonly paintedInBlocks: number;
  /** Pixels of the instances that were found, and what the detections of these paint. */
  readonly foundPixels: number;
  readonly foundPaintedPixels: number;
  readonly targets: readonly PaintedTarget[];
}

/** Share of one instance that is painted: of its box or outline, and of the ellipse in it. */
interface PaintedTarget {
  readonly share: number;
  readonly ellipseShare: number;
}

/** Paints what was found of a category as a file of single pixels is painted; undefined without labels. */
export function paint(
  photo: Photo,
  category: Category,
  found: readonly Detection[],
): PaintedOutcome | undefined {
  const labels = photo.labels.filter((label) => label.category === category);
  const targets = labels.filter(({ isIgnored }) => !isIgnored);
  if (targets.length === 0) return undefined;
  const kinds = pooledWith(category);
  const detections = found.filter((one) => kinds.includes(one.category));
  const isOfAny = (one: Detection, some: readonly Label[]): boolean =>
    some.some((label) => isOf(one, label, photo));
  const truths = detections.filter((one) => isOfAny(one, targets));
  const counted = regionsOf(
    detections.filter((one) => truths.includes(one) || !isOfAny(one, labels)),
    photo,
  );
  const foundLabels = targets.filter((label) => detections.some((one) => isOf(one, label, photo)));
  const painted = maskOf(regionsOf(detections, photo), photo, 1);
  return {
    source: photo.source,
    isComplete: photo.completeFor.has(category),
    labelledPixels: countOf(pixelsOf(targets.map(shapeOfLabel), photo)),
    paintedPixels: countOf(maskOf(counted, photo, 1)),
    paintedInBlocks: countOf(maskOf(counted, photo, JPEG_BLOCK_PX)),
    foundPixels: countOf(pixelsOf(foundLabels.map(shapeOfLabel), photo)),
    foundPaintedPixels: countOf(maskOf(regionsOf(truths, photo), photo, 1)),
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

function isOf({ box }: Detection, { bounds }: Label, { width, height }: Photo): boolean {
  const placed: Box = {
    left: box.left * width,
    top: box.top * height,
    right: box.right * width,
    bottom: box.bottom * height,
  };
  return intersection(placed, bounds) >= SHARED * Math.min(area(placed), area(bounds));
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** One byte for each pixel, 1 where the kernel paints it in units of so many pixels. */
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

/** One byte for each pixel, 1 where its centre lies in one of the shapes. */
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
