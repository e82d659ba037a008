/**
 * The redaction kernel: hides regions of a still picture so that only the mean colour of coarse cells survives.
 *
 * Pure functions of their arguments: no bindings, no clock, no network.
 */
import { concatBytes } from "./bytes/bytes.ts";
import { openBytes, type OpenSource, streamOf } from "./bytes/byte-source.ts";
import { redactJpeg } from "./jpeg/jpeg.ts";
import { redactPng } from "./png/png.ts";
import type { Region } from "./regions/regions.ts";
import type { Redaction, RedactionTask } from "./painting/task.ts";
import type { RedactionMethod, ImageFormat } from "../vocabulary/media-values.ts";
import { redactWebp } from "./webp/webp.ts";

export { previewImage } from "./preview.ts";
export { RedactionError } from "./bytes/errors.ts";
export type { Region } from "./regions/regions.ts";
export { readStoredOrientation } from "./stored-orientation.ts";
export type { Orientation } from "./bytes/exif.ts";
export type { OpenSource } from "./bytes/byte-source.ts";

/** A redacted picture. */
export interface RedactedImage {
  readonly bytes: Uint8Array;
  /** Size of the stored pixels, before any orientation. */
  readonly width: number;
  readonly height: number;
  /** How many pixels of the picture were painted. */
  readonly maskedPixels: number;
}

/** A redacted picture that is read piece by piece. */
export interface RedactedStream {
  /** Reading it reads the source once more; an error of the source or a damaged file ends it with an error. */
  readonly stream: ReadableStream<Uint8Array>;
  readonly width: number;
  readonly height: number;
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
  const { source, format, regions, method } = args;
  const { width, height, maskedPixels, chunks } = await REDACTORS[format]({
    open: openBytes(source),
    regions,
    method,
  });
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks()) parts.push(chunk);
  return { bytes: concatBytes(parts), width, height, maskedPixels };
}

/**
 * Hides `regions` in a picture that is read twice from its start and written piece by piece. JPEG and PNG files are
 * never whole in memory; WebP files are. `open` must give the same bytes each time.
 */
export async function redactStream(args: {
  open: OpenSource;
  format: ImageFormat;
  regions: readonly Region[];
  method: RedactionMethod;
}): Promise<RedactedStream> {
  const { format, ...task } = args;
  const { width, height, maskedPixels, chunks } = await REDACTORS[format](task);
  return { stream: streamOf(chunks()), width, height, maskedPixels };
}

const REDACTORS: Readonly<Record<ImageFormat, (task: RedactionTask) => Promise<Redaction>>> = {
  jpeg: redactJpeg,
  png: redactPng,
  webp: redactWebp,
};
