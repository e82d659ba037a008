import { RedactionError } from "../bytes/errors.ts";
import { sidesAround, type Polygon, type Sides } from "../../geometry/box.ts";
import { edgesOf, convexHull } from "../../geometry/polygon.ts";
import type { Region } from "./regions.ts";

/** A closed convex area in pixels: x to the right, y down. Pixel (i, j) is the square [i, i+1] × [j, j+1]. */
export interface Shape extends Sides {
  /**
   * Projects the part of the area with top ≤ y ≤ bottom onto the x axis. Because the area is convex, a rectangle between these
   * two lines touches it exactly if the rectangle's columns touch the returned interval.
   */
  spanInBand(top: number, bottom: number): readonly [left: number, right: number] | undefined;
}

/** Scales a region to a picture of the given size. Throws `invalid_region` if it has no finite extent or too few corners. */
export function shapeOf(region: Region, width: number, height: number): Shape {
  const [x, y, w, h] = region.box;
  const points = region.polygon ?? [];
  if (![x, y, w, h].every(Number.isFinite) || w < 0 || h < 0 || !points.flat().every(Number.isFinite)) {
    throw new RedactionError("invalid_region", "A region has no finite extent.");
  }
  if (region.shape === "polygon") {
    if (points.length < 3) {
      throw new RedactionError("invalid_region", "A polygon needs at least three corners.");
    }
    return convexPolygon(convexHull(points.map(([px, py]) => [px * width, py * height] as const)));
  }
  const place = region.shape === "ellipse" ? ellipse : rectangle;
  return place({ left: x * width, top: y * height, right: (x + w) * width, bottom: (y + h) * height });
}

/** An axis-aligned rectangle. */
export function rectangle({ left, top, right, bottom }: Sides): Shape {
  return {
    left,
    top,
    right,
    bottom,
    spanInBand(bandTop, bandBottom) {
      return bandBottom < top || bandTop > bottom ? undefined : [left, right];
    },
  };
}

/** ((x − cx)/rx)² + ((y − cy)/ry)² ≤ 1. In a band, the widest line is the one nearest to the center. */
function ellipse({ left, top, right, bottom }: Sides): Shape {
  const centreX = (left + right) / 2;
  const centreY = (top + bottom) / 2;
  const radiusX = (right - left) / 2;
  const radiusY = (bottom - top) / 2;
  return {
    left,
    top,
    right,
    bottom,
    spanInBand(bandTop, bandBottom) {
      if (bandBottom < top || bandTop > bottom) return undefined;
      const distance = Math.max(bandTop - centreY, centreY - bandBottom, 0);
      const ratio = radiusY === 0 ? 0 : distance / radiusY;
      const halfWidth = radiusX * Math.sqrt(Math.max(0, 1 - ratio * ratio));
      return [centreX - halfWidth, centreX + halfWidth];
    },
  };
}

function convexPolygon(hull: Polygon): Shape {
  const edges = edgesOf(hull);
  return {
    ...sidesAround(hull),
    spanInBand(bandTop, bandBottom) {
      let left = Infinity;
      let right = -Infinity;
      for (const [[x0, y0], [x1, y1]] of edges) {
        const low = Math.max(bandTop, Math.min(y0, y1));
        const high = Math.min(bandBottom, Math.max(y0, y1));
        if (low > high) continue;
        const slope = y1 === y0 ? 0 : (x1 - x0) / (y1 - y0);
        const ends = y1 === y0 ? [x0, x1] : [x0 + (low - y0) * slope, x0 + (high - y0) * slope];
        left = Math.min(left, ...ends);
        right = Math.max(right, ...ends);
      }
      return left > right ? undefined : [left, right];
    },
  };
}
