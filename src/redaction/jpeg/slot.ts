import type { ComponentPainter } from "./paint.ts";
import type { HuffmanPair } from "./tables.ts";

/** What a scan needs to know about one of its components. */
export interface Slot {
  readonly dc: HuffmanPair;
  readonly ac: HuffmanPair;
  readonly painter: ComponentPainter;
  readonly steps: Uint16Array;
}
