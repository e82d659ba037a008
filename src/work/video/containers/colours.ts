/** A video's colors as mediabunny names them. The values come from ITU-T H.273. */
export interface Colours {
  readonly primaries?: string | null | undefined;
  readonly transfer?: string | null | undefined;
  readonly matrix?: string | null | undefined;
  readonly fullRange?: boolean | null | undefined;
}

const PRIMARIES = new Map([
  ["bt709", 1],
  ["bt470bg", 5],
  ["smpte170m", 6],
  ["bt2020", 9],
  ["smpte432", 12],
]);
const TRANSFERS = new Map([
  ["bt709", 1],
  ["smpte170m", 6],
  ["linear", 8],
  ["iec61966-2-1", 13],
  ["pq", 16],
  ["hlg", 18],
]);
const MATRICES = new Map([
  ["bt709", 1],
  ["bt470bg", 5],
  ["smpte170m", 6],
  ["bt2020-ncl", 9],
]);
/** The matrix (ITU-T H.273) that the engine uses for RGB input. */
const ENGINE_MATRIX = 6;

/** Colors by their numbers in ITU-T H.273, as far as the file declares them. */
export interface ColourNumbers {
  readonly primaries: number | undefined;
  readonly transfer: number | undefined;
  /** The matrix of the engine's output: never the identity. */
  readonly matrix: number | undefined;
  readonly isFullRange: boolean | undefined;
}

/** Translates mediabunny's color names into the numbers that containers store. */
export function colourNumbers({ primaries, transfer, matrix, fullRange }: Colours): ColourNumbers {
  return {
    primaries: PRIMARIES.get(primaries ?? ""),
    transfer: TRANSFERS.get(transfer ?? ""),
    matrix: matrix === "rgb" ? ENGINE_MATRIX : MATRICES.get(matrix ?? ""),
    isFullRange: fullRange ?? undefined,
  };
}
