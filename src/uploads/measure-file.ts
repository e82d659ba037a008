import type { ApiEnv } from "../platform/env.ts";
import { validationFailed } from "../platform/errors.ts";
import { objectRanges } from "../video/containers/stored-ranges.ts";
import { isImageFormat, type MediaFormat } from "../vocabulary/media-values.ts";
import type { ReceivedFile } from "./file-reader.ts";
import type { VideoLimits } from "../video/containers/probe.ts";
import { WORKER_LONG_SIDE_PIXELS, WORKER_SHORT_SIDE_PIXELS } from "../video/containers/worker-size.ts";
import { videoLimits } from "./video-limits.ts";

/** The measurements of a stored file, and its output format. */
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
  { field, format, header, sizeBytes }: ReceivedFile,
  key: string,
): Promise<MeasuredFile> {
  const limits = videoLimits(config);
  if (header !== undefined && header.animatedSeconds === undefined) {
    const { widthPixels, heightPixels } = header;
    return { format, widthPixels, heightPixels, durationSeconds: null };
  }
  if (isImageFormat(format)) throw new Error("An image was received without its header.");
  // Evaluated with the first video, so the API starts without it.
  const { checkDeclared, probeVideo, VideoProbeError } = await import("../video/containers/probe.ts");
  try {
    if (header?.animatedSeconds !== undefined) {
      const { widthPixels, heightPixels, animatedSeconds: durationSeconds } = header;
      checkDeclared({ widthPixels, heightPixels, durationSeconds }, withinWorker(limits));
      return { format, widthPixels, heightPixels, durationSeconds };
    }
    const read = objectRanges(config.MEDIA, key);
    return await probeVideo({ read, sizeBytes, format }, limits);
  } catch (error) {
    if (error instanceof VideoProbeError) throw validationFailed({ [field]: [error.message] });
    throw error;
  }
}

/** Frames of an animation are drawn in the Worker, and would go bare to a media service. */
function withinWorker(limits: VideoLimits): VideoLimits {
  return {
    ...limits,
    maxLongSidePixels: Math.min(limits.maxLongSidePixels, WORKER_LONG_SIDE_PIXELS),
    maxShortSidePixels: Math.min(limits.maxShortSidePixels, WORKER_SHORT_SIDE_PIXELS),
  };
}
