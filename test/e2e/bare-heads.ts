import { WALK, WALK_FRAMES, headAt, type Head } from "./walker.ts";

/** Side of the squares that are compared, in pixels. */
const TILE_PX = 16;
/** A square of the source shows nothing if the mean difference between neighboring pixels is below this, in levels. */
const LEAST_DETAIL = 2;
/** A square with at least this edge correlation still shows the source. */
const BARE_CORRELATION = 0.7;

/** What a frame shows of its head, and how much the rest of the frame has changed. */
export interface LookedAt {
  /** Share of the head's squares that still show the source. */
  readonly bareShare: number;
  /** PSNR of the area that the mask cannot reach, in decibels. */
  readonly psnrElsewhere: number;
}

/**
 * Compares each frame of the walk with the upload, both as raw yuv420p.
 *
 * @param reachPx How far the mask may extend past the head, in pixels.
 */
export function lookAtHeads(
  source: Uint8Array,
  output: Uint8Array,
  reachPx: (frame: number) => number,
): LookedAt[] {
  const lumaBytes = WALK.width * WALK.height;
  const frameBytes = (lumaBytes * 3) / 2;
  if (output.length !== frameBytes * WALK_FRAMES)
    throw new Error("Frames were lost, or have come from nowhere.");
  return Array.from({ length: WALK_FRAMES }, (_, frame) => {
    const [before, after] = [source, output].map((video) =>
      video.subarray(frame * frameBytes, frame * frameBytes + lumaBytes),
    );
    if (before === undefined || after === undefined) throw new Error("There is no such frame.");
    const head = headAt(frame);
    const reach = reachPx(frame);
    const far = { ...head, radiusX: head.radiusX + reach, radiusY: head.radiusY + reach };
    return { bareShare: bareShare(before, after, head), psnrElsewhere: psnrElsewhere(before, after, far) };
  });
}

function bareShare(before: Uint8Array, after: Uint8Array, head: Head): number {
  let tiles = 0;
  let bare = 0;
  for (let y = Math.ceil(head.y - head.radiusY); y + TILE_PX <= head.y + head.radiusY; y += TILE_PX) {
    for (let x = Math.ceil(head.x - head.radiusX); x + TILE_PX <= head.x + head.radiusX; x += TILE_PX) {
      const isInside = distanceTo(head, x + TILE_PX / 2, y + TILE_PX / 2) < 0.85;
      const correlation = isInside ? edgeCorrelation(before, after, { x, y }) : undefined;
      if (correlation === undefined) continue;
      tiles += 1;
      if (correlation > BARE_CORRELATION) bare += 1;
    }
  }
  if (tiles === 0) throw new Error("There is no head to look at.");
  return bare / tiles;
}

/** The correlation of the differences between neighboring pixels of a square; 1 if all are equal, undefined if the square is flat. */
function edgeCorrelation(
  before: Uint8Array,
  after: Uint8Array,
  { x, y }: { x: number; y: number },
): number | undefined {
  let [both, first, second, detail] = [0, 0, 0, 0];
  for (let row = y; row < y + TILE_PX; row++) {
    for (let column = x; column < x + TILE_PX; column++) {
      const at = row * WALK.width + column;
      for (const next of [at + 1, at + WALK.width]) {
        const was = (before[next] ?? 0) - (before[at] ?? 0);
        const is = (after[next] ?? 0) - (after[at] ?? 0);
        both += was * is;
        first += was ** 2;
        second += is ** 2;
        detail += Math.abs(was);
      }
    }
  }
  if (detail < LEAST_DETAIL * 2 * TILE_PX ** 2) return undefined;
  return second === 0 ? 0 : both / Math.sqrt(first * second);
}

function psnrElsewhere(before: Uint8Array, after: Uint8Array, far: Head): number {
  let squares = 0;
  let pixels = 0;
  for (const [at, level] of before.entries()) {
    if (distanceTo(far, at % WALK.width, Math.floor(at / WALK.width)) < 1) continue;
    squares += (level - (after[at] ?? 0)) ** 2;
    pixels += 1;
  }
  return 10 * Math.log10(255 ** 2 / (squares / pixels));
}

/** The distance from the center of a head: 0 at the center, 1 at the edge. */
function distanceTo({ x, y, radiusX, radiusY }: Head, column: number, row: number): number {
  return Math.hypot((column - x) / radiusX, (row - y) / radiusY);
}
