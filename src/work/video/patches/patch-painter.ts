import { freeBuffer } from "../../../ground/platform/buffers.ts";
import { profileOf } from "../../../pixels/redaction/regions/margins.ts";
import type { Orientation } from "../../../pixels/geometry/orientation.ts";
import { meets } from "../../../pixels/geometry/box.ts";
import { levelAt, placeLabel, type Label } from "../../../pixels/redaction/painting/labels.ts";
import type { RedactionMethod } from "../../../ground/vocabulary/media-values.ts";
import type { CoarseFrame } from "../sampling/coarse-frame.ts";
import type { TrackRegion } from "../tracks/track.ts";
import { TrackCells } from "./cell-colours.ts";
import { cellMeans } from "./cell-means.ts";
import { cellSizePx } from "./cell-size.ts";
import { CoarseOwners } from "./coarse-owners.ts";
import { type Footprint, footprintOf } from "./footprint.ts";
import { type Grid, gridOver, sumPlane } from "./grid.ts";
import { paintFootprint } from "./paint.ts";
import { surroundingTones } from "./surroundings.ts";

/** A picture that is laid over a frame. */
export interface Patch {
  /**
   * Raw yuva420p at the painter's frame size: planes Y′, Cb, Cr and alpha without padding, with chroma sizes rounded up. Alpha
   * is 255 where the frame must disappear and 0 elsewhere, in whole 2×2 blocks. The next frame overwrites the same buffer.
   */
  readonly data: Uint8Array;
  /** Whether alpha is 0 everywhere. */
  readonly isEmpty: boolean;
}

/** What is needed to paint the patch of one frame. */
export interface PatchRequest {
  readonly regions: readonly TrackRegion[];
  readonly coarse: CoarseFrame;
  readonly timestampSeconds: number;
  /** Whether the frame begins a new shot, so that the colors of the shot before are forgotten. */
  readonly isCut: boolean;
}

/** How much larger than before a label may be before it is printed larger: it must not flicker with its mask. */
const MOST_SCALE_GROWTH = 1.5;
/** A chroma sample without tint. */
const GREY = 128;

interface PlacedRegion {
  readonly region: TrackRegion;
  readonly footprint: Footprint;
  readonly cellPx: number;
  readonly isLegible: boolean;
}

interface OwnedRegion {
  readonly placed: PlacedRegion;
  /** Its number among the owners of the coarse frame's values. */
  readonly owner: number;
}

interface TrackState {
  readonly cells: TrackCells;
  readonly cellPx: number;
  /** Pixels for each unit of the label's font; undefined if it has no label. */
  readonly labelScale: number | undefined;
}

/** Bytes of a yuva420p picture as ffmpeg reads raw video. */
export function patchBytes(width: number, height: number): number {
  return 2 * width * height + 2 * Math.ceil(width / 2) * Math.ceil(height / 2);
}

/**
 * Paints the regions of one frame after another, in presentation order, as in photos. Pictorial regions get the means of coarse
 * cells; legible regions get the tone of their visible surroundings. Cells are centered on each region so that they move with
 * it, and they change gently over time.
 */
export class PatchPainter {
  readonly #width: number;
  readonly #height: number;
  readonly #method: RedactionMethod;
  readonly #orientation: Orientation;
  readonly #data: Uint8Array<ArrayBuffer>;
  readonly #owners = new CoarseOwners();
  #states = new Map<number, TrackState>();
  #painted: readonly Footprint[] = [];

  /** For frames of the given size in pixels. */
  constructor(options: {
    width: number;
    height: number;
    method: RedactionMethod;
    /** How a player turns the frames; labels are upright then. */
    orientation?: Orientation;
  }) {
    this.#orientation = options.orientation ?? 1;
    this.#width = options.width;
    this.#height = options.height;
    this.#method = options.method;
    this.#data = new Uint8Array(patchBytes(options.width, options.height));
  }

  /** Paints one frame's patch. */
  paint(request: PatchRequest): Patch {
    this.#clear();
    this.#painted = this.#go(request, true);
    return { data: this.#data, isEmpty: this.#painted.length === 0 };
  }

  /** Frees the patch. Nothing can be painted afterward. */
  close(): void {
    freeBuffer(this.#data);
  }

  /** Passes a frame without painting it. A painter that begins within a shot needs the colors of the frames before. */
  pass(request: PatchRequest): void {
    this.#go(request, false);
  }

  /** Follows the regions to a frame, paints them if asked, and returns their footprints. */
  #go(request: PatchRequest, isPainted: boolean): Footprint[] {
    if (request.isCut) this.#states = new Map();
    const placed = this.#place(request.regions);
    this.#owners.assign(placed, { coarse: request.coarse, width: this.#width, height: this.#height });
    const states = new Map<number, TrackState>();
    const labels = this.#labelsOf(request.regions);
    // Legible regions come first, then the coarsest ones. They own the values that regions share, and are painted last to cover
    // the others.
    for (const [index, one] of [...placed.entries()].toReversed()) {
      const labelScale = labels.get(one.region.trackId)?.scale;
      const state = this.#follow({ placed: one, owner: index, isPainted }, request);
      states.set(one.region.trackId, { ...state, labelScale });
    }
    if (isPainted) this.#print([...labels.values()]);
    this.#states = states;
    return placed.map(({ footprint }) => footprint);
  }

  #place(regions: readonly TrackRegion[]): PlacedRegion[] {
    return regions
      .flatMap((region) => {
        const footprint = footprintOf(region, this.#width, this.#height);
        if (footprint === undefined) return [];
        const { left, top, right, bottom } = footprint;
        const shortSidePx = Math.min(right - left, bottom - top);
        const cellPx = cellSizePx(region.category, shortSidePx, this.#states.get(region.trackId)?.cellPx);
        const isLegible = profileOf(region.category).detail === "legible";
        return [{ region, footprint, cellPx, isLegible }];
      })
      .sort(
        (a, b) =>
          Number(b.isLegible) - Number(a.isLegible) ||
          b.cellPx - a.cellPx ||
          a.region.trackId - b.region.trackId,
      );
  }

  #follow(
    { placed, owner, isPainted }: OwnedRegion & { readonly isPainted: boolean },
    request: PatchRequest,
  ): Pick<TrackState, "cells" | "cellPx"> {
    const { footprint, cellPx, region } = placed;
    const width = this.#width;
    const height = this.#height;
    const data = this.#data;
    const method = this.#method;
    const cells = this.#states.get(region.trackId)?.cells ?? new TrackCells();
    const grid = gridOver(footprint, cellPx);
    const targets = this.#targetsOf({ placed, owner }, grid, request.coarse);
    const colours = cells.follow(grid, targets, request.timestampSeconds);
    if (isPainted) paintFootprint({ data, width, height, footprint, colours, method });
    return { cells, cellPx };
  }

  /** The labels of regions by track. A track's label keeps its scale while that fits and is not far too small. */
  #labelsOf(regions: readonly TrackRegion[]): Map<number, Label> {
    const ground = {
      width: this.#width,
      height: this.#height,
      orientation: this.#orientation,
      alignPx: 2,
    };
    const labels = new Map<number, Label>();
    for (const region of regions) {
      const free = placeLabel(region, ground);
      const known = this.#states.get(region.trackId)?.labelScale ?? Infinity;
      const isKept = free !== undefined && free.scale > known && free.scale <= MOST_SCALE_GROWTH * known;
      const label = isKept ? placeLabel(region, ground, known) : free;
      if (label !== undefined && ![...labels.values()].some((other) => meets(label, other)))
        labels.set(region.trackId, label);
    }
    return labels;
  }

  /** Prints labels over what is painted: gray, text and plate. */
  #print(labels: readonly Label[]): void {
    const [width, height, data] = [this.#width, this.#height, this.#data];
    const chromaWidth = Math.ceil(width / 2);
    const blue = width * height;
    const red = blue + chromaWidth * Math.ceil(height / 2);
    for (const label of labels) {
      for (let y = label.top; y < label.bottom; y++)
        for (let x = label.left; x < label.right; x++) data[y * width + x] = levelAt(label, x, y);
      for (let y = label.top / 2; y < label.bottom / 2; y++) {
        const [first, end] = [y * chromaWidth + label.left / 2, y * chromaWidth + label.right / 2];
        data.fill(GREY, blue + first, blue + end);
        data.fill(GREY, red + first, red + end);
      }
    }
  }

  #targetsOf({ placed, owner }: OwnedRegion, grid: Grid, coarse: CoarseFrame): Float64Array {
    const { footprint, isLegible } = placed;
    const owners = this.#owners;
    const frame = { frameWidth: this.#width, frameHeight: this.#height, grid };
    if (isLegible) return surroundingTones({ ...frame, footprint, coarse, owners });
    const luma = { planeWidth: coarse.width, planeHeight: coarse.height, owns: owners.ownsLuma(owner) };
    const chroma = {
      planeWidth: coarse.chromaWidth,
      planeHeight: coarse.chromaHeight,
      owns: owners.ownsChroma(owner),
    };
    return cellMeans(grid, [
      sumPlane({ ...frame, ...luma, plane: coarse.luma }),
      sumPlane({ ...frame, ...chroma, plane: coarse.chromaBlue }),
      sumPlane({ ...frame, ...chroma, plane: coarse.chromaRed }),
    ]);
  }

  /** Alpha alone decides what is visible. The color planes are overwritten wherever alpha is set again. */
  #clear(): void {
    const width = this.#width;
    const height = this.#height;
    const data = this.#data;
    const alpha = data.length - width * height;
    for (const { left, top, right, bottom } of this.#painted) {
      const first = Math.max(0, left);
      const end = Math.min(width, right);
      for (let row = Math.max(0, top); row < Math.min(height, bottom); row++) {
        data.fill(0, alpha + row * width + first, alpha + row * width + end);
      }
    }
  }
}
