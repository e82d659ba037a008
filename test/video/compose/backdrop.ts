import { randomFrom } from "./random.ts";

/** A wide still picture over which a camera moves. All planes have one size, with values in the limited range of BT.601. */
export interface Backdrop {
  readonly width: number;
  readonly height: number;
  readonly luma: Float32Array;
  readonly chromaBlue: Float32Array;
  readonly chromaRed: Float32Array;
}

/**
 * A natural-looking backdrop: a lit gradient, fractal noise (octaves of value noise, each half as strong at twice the
 * frequency, like the 1/f spectra of photographs), and blobs of other colours with hard edges.
 */
export function backdrop({ width, height, seed }: { width: number; height: number; seed: number }): Backdrop {
  const random = randomFrom(seed);
  const luma = new Float32Array(width * height);
  const chromaBlue = new Float32Array(width * height);
  const chromaRed = new Float32Array(width * height);
  const light = { x: random() - 0.5, y: random() - 0.5, base: 70 + 70 * random() };
  const tint = { blue: 128 + 24 * (random() - 0.5), red: 128 + 24 * (random() - 0.5) };
  const rough = fractal(width, height, random, 6);
  const hue = fractal(width, height, random, 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      const slope = light.x * (x / width - 0.5) + light.y * (y / height - 0.5);
      luma[at] = light.base + 60 * slope + 75 * ((rough[at] as number) - 0.5);
      chromaBlue[at] = tint.blue + 30 * ((hue[at] as number) - 0.5);
      chromaRed[at] = tint.red - 30 * ((hue[at] as number) - 0.5);
    }
  }
  const scene = { width, height, luma, chromaBlue, chromaRed };
  for (let blob = 0; blob < 14; blob++) addBlob(scene, random);
  return scene;
}

function addBlob({ width, height, luma, chromaBlue, chromaRed }: Backdrop, random: () => number): void {
  const centreX = random() * width;
  const centreY = random() * height;
  const radiusX = (0.02 + 0.08 * random()) * width;
  const radiusY = (0.03 + 0.15 * random()) * height;
  const [lighter, bluer, redder] = [80 * (random() - 0.5), 40 * (random() - 0.5), 40 * (random() - 0.5)];
  for (let y = Math.max(0, Math.floor(centreY - radiusY)); y < Math.min(height, centreY + radiusY); y++) {
    for (let x = Math.max(0, Math.floor(centreX - radiusX)); x < Math.min(width, centreX + radiusX); x++) {
      if (((x - centreX) / radiusX) ** 2 + ((y - centreY) / radiusY) ** 2 > 1) continue;
      const at = y * width + x;
      luma[at] = (luma[at] as number) + lighter;
      chromaBlue[at] = (chromaBlue[at] as number) + bluer;
      chromaRed[at] = (chromaRed[at] as number) + redder;
    }
  }
}

/** Octaves of smoothly interpolated value noise, 0…1. */
function fractal(width: number, height: number, random: () => number, octaves: number): Float32Array {
  const sum = new Float32Array(width * height);
  let total = 0;
  for (let octave = 0; octave < octaves; octave++) {
    const strength = 0.5 ** octave;
    const spacing = Math.max(2, height / 3 / 2 ** octave);
    const columns = Math.ceil(width / spacing) + 2;
    const lattice = Float32Array.from({ length: columns * (Math.ceil(height / spacing) + 2) }, random);
    for (let y = 0; y < height; y++) {
      const row = Math.floor(y / spacing);
      const down = smoothStep(y / spacing - row);
      for (let x = 0; x < width; x++) {
        const column = Math.floor(x / spacing);
        const across = smoothStep(x / spacing - column);
        const at = row * columns + column;
        const top = mix(lattice[at] as number, lattice[at + 1] as number, across);
        const bottom = mix(lattice[at + columns] as number, lattice[at + columns + 1] as number, across);
        sum[y * width + x] = (sum[y * width + x] as number) + strength * mix(top, bottom, down);
      }
    }
    total += strength;
  }
  return sum.map((value) => value / total);
}

function mix(a: number, b: number, share: number): number {
  return a + (b - a) * share;
}
function smoothStep(x: number): number {
  return x * x * (3 - 2 * x);
}
