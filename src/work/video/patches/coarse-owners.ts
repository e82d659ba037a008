import type { CoarseFrame } from "../sampling/coarse-frame.ts";
import type { Footprint } from "./footprint.ts";

/**
 * Assigns each value of a coarse frame to at most one region, so that no two grids reveal the same place. Owners are numbered
 * in the order in which they are given, and earlier ones take precedence.
 */
export class CoarseOwners {
  /** 0 means no owner; otherwise the owner's number plus one. */
  #owners = new Uint16Array(0);
  #coarse: Pick<CoarseFrame, "width" | "height" | "chromaWidth" | "chromaHeight"> = {
    width: 0,
    height: 0,
    chromaWidth: 0,
    chromaHeight: 0,
  };

  /** Assigns a frame's values. A region owns every value that contains any of its painted pixels. */
  assign(
    placed: readonly { readonly footprint: Footprint }[],
    frame: { readonly coarse: CoarseFrame; readonly width: number; readonly height: number },
  ): void {
    const { coarse, width, height } = frame;
    const size = coarse.width * coarse.height;
    if (this.#owners.length === size) this.#owners.fill(0);
    else this.#owners = new Uint16Array(size);
    this.#coarse = coarse;
    const valueWidthPx = width / coarse.width;
    const valueHeightPx = height / coarse.height;
    for (const [index, { footprint }] of placed.entries()) {
      const end = Math.min(height, footprint.bottom);
      for (let top = Math.max(0, footprint.top); top < end; top += 2) {
        const columns = footprint.columnsAt(top);
        if (columns === undefined) continue;
        const firstRow = Math.floor(top / valueHeightPx);
        const lastRow = Math.min(coarse.height - 1, Math.floor((top + 1) / valueHeightPx));
        for (let row = firstRow; row <= lastRow; row++) {
          this.#claim(row, { from: columns[0] / valueWidthPx, to: columns[1] / valueWidthPx }, index + 1);
        }
      }
    }
  }

  /** Whether a luma value belongs to an owner. */
  ownsLuma(owner: number): (column: number, row: number) => boolean {
    const owners = this.#owners;
    const { width } = this.#coarse;
    return (column, row) => owners[row * width + column] === owner + 1;
  }

  /** Whether a chroma value belongs to an owner, which the luma value at its center decides. */
  ownsChroma(owner: number): (column: number, row: number) => boolean {
    const { width, height, chromaWidth, chromaHeight } = this.#coarse;
    const ownsLuma = this.ownsLuma(owner);
    return (column, row) =>
      ownsLuma(
        Math.min(width - 1, Math.floor(((column + 0.5) * width) / chromaWidth)),
        Math.min(height - 1, Math.floor(((row + 0.5) * height) / chromaHeight)),
      );
  }

  /**
   * Whether a luma value and all its neighbors stay visible. Scalers that do not divide evenly mix neighboring values.
   */
  isLumaVisible(column: number, row: number): boolean {
    const { width, height } = this.#coarse;
    for (let y = Math.max(0, row - 1); y <= Math.min(height - 1, row + 1); y++) {
      for (let x = Math.max(0, column - 1); x <= Math.min(width - 1, column + 1); x++) {
        if (this.#owners[y * width + x] !== 0) return false;
      }
    }
    return true;
  }

  /** Whether all luma values that a chroma value covers stay visible. */
  isChromaVisible(column: number, row: number): boolean {
    const { width, height, chromaWidth, chromaHeight } = this.#coarse;
    const endX = Math.min(width, Math.ceil(((column + 1) * width) / chromaWidth));
    const endY = Math.min(height, Math.ceil(((row + 1) * height) / chromaHeight));
    for (let y = Math.floor((row * height) / chromaHeight); y < endY; y++) {
      for (let x = Math.floor((column * width) / chromaWidth); x < endX; x++) {
        if (!this.isLumaVisible(x, y)) return false;
      }
    }
    return true;
  }

  #claim(row: number, { from, to }: { from: number; to: number }, number: number): void {
    const { width } = this.#coarse;
    const end = Math.min(width, Math.ceil(to));
    for (let column = Math.floor(from); column < end; column++) {
      const at = row * width + column;
      if (this.#owners[at] === 0) this.#owners[at] = number;
    }
  }
}
