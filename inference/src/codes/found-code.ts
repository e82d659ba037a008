import type { Quad } from "./passes.ts";

export interface FoundCode {
  /** Root of the format's family, by the reader's name. */
  readonly symbology: string;
  /** Whether the code was read. Otherwise it was only located. */
  readonly isRead: boolean;
  /** Corners in 0…1 of the picture, in order around the code. */
  readonly corners: Quad;
}
