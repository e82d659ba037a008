import type { Quad } from "./passes.ts";

export interface FoundCode {
  /** Root of the format's family, as the reader names it. */
  readonly symbology: string;
  /** Whether it could be read; otherwise it was only located. */
  readonly isRead: boolean;
  /** Corners in 0…1 of the picture, going round. */
  readonly corners: Quad;
}
