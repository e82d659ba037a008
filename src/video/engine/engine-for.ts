import type { VideoEnv } from "../../platform/env.ts";
import type { VideoEngine } from "./engine.ts";
import { ffmpegEngine } from "./ffmpeg-engine.ts";
import { RemoteEngine } from "./remote-engine.ts";
import { fitsWorker } from "../containers/worker-size.ts";

/** The engine for frames of a size: the Worker's own, or the media service where there is one and they are too large. */
export function engineFor(
  { MEDIA_SERVICE_URL: url, MEDIA_SERVICE_TOKEN: token }: VideoEnv,
  size: { readonly width: number; readonly height: number },
): VideoEngine {
  if (url === undefined || fitsWorker(size)) return ffmpegEngine;
  return new RemoteEngine({ url, token: token ?? "" });
}
