import { describe, expect, it } from "vitest";
import { paintRegions } from "../../src/pixels/redaction/webp/paint.ts";
import type { Region } from "../../src/pixels/redaction/regions/regions.ts";
import { Random } from "../support/random.ts";

const MIN_CELL_PX = 16;
const MAX_CELLS_ACROSS = 6;

function noise(random: Random, width: number, height: number): Uint8Array {
  const data = new Uint8Array(width * height * 4);
  for (let at = 0; at < data.length; at++) data[at] = at % 4 === 3 ? 255 : random.int(0, 255);
  return data;
}

function most(sets: readonly Set<string>[]): number {
  return Math.max(...sets.map(({ size }) => size));
}

/** The colors inside a box with their pixel counts, and the largest number of different colors in a row or column. */
function coloursIn(data: Uint8Array, width: number, box: { x: number; y: number; w: number; h: number }) {
  const areas = new Map<string, number>();
  const rows: Set<string>[] = [];
  const columns: Set<string>[] = [];
  for (let y = box.y; y < box.y + box.h; y++) {
    for (let x = box.x; x < box.x + box.w; x++) {
      const at = (y * width + x) * 4;
      const colour = data.subarray(at, at + 3).join();
      areas.set(colour, (areas.get(colour) ?? 0) + 1);
      (rows[y - box.y] ??= new Set()).add(colour);
      (columns[x - box.x] ??= new Set()).add(colour);
    }
  }
  return { areas, mostInARow: most(rows), mostInAColumn: most(columns) };
}

describe("cells of a pictorial region", () => {
  it("are at most six across its shorter side and stand for at least half a cell of sixteen pixels", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = new Random(seed);
      const box = {
        x: random.int(0, 40),
        y: random.int(0, 40),
        w: random.int(17, 240),
        h: random.int(17, 240),
      };
      const width = box.x + box.w + random.int(0, 30);
      const height = box.y + box.h + random.int(0, 30);
      const data = noise(random, width, height);
      const region: Region = {
        category: "heads",
        shape: "box",
        box: [box.x / width, box.y / height, box.w / width, box.h / height],
      };
      paintRegions({ data, width, height }, [region], "pixelation");
      const inner = { x: box.x + 1, y: box.y + 1, w: box.w - 2, h: box.h - 2 };
      const { areas, mostInARow, mostInAColumn } = coloursIn(data, width, inner);
      const mostAcross = box.w <= box.h ? mostInARow : mostInAColumn;
      expect(mostAcross).toBeLessThanOrEqual(MAX_CELLS_ACROSS);
      const isWiderThanACell = Math.min(box.w, box.h) >= 2 * MIN_CELL_PX;
      if (isWiderThanACell) {
        // Up to three lines are missing because the outermost pixels are left out above and edges are rounded.
        const leastPixels = (MIN_CELL_PX * MIN_CELL_PX) / 2 - 3 * MIN_CELL_PX;
        expect(Math.min(...areas.values())).toBeGreaterThanOrEqual(leastPixels);
      }
    }
  });

  it("lie under other regions' cells once: the coarser ones win", () => {
    const random = new Random(3);
    const [width, height] = [256, 256];
    const large: Region = { category: "heads", shape: "box", box: [0, 0, 1, 1] };
    const small: Region = { category: "heads", shape: "box", box: [0.25, 0.25, 0.25, 0.25] };
    const source = noise(random, width, height);
    const [alone, both] = [source.slice(), source.slice()];
    paintRegions({ data: alone, width, height }, [large], "blur");
    paintRegions({ data: both, width, height }, [small, large, small], "blur");
    expect(both).toEqual(alone);
  });

  it("give neighbouring pixels nearly equal colours when they are blurred", () => {
    const random = new Random(8);
    const [width, height] = [200, 120];
    const data = noise(random, width, height);
    paintRegions(
      { data, width, height },
      [{ category: "heads", shape: "ellipse", box: [0, 0, 1, 1] }],
      "blur",
    );
    for (let y = 30; y < 90; y++) {
      for (let x = 50; x < 150; x++) {
        const at = (y * width + x) * 4;
        expect(Math.abs((data[at] ?? 0) - (data[at + 4] ?? 0))).toBeLessThan(12);
        expect(Math.abs((data[at] ?? 0) - (data[at + 4 * width] ?? 0))).toBeLessThan(12);
      }
    }
  });
});
