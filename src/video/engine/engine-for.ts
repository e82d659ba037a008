import type { VideoEnv } from "../../platform/env.ts";
import { JobError } from "../../jobs/job-error.ts";
import { fitsWorker } from "../containers/worker-size.ts";
import { areaOf, type VideoPlan } from "../tasks/video-plan.ts";
import type { VideoEngine } from "./engine.ts";
import { ffmpegEngine } from "./ffmpeg-engine.ts";
import { decodesThereNow, mediaServiceOf } from "./media-service.ts";
import { RemoteEngine, type EngineJob } from "./remote-engine.ts";

/** The properties of a video that decide which engine processes its frames. */
type Pictures = Pick<VideoPlan, "codec" | "widthPixels" | "heightPixels" | "crop">;

/**
 * The engine for pictures: the Worker's own, or the media service where there is one and they are too large for a Worker or of a codec
 * that its engine has no decoder for.
 *
 * @throws JobError when such a codec has no media service
 */
export function engineFor(config: VideoEnv, pictures: Pictures, job: EngineJob): VideoEngine {
  const { codec } = pictures;
  const { codedWidth: width, codedHeight: height } = areaOf(pictures);
  const service = mediaServiceOf(config);
  if (service === undefined) {
    if (isForeign(codec)) throw new JobError("media_service_missing", true);
    return ffmpegEngine;
  }
  return fitsWorker({ width, height }) && !isForeign(codec) ? ffmpegEngine : new RemoteEngine(service, job);
}

/**
 * Makes sure that there is a decoder for a codec before a video of it is worked on: what the API learned at the upload may have changed.
 *
 * @throws JobError
 */
export async function checkDecoder(config: VideoEnv, codec: VideoPlan["codec"]): Promise<void> {
  if (!isForeign(codec)) return;
  const service = mediaServiceOf(config);
  if (service === undefined) throw new JobError("media_service_missing", true);
  const isDecoded = await decodesThereNow(service, codec);
  if (isDecoded === undefined) throw new JobError("media_service_unavailable", false);
  if (!isDecoded) throw new JobError("media_service_missing", true);
}

/** Whether the Worker's own engine has no decoder for a codec. */
function isForeign(codec: VideoPlan["codec"]): boolean {
  return codec === "av1";
}
