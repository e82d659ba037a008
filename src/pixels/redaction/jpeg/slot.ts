import type { ComponentPainter } from "./paint.ts";
import type { HuffmanPair } from "./tables.ts";

/** One component of a scan. */
export interface Slot {
  readonly dc: HuffmanPair;
  readonly ac: HuffmanPair;
  readonly painter: ComponentPainter;
  readonly steps: Uint16Array;
}
