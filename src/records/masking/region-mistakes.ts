import { ONE_SHAPE, type RegionFault } from "./region.schemas.ts";

/** If at least this many values of a shape are above 1, the shape is in pixels. A single one may be a typing error. */
const LEAST_IN_PIXELS = 2;
/** What is accepted instead of a shape in pixels, by kind of shape. */
const IN_PIXELS: Readonly<Record<string, string>> = {
  box: "x, y, width and height as fractions of the picture, from 0 to 1, not in pixels",
  polygon: "corners [x, y] as fractions of the picture, from 0 to 1, not in pixels",
};

/** Reduces faults in a list of regions to one per mistake. Faults that follow from another fault are left out. */
export function mistakesOf(faults: readonly RegionFault[], value: unknown): RegionFault[] {
  const misspelled = new Set(faults.filter((fault) => fault.unknownNames).map(({ path }) => keyOf(path)));
  const inPixels = shapesInPixels(faults, value);
  const reported = new Set<string>();
  return faults.flatMap((fault) => {
    if (followsFromName(fault, misspelled, value)) return [];
    const shape = shapeOf(fault.path);
    if (shape === undefined || !inPixels.has(keyOf(shape))) return [fault];
    const key = keyOf(shape);
    if (reported.has(key)) return [];
    reported.add(key);
    return [{ path: shape, accepted: IN_PIXELS[String(shape.at(-1))] ?? fault.accepted }];
  });
}

/** The part of a value at a path. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}

/** Whether a fault only exists because a name is misspelled: the correct name is then missing. */
function followsFromName(
  { path, accepted, unknownNames }: RegionFault,
  misspelled: ReadonlySet<string>,
  value: unknown,
): boolean {
  if (unknownNames !== undefined) return false;
  if (accepted === ONE_SHAPE) {
    const hasShape = ["box", "polygon", "keyframes"].some(
      (name) => valueAt(value, [...path, name]) !== undefined,
    );
    return misspelled.has(keyOf(path)) && !hasShape;
  }
  return misspelled.has(keyOf(path.slice(0, -1))) && valueAt(value, path) === undefined;
}

/** The boxes and polygons with several values that are refused as numbers above 1. */
function shapesInPixels(faults: readonly RegionFault[], value: unknown): Set<string> {
  const counts = new Map<string, number>();
  for (const { path } of faults) {
    const shape = shapeOf(path);
    const found = valueAt(value, path);
    if (shape === undefined || typeof found !== "number" || found <= 1) continue;
    counts.set(keyOf(shape), (counts.get(keyOf(shape)) ?? 0) + 1);
  }
  return new Set([...counts].filter(([, count]) => count >= LEAST_IN_PIXELS).map(([key]) => key));
}

/** The path of the box or polygon that contains a path. */
function shapeOf(path: readonly PropertyKey[]): readonly PropertyKey[] | undefined {
  const at = path.findLastIndex((key) => key === "box" || key === "polygon");
  return at >= 0 && at < path.length - 1 ? path.slice(0, at + 1) : undefined;
}

function keyOf(path: readonly PropertyKey[]): string {
  return JSON.stringify(path.map(String));
}
