import type { ApiEnv } from "../../../ground/platform/env.ts";
import type { VideoLimits } from "../../../work/video/containers/probe.ts";
import { decodesThere, engineServiceOf } from "../../../work/video/engine/engine-service.ts";
import {
  SERVICE_LONG_SIDE_PIXELS,
  SERVICE_SHORT_SIDE_PIXELS,
  WORKER_LONG_SIDE_PIXELS,
  WORKER_SHORT_SIDE_PIXELS,
} from "../../../work/video/containers/worker-size.ts";

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
