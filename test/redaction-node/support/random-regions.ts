import type { Point } from "../../../src/pixels/geometry/box.ts";
import type { Region } from "../../../src/pixels/redaction/regions/regions.ts";
import type { RedactionCategory } from "../../../src/ground/vocabulary/categories.ts";
import type { Random } from "../../support/random.ts";

const CATEGORIES: readonly RedactionCategory[] = ["heads", "tattoos", "writing", "qr_codes", "documents"];

/** A few regions of every shape, some overlapping, tiny or extending past the picture. */
export function randomRegions(random: Random): Region[] {
  return Array.from({ length: random.int(1, 4) }, () => randomRegion(random));
}

function randomRegion(random: Random): Region {
  const category = random.pick(CATEGORIES);
  const width = random.pick([0.02, 0.2, 0.5, 1.1]) * (0.5 + random.next());
  const height = random.pick([0.02, 0.2, 0.5, 1.1]) * (0.5 + random.next());
  const x = random.next() * 1.1 - 0.1;
  const y = random.next() * 1.1 - 0.1;
  const shape = random.pick(["box", "ellipse", "polygon"] as const);
  if (shape !== "polygon") return { category, shape, box: [x, y, width, height] };
  const turn = random.next() * Math.PI;
  const polygon = [0.25, 0.75, 1.25, 1.75].map((quarter): Point => {
    const angle = turn + quarter * Math.PI;
    return [x + width / 2 + (Math.cos(angle) * width) / 2, y + height / 2 + (Math.sin(angle) * height) / 2];
  });
  return { category, shape, box: [x, y, width, height], polygon };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Whether a point of the picture, in pixels, is inside a region grown by `reach` pixels. It shares no code with the kernel.
 */
export function contains(region: Region, x: number, y: number, size: Size, reach = 0): boolean {
  const [left, top, width, height] = region.box;
  const centreX = (left + width / 2) * size.width;
  const centreY = (top + height / 2) * size.height;
  const halfWidth = (width / 2) * size.width + reach;
  const halfHeight = (height / 2) * size.height + reach;
  if (halfWidth <= 0 || halfHeight <= 0) return false;
  if (region.shape === "box") return Math.abs(x - centreX) < halfWidth && Math.abs(y - centreY) < halfHeight;
  if (region.shape === "ellipse")
    return ((x - centreX) / halfWidth) ** 2 + ((y - centreY) / halfHeight) ** 2 < 1;
  const points = (region.polygon ?? []).map(([px, py]) => [px * size.width, py * size.height] as const);
  const distances = points.map(([ax, ay], index) => {
    const [bx, by] = points[(index + 1) % points.length] ?? [ax, ay];
    return ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / Math.hypot(bx - ax, by - ay);
  });
  return distances.every((distance) => distance > -reach) || distances.every((distance) => distance < reach);
}

/** Whether any point of a rectangle, sampled every `step` pixels, is inside a region grown by `reach`. */
export function touches(
  regions: readonly Region[],
  { left, top, right, bottom }: { left: number; top: number; right: number; bottom: number },
  size: Size,
  { step, reach }: { step: number; reach: number },
): boolean {
  for (let y = top; y <= bottom; y += step) {
    for (let x = left; x <= right; x += step) {
      if (regions.some((region) => contains(region, x, y, size, reach))) return true;
    }
  }
  return false;
}
