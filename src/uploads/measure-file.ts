import type { ApiEnv } from "../platform/env.ts";
import { validationFailed } from "../platform/errors.ts";
import { objectRanges } from "../video/containers/stored-ranges.ts";
import { isImageFormat, type MediaFormat } from "../vocabulary/media-values.ts";
import type { ReceivedFile } from "./file-reader.ts";
import { videoLimits } from "./video-limits.ts";

/** What is known of a file once it is stored, and the format that is made of it. */
export interface MeasuredFile {
  readonly format: MediaFormat;
  readonly widthPixels: number;
  readonly heightPixels: number;
  /** Null of a picture. */
  readonly durationSeconds: number | null;
}

/**
 * Size and duration of a file that is stored under a key.
 *
 * @throws VeilError 422 when a video cannot be opened or is over a limit
 */
export async function measureFile(
  config: ApiEnv,
  { format, header, sizeBytes }: ReceivedFile,
  key: string,
): Promise<MeasuredFile> {
  const limits = videoLimits(config);
  if (header !== undefined) {
    const { widthPixels, heightPixels, animatedSeconds } = header;
    const size = { format, widthPixels, heightPixels };
    if (animatedSeconds === undefined) return { ...size, durationSeconds: null };
    const measured = { ...size, durationSeconds: animatedSeconds };
    await asVideo(({ checkDeclared }) => {
      checkDeclared(measured, limits);
    });
    return measured;
  }
  if (isImageFormat(format)) throw new Error("An image was received without its header.");
  const read = objectRanges(config.MEDIA, key);
  return await asVideo(async ({ probeVideo }) => await probeVideo({ read, sizeBytes, format }, limits));
}

/** Measures a video. @throws VeilError 422 when it cannot be opened or is over a limit */
async function asVideo<T>(
  measure: (probe: typeof import("../video/containers/probe.ts")) => Promise<T> | T,
): Promise<T> {
  // Evaluated with the first video, so the API starts without it.
  const probe = await import("../video/containers/probe.ts");
  try {
    return await measure(probe);
  } catch (error) {
    if (error instanceof probe.VideoProbeError) throw validationFailed({ file: [error.message] });
    throw error;
  }
}
