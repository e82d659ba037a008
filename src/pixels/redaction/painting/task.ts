import type { OpenSource } from "../bytes/byte-source.ts";
import type { Orientation } from "../../geometry/orientation.ts";
import type { Region } from "../regions/regions.ts";
import type { RedactionMethod } from "../../../ground/vocabulary/media-values.ts";

/** A redaction task: the regions to hide, and a file that can be read more than once. */
export interface RedactionTask {
  readonly open: OpenSource;
  readonly regions: readonly Region[];
  readonly method: RedactionMethod;
  /** How a viewer turns the stored picture, so that labels are upright. Not turned by default. */
  readonly orientation?: Orientation | undefined;
}

/** A redaction whose cells are settled and whose output has not been read yet. */
export interface Redaction {
  /** Size of the stored pixels, before the orientation is applied. */
  readonly width: number;
  readonly height: number;
  /** How many pixels of the picture are painted. */
  readonly maskedPixels: number;
  /** The redacted file in chunks. Reading them reads the source once more. */
  readonly chunks: () => AsyncGenerator<Uint8Array>;
}
