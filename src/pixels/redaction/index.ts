/**
 * The redaction kernel: hides regions of a still picture so that only the mean color of coarse cells survives. Its functions
 * depend on nothing but their arguments: no bindings, no clock, no network.
 */
import type { Orientation } from "../geometry/orientation.ts";
import { concatBytes } from "./bytes/bytes.ts";
import { openBytes, type OpenSource, streamOf } from "./bytes/byte-source.ts";
import { redactJpeg } from "./jpeg/jpeg.ts";
import { redactPng } from "./png/png.ts";
import type { Region } from "./regions/regions.ts";
import type { Redaction, RedactionTask } from "./painting/task.ts";
import type { RedactionMethod, ImageFormat } from "../../ground/vocabulary/media-values.ts";
import { redactWebp } from "./webp/webp.ts";

export { isSameDetail, readDetail } from "./detail.ts";
export type { OutlineDetail } from "./painting/pixel-detail.ts";
export { previewImage } from "./preview.ts";
export { RedactionError } from "./bytes/errors.ts";
export type { Region } from "./regions/regions.ts";
export { readStoredOrientation } from "./stored-orientation.ts";
export type { OpenSource } from "./bytes/byte-source.ts";

/** A redacted picture. */
export interface RedactedImage {
  readonly bytes: Uint8Array;
  /** Size of the stored pixels, before the orientation is applied. */
  readonly width: number;
  readonly height: number;
  /** How many pixels of the picture were painted. */
  readonly maskedPixels: number;
}

/** A redacted picture that is read as a stream. */
export interface RedactedStream {
  /** Reading the stream reads the source once more. A source error or a damaged file ends the stream with an error. */
  readonly stream: ReadableStream<Uint8Array>;
  readonly width: number;
  readonly height: number;
  readonly maskedPixels: number;
}

/**
 * Hides `regions` in a picture held in memory. The stored pixels are not rotated. The output keeps the orientation and the color
 * profile but no other metadata. Rejects with {@link RedactionError} only.
 */
export async function redactImage(args: {
  source: Uint8Array;
  format: ImageFormat;
  regions: readonly Region[];
  method: RedactionMethod;
  orientation?: Orientation;
}): Promise<RedactedImage> {
  const { source, format, regions, method, orientation } = args;
  const { width, height, maskedPixels, chunks } = await REDACTORS[format]({
    open: openBytes(source),
    regions,
    method,
    orientation,
  });
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks()) parts.push(chunk);
  return { bytes: concatBytes(parts), width, height, maskedPixels };
}

/**
 * Hides `regions` in a picture whose output is a stream. The source is read once for each pass: JPEG three times, PNG twice,
 * WebP once. JPEG and PNG files are never whole in memory; WebP files are. `open` must return the same bytes each time. Labels of
 * regions are upright in a viewer that turns the picture by `orientation`.
 */
export async function redactStream(args: {
  open: OpenSource;
  format: ImageFormat;
  regions: readonly Region[];
  method: RedactionMethod;
  orientation?: Orientation;
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
