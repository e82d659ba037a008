/** One component of a JPEG picture: all its quantised coefficients, zigzag order, padded to whole MCUs. */
export interface Plane {
  readonly id: number;
  readonly horizontal: number;
  readonly vertical: number;
  readonly quantTable: number;
  readonly columns: number;
  readonly rows: number;
  readonly coefficients: Int16Array;
}

export interface JpegPicture {
  readonly width: number;
  readonly height: number;
  readonly isProgressive: boolean;
  readonly planes: readonly Plane[];
  readonly quantSteps: readonly Uint16Array[];
}

/** Blocks of a plane that hold part of the picture. */
function realBlocks(picture: JpegPicture, plane: Plane): { columns: number; rows: number } {
  const { h, v } = maxFactors(picture.planes);
  return {
    columns: Math.ceil(Math.ceil((picture.width * plane.horizontal) / h) / 8),
    rows: Math.ceil(Math.ceil((picture.height * plane.vertical) / v) / 8),
  };
}

export function maxFactors(planes: readonly { horizontal: number; vertical: number }[]): {
  h: number;
  v: number;
} {
  return {
    h: Math.max(...planes.map(({ horizontal }) => horizontal)),
    v: Math.max(...planes.map(({ vertical }) => vertical)),
  };
}

/** Whether a block has rows or columns that lie past the picture's edge. */
export function isAtEdge(picture: JpegPicture, plane: Plane, column: number, row: number): boolean {
  const { h, v } = maxFactors(picture.planes);
  const samplesWide = Math.ceil((picture.width * plane.horizontal) / h);
  const samplesHigh = Math.ceil((picture.height * plane.vertical) / v);
  return 8 * (column + 1) > samplesWide || 8 * (row + 1) > samplesHigh;
}

/** The 64 coefficients of a block. */
export function blockOf(plane: Plane, column: number, row: number): Int16Array {
  const at = (row * plane.columns + column) * 64;
  return plane.coefficients.subarray(at, at + 64);
}

/** One step of a progression, or all of a sequential scan. */
export interface ScanStep {
  readonly planes: readonly number[];
  readonly start: number;
  readonly end: number;
  readonly high: number;
  readonly low: number;
}

/** Places of the blocks of a scan, in their order (T.81, A.2). */
export function* blocksOfScan(
  picture: JpegPicture,
  planes: readonly number[],
): Generator<{ plane: number; column: number; row: number; unit: number }> {
  const [only] = planes;
  if (planes.length === 1 && only !== undefined) {
    const { columns, rows } = realBlocks(picture, picture.planes[only] as Plane);
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        yield { plane: only, column, row, unit: row * columns + column };
      }
    }
    return;
  }
  const { h, v } = maxFactors(picture.planes);
  const unitColumns = Math.ceil(picture.width / (8 * h));
  const unitRows = Math.ceil(picture.height / (8 * v));
  for (let unit = 0; unit < unitColumns * unitRows; unit++) {
    for (const index of planes) {
      const { horizontal, vertical } = picture.planes[index] as Plane;
      for (let y = 0; y < vertical; y++) {
        for (let x = 0; x < horizontal; x++) {
          const column = (unit % unitColumns) * horizontal + x;
          yield { plane: index, column, row: Math.floor(unit / unitColumns) * vertical + y, unit };
        }
      }
    }
  }
}
