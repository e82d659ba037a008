import type { ApiEnv } from "../../../ground/platform/env.ts";
import { FORMAT_NAMES, type StillFormat } from "../../../ground/vocabulary/media-values.ts";
import type { ImageHeader } from "./header-parser.ts";

/** Formats that are decoded as a whole. */
const BUFFERED_FORMATS: ReadonlySet<StillFormat> = new Set(["webp", "gif"]);

/** Limits on files, in the units of the configuration. */
export interface FileLimits {
  readonly maxFileBytes: number;
  readonly maxMegapixels: number;
  /** For formats whose decoding holds the whole picture: WebP, GIF and progressive JPEG. */
  readonly maxBufferedMegapixels: number;
}

/** The limits that a deployment sets; `ground/config/uploads.config.ts` has the defaults. */
export function fileLimitsOf(config: ApiEnv): FileLimits {
  return {
    maxFileBytes: config.MAX_FILE_BYTES,
    maxMegapixels: config.MAX_IMAGE_MEGAPIXELS,
    maxBufferedMegapixels: config.MAX_BUFFERED_IMAGE_MEGAPIXELS,
  };
}

/** Why a file is too large. A video, or what may be one, can be sent in parts. */
export function fileTooLarge(maxFileBytes: number, kind: "picture" | "video" | "unknown"): string {
  const size = `The file is larger than the limit of ${maxFileBytes / 1e6} MB.`;
  return kind === "picture"
    ? size
    : `${size} To send a larger video, upload it in parts with \`POST /uploads\`.`;
}

/** Why a picture has too many pixels, as a full sentence; undefined if it does not, or if the limits for videos apply to it. */
export function pixelFault(header: ImageHeader, format: StillFormat, limits: FileLimits): string | undefined {
  const { widthPixels, heightPixels } = header;
  if (header.animatedSeconds !== undefined) return undefined;
  const isBuffered = BUFFERED_FORMATS.has(format) || header.isBuffered;
  const limit = isBuffered ? limits.maxBufferedMegapixels : limits.maxMegapixels;
  const megapixels = (widthPixels * heightPixels) / 1e6;
  if (megapixels <= limit) return undefined;
  const kind = format === "jpeg" && header.isBuffered ? "progressive JPEG" : FORMAT_NAMES[format];
  return `The image has ${widthPixels}×${heightPixels} pixels (${megapixels.toFixed(1)} megapixels); the limit is ${limit} megapixels for ${kind}.`;
}
