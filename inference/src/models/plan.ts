import type { View } from "../images/view.ts";
import type { Manifest } from "./manifest.ts";

/** One look at a picture: what part, at what size, and what is read from the answer. */
export interface Pass {
  view: View;
  readsText: boolean;
  /** Distance in view pixels within which an object cut by an inner edge is left to the neighbouring tile; 0 for whole pictures. */
  overlap: number;
}

interface Size {
  width: number;
  height: number;
}

/**
 * The passes over a picture: the manifest's scales of the whole, and tiles at full resolution when it is large.
 * Small passes find what fills the picture, tiles what is a few pixels high.
 */
export function planPasses(manifest: Pick<Manifest, "scales" | "tiling">, picture: Size): Pass[] {
  const longSide = Math.max(picture.width, picture.height);
  const passes: Pass[] = [];
  for (const scale of manifest.scales) {
    const isMeant =
      longSide >= (scale.min_source_long_side ?? 0) && longSide <= (scale.max_source_long_side ?? Infinity);
    if (!isMeant) continue;
    const factor = scale.long_side / longSide;
    const view = {
      left: 0,
      top: 0,
      ...picture,
      scaledWidth: Math.max(1, Math.round(picture.width * factor)),
      scaledHeight: Math.max(1, Math.round(picture.height * factor)),
    };
    passes.push({ view, readsText: scale.text, overlap: 0 });
  }
  const { tiling } = manifest;
  if (tiling && longSide >= tiling.min_source_long_side) {
    for (const view of tilesOf(picture, tiling)) {
      passes.push({ view, readsText: tiling.text, overlap: tiling.overlap });
    }
  }
  return passes;
}

/** Covers a picture with equal tiles, spread evenly, neighbours overlapping by at least `overlap` pixels. */
export function tilesOf(picture: Size, { size, overlap }: { size: number; overlap: number }): View[] {
  const width = Math.min(size, picture.width);
  const height = Math.min(size, picture.height);
  const tops = startsOf(picture.height, size, overlap);
  return tops.flatMap((top) =>
    startsOf(picture.width, size, overlap).map((left) => ({
      left,
      top,
      width,
      height,
      scaledWidth: width,
      scaledHeight: height,
    })),
  );
}

const startsOf = (length: number, size: number, overlap: number): number[] => {
  if (length <= size) return [0];
  const count = Math.ceil((length - overlap) / (size - overlap));
  return Array.from({ length: count }, (_, i) => Math.round(((length - size) * i) / (count - 1)));
};
