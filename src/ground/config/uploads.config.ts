import { optionalNumber, wholeNumber } from "./values.ts";

/** How large a file may be. A plan's own limits apply as well. */
const fileSizes = {
  /** A photo, or a video that is sent in one request. */
  MAX_FILE_BYTES: wholeNumber({ unit: "bytes", least: 1, most: 5_000_000_000, byDefault: 100_000_000 }),
  MAX_RESUMABLE_FILE_BYTES: wholeNumber({
    unit: "bytes",
    least: 1,
    most: 50_000_000_000,
    byDefault: 5_000_000_000,
  }),
  MAX_IMAGE_MEGAPIXELS: wholeNumber({ unit: "megapixels", least: 1, most: 268, byDefault: 100 }),
  /** WebP and other formats that cannot be read in parts. */
  MAX_BUFFERED_IMAGE_MEGAPIXELS: wholeNumber({ unit: "megapixels", least: 1, most: 24, byDefault: 16 }),
  MAX_VIDEO_LONG_SIDE_PIXELS: optionalNumber({ unit: "pixels", least: 16, most: 3840 }),
  MAX_VIDEO_SHORT_SIDE_PIXELS: optionalNumber({ unit: "pixels", least: 16, most: 2160 }),
};

/** How slowly a body may arrive. */
const speeds = {
  UPLOAD_IDLE_TIMEOUT_SECONDS: wholeNumber({ unit: "seconds", least: 1, most: 3600, byDefault: 60 }),
  UPLOAD_MIN_BYTES_PER_SECOND: wholeNumber({
    unit: "bytes per second",
    least: 1,
    most: 100_000_000,
    byDefault: 1000,
  }),
  UPLOAD_RATE_WINDOW_SECONDS: wholeNumber({ unit: "seconds", least: 1, most: 3600, byDefault: 30 }),
  UPLOAD_TIMEOUT_SECONDS: wholeNumber({ unit: "seconds", least: 1, most: 86_400, byDefault: 3600 }),
  /** A file fetched from `source_url`. */
  SOURCE_URL_TIMEOUT_SECONDS: wholeNumber({ unit: "seconds", least: 1, most: 100, byDefault: 75 }),
};

/** Resumable uploads of one account at the same time. */
const resumable = {
  RESUMABLE_UPLOAD_HOURS: wholeNumber({ unit: "hours", least: 1, most: 168, byDefault: 24 }),
  MAX_RESUMABLE_UPLOADS: wholeNumber({ unit: "uploads", least: 1, most: 10_000, byDefault: 200 }),
  MAX_RESUMABLE_BYTES: wholeNumber({
    unit: "bytes",
    least: 1,
    most: 10_000_000_000_000,
    byDefault: 50_000_000_000,
  }),
};

/** What uploads may be, and how they may arrive. */
export const uploadVariables = { ...fileSizes, ...speeds, ...resumable };
