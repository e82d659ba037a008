export const REDACTION_METHODS = ["blur", "pixelation"] as const;
export type RedactionMethod = (typeof REDACTION_METHODS)[number];

export const MEDIA_TYPES = ["image", "video"] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

const IMAGE_CONTENT_TYPES = { jpeg: "image/jpeg", png: "image/png", webp: "image/webp" } as const;
const VIDEO_CONTENT_TYPES = { mp4: "video/mp4", quicktime: "video/quicktime", webm: "video/webm" } as const;

/** Formats that are accepted and returned, with the content type of each. */
export const FORMAT_CONTENT_TYPES = { ...IMAGE_CONTENT_TYPES, ...VIDEO_CONTENT_TYPES } as const;
export type ImageFormat = keyof typeof IMAGE_CONTENT_TYPES;
export type VideoFormat = keyof typeof VIDEO_CONTENT_TYPES;
export type MediaFormat = keyof typeof FORMAT_CONTENT_TYPES;

/**
 * Formats that are accepted and converted before any other step, with the content type of each. `media.format` is the format of the
 * output, `media.sourceFormat` that of the upload.
 */
const CONVERTED_CONTENT_TYPES = {
  heic: "image/heic",
  avif: "image/avif",
  bmp: "image/bmp",
  gif: "image/gif",
  tiff: "image/tiff",
} as const;
export type ConvertedFormat = keyof typeof CONVERTED_CONTENT_TYPES;

/** The upload formats, with the content type of each. */
export const UPLOAD_CONTENT_TYPES = { ...FORMAT_CONTENT_TYPES, ...CONVERTED_CONTENT_TYPES } as const;
export type UploadFormat = keyof typeof UPLOAD_CONTENT_TYPES;

/** Formats of pictures. */
export type StillFormat = ImageFormat | ConvertedFormat;

/** The names of upload formats. */
export const FORMAT_NAMES: Readonly<Record<UploadFormat, string>> = {
  jpeg: "JPEG",
  png: "PNG",
  webp: "WebP",
  heic: "HEIC",
  avif: "AVIF",
  bmp: "BMP",
  gif: "GIF",
  tiff: "TIFF",
  mp4: "MP4",
  quicktime: "QuickTime",
  webm: "WebM",
};

/** The output of each converted format; an AVIF with transparency becomes a PNG. */
export const CONVERSIONS: Readonly<Record<ConvertedFormat, "jpeg" | "png">> = {
  heic: "jpeg",
  avif: "jpeg",
  bmp: "png",
  gif: "png",
  tiff: "png",
};

/** Whether a format is converted. */
export function isConvertedFormat(format: UploadFormat): format is ConvertedFormat {
  return format in CONVERTED_CONTENT_TYPES;
}

/** Whether a format is a picture format, converted or not. */
export function isStillFormat(format: UploadFormat): format is StillFormat {
  return format in IMAGE_CONTENT_TYPES || isConvertedFormat(format);
}

/** Whether a format is an output format of pictures. */
export function isImageFormat(format: MediaFormat): format is ImageFormat {
  return format in IMAGE_CONTENT_TYPES;
}

/** The media type of a format. */
export function mediaTypeOf(format: MediaFormat): MediaType {
  return isImageFormat(format) ? "image" : "video";
}
