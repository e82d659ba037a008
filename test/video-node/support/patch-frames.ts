import type { Region } from "../../../src/pixels/redaction/regions/regions.ts";
import type { shapeOf } from "../../../src/pixels/redaction/regions/shapes.ts";
import type { footprintOf } from "../../../src/work/video/patches/footprint.ts";
import {
  type CoarseFrame,
  coarseFrameOf,
  yuv420Bytes,
} from "../../../src/work/video/sampling/coarse-frame.ts";
import type { TrackRegion } from "../../../src/work/video/tracks/track.ts";
import { randomFrom } from "../../video/compose/random.ts";

export function tracked(regions: readonly Region[]): TrackRegion[] {
  return regions.map((one, trackId) => Object.assign({ trackId }, one));
}

/** A coarse frame of random values. */
export function noise(width: number, height: number, seed: number): CoarseFrame {
  const random = randomFrom(seed);
  const [columns, rows] = [Math.ceil(width / 8), Math.ceil(height / 8)];
  const bytes = Uint8Array.from({ length: yuv420Bytes(columns, rows) }, () => 16 + 220 * random());
  return coarseFrameOf(bytes, columns, rows);
}

/** A coarse frame of one level, for 160×96 pixels. */
export function flat(level: number): CoarseFrame {
  return coarseFrameOf(new Uint8Array(yuv420Bytes(20, 12)).fill(level), 20, 12);
}

export function alphaOf(data: Uint8Array, width: number, height: number): Uint8Array {
  return data.subarray(data.length - width * height);
}

export function frameAt(timestampSeconds: number) {
  return { timestampSeconds, isCut: timestampSeconds === 0 };
}

export function isNear(one: ReturnType<typeof shapeOf>, x: number, y: number, reach: number): boolean {
  const span = one.spanInBand(y - reach, y + 1 + reach);
  return span !== undefined && x + 1 >= span[0] - reach && x <= span[1] + reach;
}

/** Lengths of runs of one value. */
export function runs(count: number, valueAt: (at: number) => number | undefined): number[] {
  const lengths: number[] = [];
  for (let at = 0; at < count; at++) {
    if (at > 0 && valueAt(at) === valueAt(at - 1)) lengths[lengths.length - 1] = (lengths.at(-1) ?? 0) + 1;
    else lengths.push(1);
  }
  return lengths;
}

/** The coarse frame with values exchanged that are completely inside one cell and well inside the painted area. */
export function withinCells(
  coarse: CoarseFrame,
  grid: { width: number; height: number; originX: number; originY: number; cellPx: number },
  footprint: NonNullable<ReturnType<typeof footprintOf>>,
  random: () => number,
): CoarseFrame {
  const swap = (plane: Uint8Array, columns: number, rows: number): Uint8Array => {
    const out = Uint8Array.from(plane);
    const [valueWidth, valueHeight] = [grid.width / columns, grid.height / rows];
    const byCell = new Map<string, number[]>();
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const [left, top] = [column * valueWidth, row * valueHeight];
        const cellOf = (x: number, y: number): string =>
          `${Math.floor((x - grid.originX) / grid.cellPx)},${Math.floor((y - grid.originY) / grid.cellPx)}`;
        const cell = cellOf(left + 1e-6, top + 1e-6);
        if (cell !== cellOf(left + valueWidth - 1e-6, top + valueHeight - 1e-6)) continue;
        if (!isInside(footprint, left, top, left + valueWidth, top + valueHeight)) continue;
        byCell.set(cell, [...(byCell.get(cell) ?? []), row * columns + column]);
      }
    }
    for (const places of byCell.values()) {
      const values = places.map((at) => plane[at] as number);
      for (const at of places) out[at] = values.splice(Math.floor(random() * values.length), 1)[0] ?? 0;
    }
    return out;
  };
  return {
    ...coarse,
    luma: swap(coarse.luma, coarse.width, coarse.height),
    chromaBlue: swap(coarse.chromaBlue, coarse.chromaWidth, coarse.chromaHeight),
    chromaRed: swap(coarse.chromaRed, coarse.chromaWidth, coarse.chromaHeight),
  };
}

/** The coarse frame with all values replaced that contain any painted pixel. */
export function replacedUnder(
  coarse: CoarseFrame,
  other: CoarseFrame,
  footprint: NonNullable<ReturnType<typeof footprintOf>>,
  width: number,
  height: number,
): CoarseFrame {
  const replace = (plane: Uint8Array, from: Uint8Array, columns: number, rows: number): Uint8Array => {
    const out = Uint8Array.from(plane);
    for (let y = Math.max(0, footprint.top); y < Math.min(height, footprint.bottom); y++) {
      const span = footprint.columnsAt(y - (y % 2));
      if (span === undefined) continue;
      const row = Math.floor((y * rows) / height);
      for (let x = span[0]; x < span[1]; x++) {
        const at = row * columns + Math.floor((x * columns) / width);
        out[at] = from[at] as number;
      }
    }
    return out;
  };
  const { width: w, height: h, chromaWidth: cw, chromaHeight: ch } = coarse;
  return {
    ...coarse,
    luma: replace(coarse.luma, other.luma, w, h),
    chromaBlue: replace(coarse.chromaBlue, other.chromaBlue, cw, ch),
    chromaRed: replace(coarse.chromaRed, other.chromaRed, cw, ch),
  };
}

function isInside(
  footprint: NonNullable<ReturnType<typeof footprintOf>>,
  left: number,
  top: number,
  right: number,
  bottom: number,
): boolean {
  for (let row = 2 * Math.floor(top / 2); row < bottom; row += 2) {
    const columns = footprint.columnsAt(row);
    if (row < footprint.top || row >= footprint.bottom || columns === undefined) return false;
    if (columns[0] > left || columns[1] < right) return false;
  }
  return true;
}

/** A coarse frame of a texture with four-pixel texels that has moved to the right. */
export function movedTexture(
  texture: Float64Array,
  width: number,
  height: number,
  shift: number,
): CoarseFrame {
  const [columns, rows] = [Math.ceil(width / 8), Math.ceil(height / 8)];
  const bytes = new Uint8Array(yuv420Bytes(columns, rows)).fill(128);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      let sum = 0;
      for (let y = 0; y < 8; y++) {
        for (let x = 0; x < 8; x++) {
          const u = Math.floor((column * 8 + x - shift + 400) / 8) % 60;
          sum += texture[(Math.floor((row * 8 + y) / 8) % 40) * 60 + u] as number;
        }
      }
      bytes[row * columns + column] = Math.round(sum / 64);
    }
  }
  return coarseFrameOf(bytes, columns, rows);
}
