import type { ApiEnv } from "../../../ground/platform/env.ts";
import { validationFailed } from "../../../ground/platform/errors.ts";
import { objectRanges } from "../../../work/video/containers/stored-ranges.ts";
import { isImageFormat, type MediaFormat } from "../../../ground/vocabulary/media-values.ts";
import type { ReceivedFile } from "./file-reader.ts";
import type { VideoLimits } from "../../../work/video/containers/probe.ts";
import {
  WORKER_LONG_SIDE_PIXELS,
  WORKER_SHORT_SIDE_PIXELS,
  SERVICE_LONG_SIDE_PIXELS,
  SERVICE_SHORT_SIDE_PIXELS,
} from "../../../work/video/containers/worker-size.ts";
import { decodesThere, engineServiceOf } from "../../../work/video/engine/engine-service.ts";

/** The measurements of a stored file, and its output format. */
export interface MeasuredFile {
  readonly format: MediaFormat;
  readonly widthPixels: number;
  readonly heightPixels: number;
  /** Null for a picture. */
  readonly durationSeconds: number | null;
}

/**
 * Measures the size and duration of a file that is stored under a key.
 *
 * @throws VeilError 422 if a video cannot be opened or exceeds a limit
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
  // Loaded with the first video, so that the API starts without it.
  const { checkDeclared, probeVideo, VideoProbeError } =
    await import("../../../work/video/containers/probe.ts");
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

/** The limits for videos. They are higher if the inference service takes large videos, unless the operator sets them. */
export function videoLimits(config: ApiEnv): VideoLimits {
  const service = engineServiceOf(config);
  const longSide = service === undefined ? WORKER_LONG_SIDE_PIXELS : SERVICE_LONG_SIDE_PIXELS;
  const shortSide = service === undefined ? WORKER_SHORT_SIDE_PIXELS : SERVICE_SHORT_SIDE_PIXELS;
  return {
    maxLongSidePixels: config.MAX_VIDEO_LONG_SIDE_PIXELS ?? longSide,
    maxShortSidePixels: config.MAX_VIDEO_SHORT_SIDE_PIXELS ?? shortSide,
    maxFramesPerSecond: config.MAX_VIDEO_FRAMES_PER_SECOND,
    maxDurationSeconds: config.MAX_VIDEO_SECONDS,
    // If the service does not answer now, the check runs again before the video is processed.
    decodesAv1: async () => service !== undefined && ((await decodesThere(service, "av1")) ?? true),
  };
}

/** Limits for animations. Their frames are drawn in the Worker and would have to be sent to the inference service uncompressed. */
function withinWorker(limits: VideoLimits): VideoLimits {
  return {
    ...limits,
    maxLongSidePixels: Math.min(limits.maxLongSidePixels, WORKER_LONG_SIDE_PIXELS),
    maxShortSidePixels: Math.min(limits.maxShortSidePixels, WORKER_SHORT_SIDE_PIXELS),
  };
}
