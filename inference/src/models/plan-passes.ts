import type { View } from "../images/view.ts";
import type { Manifest, Scale } from "./manifest.ts";

/** One look at a picture: what part, at what size, and what is read from the answer. */
export interface Pass {
  readonly view: View;
  readonly readsText: boolean;
  readonly readsBoxes: boolean;
  /** Distance in view pixels within which an object cut by an inner edge is left to the neighbouring tile; 0 for whole pictures. */
  readonly overlap: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * The passes over a picture: the manifest's scales of the whole, once more in the mirror when it is small, and tiles at full
 * resolution when it is large. Small passes find what fills the picture, tiles what is a few pixels high.
 */
export function planPasses(
  manifest: Pick<Manifest, "scales" | "tiling" | "mirrored"> & {
    input: Pick<Manifest["input"], "size_multiple">;
  },
  picture: Size,
  { isSingleLook }: { isSingleLook: boolean } = { isSingleLook: false },
): Pass[] {
  const longSide = Math.max(picture.width, picture.height);
  const passes: Pass[] = [];
  for (const scale of manifest.scales) {
    const isMeant =
      longSide >= (scale.min_source_long_side ?? 0) && longSide <= (scale.max_source_long_side ?? Infinity);
    if (!isMeant) continue;
    passes.push({
      view: wholeView(picture, scale),
      readsText: scale.text,
      readsBoxes: scale.boxes,
      overlap: 0,
    });
  }
  const { tiling, mirrored } = manifest;
  if (mirrored && !isSingleLook && longSide <= mirrored.max_source_long_side) {
    for (const { view, readsBoxes, overlap } of passes.slice()) {
      if (!readsBoxes) continue;
      passes.push({ view: { ...view, isMirrored: true }, readsText: false, readsBoxes, overlap });
    }
  }
  if (tiling && longSide >= tiling.min_source_long_side) {
    for (const view of tilesOf(picture, { ...tiling, multiple: manifest.input.size_multiple })) {
      passes.push({ view, readsText: tiling.text, readsBoxes: true, overlap: tiling.overlap });
    }
  }
  return passes;
}

function wholeView(picture: Size, { long_side: longSide, input }: Scale): View {
  const view = { left: 0, top: 0, ...picture };
  if (input?.fit === "stretch") return { ...view, scaledWidth: input.width, scaledHeight: input.height };
  const factor =
    input === undefined
      ? (longSide ?? 0) / Math.max(picture.width, picture.height)
      : Math.min(input.width / picture.width, input.height / picture.height);
  const scaledWidth = Math.max(1, Math.round(picture.width * factor));
  const scaledHeight = Math.max(1, Math.round(picture.height * factor));
  if (input === undefined) return { ...view, scaledWidth, scaledHeight };
  return { ...view, scaledWidth, scaledHeight, inputWidth: input.width, inputHeight: input.height };
}

export interface TileSize {
  /** Longest side of a tile in pixels. */
  readonly size: number;
  /** Least overlap of neighbours. */
  readonly overlap: number;
  /** Sides of tiles are multiples of this, so that nothing is padded. */
  readonly multiple: number;
}

/**
 * Covers a picture with equal tiles, spread evenly: as few as `size` allows, then as small as `overlap` allows.
 */
export function tilesOf(picture: Size, tile: TileSize): View[] {
  const across = spansOf(picture.width, tile);
  const down = spansOf(picture.height, tile);
  return down.starts.flatMap((top) =>
    across.starts.map((left) => ({
      left,
      top,
      width: across.side,
      height: down.side,
      scaledWidth: across.side,
      scaledHeight: down.side,
    })),
  );
}

function spansOf(length: number, { size, overlap, multiple }: TileSize): { side: number; starts: number[] } {
  if (length <= size) return { side: length, starts: [0] };
  const count = Math.ceil((length - overlap) / (size - overlap));
  const least = (length + (count - 1) * overlap) / count;
  const side = Math.min(size, Math.ceil(least / multiple) * multiple);
  const starts = Array.from({ length: count }, (_, i) => Math.round(((length - side) * i) / (count - 1)));
  return { side, starts };
}
