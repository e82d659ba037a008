import type { Backdrop } from "./backdrop.ts";
import type { ComposedFrame, Occluder, Pose, Script, Shot, Symbol, Target } from "./clip.ts";
import { randomFrom } from "./random.ts";

const WHITE = 232;
const BLACK = 22;
const NO_COLOUR = 128;
/** Blank modules around a code (ISO/IEC 18004, 9.1). The codes here are on cards of exactly that size. */
const QUIET_MODULES = 4;
/** Sub-pixels in each direction when a code is drawn. */
const SUPERSAMPLING = 3;
const NOISE_LEVELS = 5;
/** Noise that starts at another position in each frame. Its length is prime. */
const GRAIN = Float32Array.from({ length: 99_991 }, randomFrom(1)).map(
  (value) => NOISE_LEVELS * (value - 0.5),
);
/** Below this contrast, a code is invisible in the noise. */
const LEAST_CONTRAST = 0.03;

/** Draws any frame of a script: the backdrop, the codes, the occluders, then light and noise. */
export function composeFrame(script: Script, index: number): ComposedFrame {
  const { width, height } = script;
  const seconds = script.timestampsSeconds[index] ?? 0;
  const shot = script.shots.findLast(({ fromSeconds }) => fromSeconds <= seconds);
  if (shot === undefined) throw new RangeError(`No shot of "${script.name}" has begun at ${seconds} s.`);
  const canvas = new Canvas(width, height);
  drawBackdrop(canvas, shot, seconds);
  const polygons = shot.targets.flatMap((target) => drawTarget(canvas, target, seconds));
  for (const occluder of shot.occluders ?? []) drawOccluder(canvas, occluder, seconds);
  const { gain, offset } = script.light?.(seconds) ?? { gain: 1, offset: 0 };
  if (gain < LEAST_CONTRAST) canvas.truth.fill(0);
  return { planes: canvas.planes(gain, offset, index), polygons, truth: canvas.truth };
}

class Canvas {
  readonly width: number;
  readonly height: number;
  readonly luma: Float32Array;
  readonly chromaBlue: Float32Array;
  readonly chromaRed: Float32Array;
  readonly truth: Uint8Array;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.luma = new Float32Array(width * height);
    this.chromaBlue = new Float32Array(width * height);
    this.chromaRed = new Float32Array(width * height);
    this.truth = new Uint8Array(width * height);
  }

  planes(gain: number, offset: number, seed: number): Uint8Array {
    const { width, height, luma } = this;
    const chromaWidth = Math.ceil(width / 2);
    const chromaHeight = Math.ceil(height / 2);
    const planes = new Uint8Array(width * height + 2 * chromaWidth * chromaHeight);
    const grainStart = Math.floor(randomFrom(seed)() * GRAIN.length);
    for (let at = 0; at < luma.length; at++) {
      const level = 16 + ((luma[at] as number) - 16) * gain + offset;
      const noisy = level + (GRAIN[(grainStart + at) % GRAIN.length] as number);
      planes[at] = noisy < 16 ? 16 : noisy > 235 ? 235 : noisy;
    }
    for (const [plane, from] of [this.chromaBlue, this.chromaRed].entries()) {
      const start = width * height + plane * chromaWidth * chromaHeight;
      for (let y = 0; y < chromaHeight; y++) {
        for (let x = 0; x < chromaWidth; x++) {
          const value = from[2 * y * width + 2 * x] as number;
          planes[start + y * chromaWidth + x] = Math.round(NO_COLOUR + (value - NO_COLOUR) * gain);
        }
      }
    }
    return planes;
  }
}

function drawBackdrop(canvas: Canvas, { backdrop, camera }: Shot, seconds: number): void {
  const [left, top] = camera?.(seconds) ?? [
    (backdrop.width - canvas.width) / 2,
    (backdrop.height - canvas.height) / 2,
  ];
  drawPlane(canvas, backdrop, "luma", left, top);
  drawPlane(canvas, backdrop, "chromaBlue", left, top);
  drawPlane(canvas, backdrop, "chromaRed", left, top);
}

/** Bilinear, clamped at the backdrop's edge. Chroma is drawn where it is sampled later. */
function drawPlane(
  canvas: Canvas,
  backdrop: Backdrop,
  plane: "luma" | "chromaBlue" | "chromaRed",
  left: number,
  top: number,
): void {
  const from = backdrop[plane];
  const to = canvas[plane];
  const step = plane === "luma" ? 1 : 2;
  const shareX = left - Math.floor(left);
  const shareY = top - Math.floor(top);
  const columns = Int32Array.from({ length: canvas.width + 1 }, (_, x) =>
    clamp(Math.floor(left) + x, backdrop.width),
  );
  for (let y = 0; y < canvas.height; y += step) {
    const upper = clamp(Math.floor(top) + y, backdrop.height) * backdrop.width;
    const lower = clamp(Math.floor(top) + y + 1, backdrop.height) * backdrop.width;
    for (let x = 0; x < canvas.width; x += step) {
      const [a, b] = [columns[x] as number, columns[x + 1] as number];
      const above = (from[upper + a] as number) * (1 - shareX) + (from[upper + b] as number) * shareX;
      const below = (from[lower + a] as number) * (1 - shareX) + (from[lower + b] as number) * shareX;
      to[y * canvas.width + x] = above * (1 - shareY) + below * shareY;
    }
  }
}

function clamp(at: number, count: number): number {
  return Math.max(0, Math.min(count - 1, at));
}

function drawTarget(
  canvas: Canvas,
  { symbol, pose }: Target,
  seconds: number,
): readonly (readonly (readonly [number, number])[])[] {
  const placed = pose(seconds);
  if (placed === undefined) return [];
  const half = placed.sizePx / 2;
  const quiet = half * (1 + (2 * QUIET_MODULES) / symbol.size);
  const reach = quiet * Math.SQRT2 + 1;
  let isSeen = false;
  for (
    let y = Math.max(0, Math.floor(placed.y - reach));
    y < Math.min(canvas.height, placed.y + reach);
    y++
  ) {
    for (
      let x = Math.max(0, Math.floor(placed.x - reach));
      x < Math.min(canvas.width, placed.x + reach);
      x++
    ) {
      const { cover, level, isCode } = sample(symbol, placed, half, quiet, x, y);
      if (cover === 0) continue;
      const at = y * canvas.width + x;
      canvas.luma[at] = (canvas.luma[at] as number) * (1 - cover) + level * cover;
      canvas.chromaBlue[at] = (canvas.chromaBlue[at] as number) * (1 - cover) + NO_COLOUR * cover;
      canvas.chromaRed[at] = (canvas.chromaRed[at] as number) * (1 - cover) + NO_COLOUR * cover;
      canvas.truth[at] = isCode ? 1 : 0;
      isSeen ||= isCode;
    }
  }
  return isSeen ? [cornersOf(placed, half)] : [];
}

/** The part of a code in one pixel: the covered share, the mean level, and whether the pixel's center is inside. */
function sample(
  { size, modules }: Symbol,
  { x: centreX, y: centreY, angleRadians = 0 }: Pose,
  half: number,
  quiet: number,
  x: number,
  y: number,
): { cover: number; level: number; isCode: boolean } {
  const cosine = Math.cos(angleRadians);
  const sine = Math.sin(angleRadians);
  let count = 0;
  let sum = 0;
  let isCode = false;
  for (let j = 0; j < SUPERSAMPLING; j++) {
    for (let i = 0; i < SUPERSAMPLING; i++) {
      const dx = x + (i + 0.5) / SUPERSAMPLING - centreX;
      const dy = y + (j + 0.5) / SUPERSAMPLING - centreY;
      const u = dx * cosine + dy * sine;
      const v = dy * cosine - dx * sine;
      if (Math.abs(u) > quiet || Math.abs(v) > quiet) continue;
      count++;
      const isWithin = Math.abs(u) < half && Math.abs(v) < half;
      if (i === 1 && j === 1) isCode = isWithin;
      const column = Math.floor(((u + half) / (2 * half)) * size);
      const row = Math.floor(((v + half) / (2 * half)) * size);
      sum += isWithin && modules[row * size + column] === 1 ? BLACK : WHITE;
    }
  }
  return { cover: count / SUPERSAMPLING ** 2, level: count === 0 ? 0 : sum / count, isCode };
}

function cornersOf({ x, y, angleRadians = 0 }: Pose, half: number): (readonly [number, number])[] {
  const cosine = Math.cos(angleRadians);
  const sine = Math.sin(angleRadians);
  const corners = [
    [-half, -half],
    [half, -half],
    [half, half],
    [-half, half],
  ] as const;
  return corners.map(([u, v]) => [x + u * cosine - v * sine, y + u * sine + v * cosine]);
}

/** A dark and slightly textured ellipse. */
function drawOccluder(canvas: Canvas, { at }: Occluder, seconds: number): void {
  const placed = at(seconds);
  if (placed === undefined) return;
  const { x: centreX, y: centreY, radiusX, radiusY } = placed;
  for (
    let y = Math.max(0, Math.floor(centreY - radiusY));
    y < Math.min(canvas.height, centreY + radiusY);
    y++
  ) {
    for (
      let x = Math.max(0, Math.floor(centreX - radiusX));
      x < Math.min(canvas.width, centreX + radiusX);
      x++
    ) {
      if (((x - centreX) / radiusX) ** 2 + ((y - centreY) / radiusY) ** 2 > 1) continue;
      const pixel = y * canvas.width + x;
      canvas.luma[pixel] = 80 + 12 * Math.sin((x - centreX) / 5) * Math.cos((y - centreY) / 7);
      canvas.chromaBlue[pixel] = 140;
      canvas.chromaRed[pixel] = 118;
      canvas.truth[pixel] = 0;
    }
  }
}
