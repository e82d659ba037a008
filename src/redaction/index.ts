/**
 * The redaction kernel: hides regions of a still picture so that only the mean colour of coarse cells survives.
 *
 * Pure functions of their arguments: no bindings, no clock, no network.
 */
import { redactJpeg } from "./jpeg/interim.ts";
import { redactPng } from "./png/interim.ts";
import type { Region } from "./regions.ts";
import type { RedactionMethod } from "./tone.ts";
import { redactWebp } from "./webp/webp.ts";

export { RedactionError, type RedactionErrorCode } from "./errors.ts";
export {
  type Category,
  type Detection,
  type NormalisedBox,
  type NormalisedPoint,
  type Region,
  regionsFromDetections,
} from "./regions.ts";
export type { RedactionMethod } from "./tone.ts";

/** Picture formats the kernel reads and writes; the output's format is the input's. */
export type ImageFormat = "jpeg" | "png" | "webp";

/** A redacted picture. */
export interface RedactedImage {
  readonly bytes: Uint8Array;
  /** Size of the stored pixels, before any orientation. */
  readonly width: number;
  readonly height: number;
  /** How many pixels of the picture were painted. */
  readonly maskedPixels: number;
}

/**
 * Hides `regions` in a picture held in memory. Pixels stay stored as they are; the output keeps orientation and colour
 * profile and no other metadata. Rejects with {@link RedactionError} only.
 */
export async function redactImage(args: {
  source: Uint8Array;
  format: ImageFormat;
  regions: readonly Region[];
  method: RedactionMethod;
}): Promise<RedactedImage> {
  const redactors = { jpeg: redactJpeg, png: redactPng, webp: redactWebp };
  return redactors[args.format](args);
}
