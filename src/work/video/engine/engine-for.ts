import type { VideoEnv } from "../../../ground/platform/env.ts";
import { JobError } from "../../../ground/platform/job-error.ts";
import { fitsWorker } from "../containers/worker-size.ts";
import { areaOf, type VideoPlan } from "../tasks/video-plan.ts";
import type { VideoEngine } from "./engine.ts";
import { ffmpegEngine } from "./ffmpeg-engine.ts";
import { decodesThereNow, engineServiceOf } from "./engine-service.ts";
import { RemoteEngine, type EngineJob } from "./remote-engine.ts";

/** The properties of a video that decide which engine processes its frames. */
type Pictures = Pick<VideoPlan, "codec" | "widthPixels" | "heightPixels" | "crop">;

/**
 * The engine for a video: the inference service if it has one and a Worker's engine cannot hold the frames or decode the codec,
 * otherwise the Worker's own engine.
 *
 * @throws JobError when such a codec has no engine
 */
export function engineFor(config: VideoEnv, pictures: Pictures, job: EngineJob): VideoEngine {
  const { codec } = pictures;
  const { codedWidth: width, codedHeight: height } = areaOf(pictures);
  const service = engineServiceOf(config);
  if (service === undefined) {
    if (isForeign(codec)) throw new JobError("media_service_missing", true);
    return ffmpegEngine;
  }
  return fitsWorker({ width, height }) && !isForeign(codec) ? ffmpegEngine : new RemoteEngine(service, job);
}

/**
 * Checks that a decoder for a codec exists before a video is processed. What the API learned at the upload may have changed.
 *
 * @throws JobError
 */
export async function checkDecoder(config: VideoEnv, codec: VideoPlan["codec"]): Promise<void> {
  if (!isForeign(codec)) return;
  const service = engineServiceOf(config);
  if (service === undefined) throw new JobError("media_service_missing", true);
  const isDecoded = await decodesThereNow(service, codec);
  if (isDecoded === undefined) throw new JobError("media_service_unavailable", false);
  if (!isDecoded) throw new JobError("media_service_missing", true);
}

/** Whether the Worker's own engine has no decoder for a codec. */
function isForeign(codec: VideoPlan["codec"]): boolean {
  return codec === "av1";
}
