import type { VideoEngine } from "../../../src/work/video/engine/engine.ts";
import type { Abilities } from "../../../src/work/video/engine/run-stream.ts";
import type { Env } from "../platform/env.ts";
import { SettingsError } from "../platform/env.ts";
import { ffmpegAbilities } from "./ffmpeg-abilities.ts";
import { ProcessEngine } from "./process-engine.ts";
import { FFMPEG, FFMPEG_CORE } from "./programs.ts";

/** `@ffmpeg/core` has no decoder for AV1. */
const CORE_CODECS = ["avc", "hevc", "vp8", "vp9", "mpeg4", "mjpeg"];

/** The video engine of this service. */
export interface ChosenEngine {
  readonly kind: "native" | "wasm";
  readonly engine: VideoEngine;
  readonly abilities: Abilities;
  /** The most runs at once. */
  readonly parallelRuns: number;
}

/**
 * The configured video engine; undefined if the engine is turned off.
 * @throws SettingsError if the installed ffmpeg is required but lacks
 * a codec or encoder.
 */
export function chooseEngine({ FFMPEG: wanted, MAX_RUNS }: Env): ChosenEngine | undefined {
  if (wanted === "none") return undefined;
  const installed = wanted === "wasm" ? undefined : ffmpegAbilities();
  if (installed?.missing.length === 0) {
    const abilities = { codecs: [...installed.codecs] };
    return { kind: "native", engine: new ProcessEngine(FFMPEG), abilities, parallelRuns: MAX_RUNS };
  }
  if (wanted === "native") {
    throw new SettingsError(
      installed === undefined
        ? "FFMPEG is native, and no ffmpeg is installed."
        : `FFMPEG is native, and the installed ffmpeg has no ${installed.missing.join(", ")}.`,
    );
  }
  // A core may take 1.5 GB.
  return {
    kind: "wasm",
    engine: new ProcessEngine(FFMPEG_CORE),
    abilities: { codecs: CORE_CODECS },
    parallelRuns: 1,
  };
}
