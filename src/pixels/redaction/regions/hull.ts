/** A point of the plane: x to the right, y down. */
export type PlanePoint = readonly [x: number, y: number];

/** Corners of the convex hull, in an order that keeps the inside on the left of each side (Andrew's monotone chain). */
export function convexHull(points: readonly PlanePoint[]): PlanePoint[] {
  const sorted = [...points].sort(([ax, ay], [bx, by]) => ax - bx || ay - by);
  const hull = [...hullChain(sorted), ...hullChain(sorted.toReversed())];
  return hull.length === 0 ? sorted.slice(0, 1) : hull;
}

/** One half of the hull. Drops every point at which the path turns clockwise or goes straight on. */
function hullChain(ordered: readonly PlanePoint[]): PlanePoint[] {
  const out: PlanePoint[] = [];
  for (const point of ordered) {
    for (;;) {
      const last = out.at(-1);
      const before = out.at(-2);
      if (last === undefined || before === undefined) break;
      const turn =
        (last[0] - before[0]) * (point[1] - before[1]) - (last[1] - before[1]) * (point[0] - before[0]);
      if (turn > 0) break;
      out.pop();
    }
    out.push(point);
  }
  return out.slice(0, -1);
}
