import type { View } from "../images/view.ts";
import type { Manifest, Scale } from "./manifest.ts";

/** One look at a picture: its part, its size, and what is read from the answer. */
export interface Pass {
  readonly view: View;
  readonly readsText: boolean;
  readonly readsBoxes: boolean;
  /**
   * Overlap of neighboring tiles in view pixels. An object that an inner edge cuts is left to the neighbor if it is small
   * enough. 0 for whole pictures.
   */
  readonly overlap: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the passes over a picture. They show the whole picture at the manifest's scales for photos or frames. A small photo is
 * also mirrored, and a large picture is also cut into tiles at full resolution. Small passes find objects that fill the picture; tiles find objects a few pixels high.
 */
export function planPasses(
  manifest: Pick<Manifest, "scales" | "frame_scales" | "tiling" | "mirrored"> & {
    input: Pick<Manifest["input"], "size_multiple">;
  },
  picture: Size,
  { isSingleLook }: { isSingleLook: boolean } = { isSingleLook: false },
): Pass[] {
  const longSide = Math.max(picture.width, picture.height);
  const passes: Pass[] = [];
  const scales = isSingleLook ? (manifest.frame_scales ?? manifest.scales) : manifest.scales;
  for (const scale of scales) {
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
  if (input?.fit === "fill") return { ...view, scaledWidth: input.width, scaledHeight: input.height };
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
  /** Least overlap of neighboring tiles in pixels. */
  readonly overlap: number;
  /** The sides of tiles are multiples of this, so that nothing is padded. */
  readonly multiple: number;
}

/** Covers a picture with equal, evenly spaced tiles: as few as `size` allows, and then as small as `overlap` allows. */
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
