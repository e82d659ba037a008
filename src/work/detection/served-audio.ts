import type { DetectorEnv } from "../../ground/platform/env.ts";

/** The errors of an `audio` option that the installed detector does not support. Only the inference service finds speech. */
export function audioFaults(
  { DETECTOR }: Pick<DetectorEnv, "DETECTOR">,
  audio: string | undefined,
): string[] {
  if (DETECTOR === "inference" || audio !== "mute_speech") return [];
  return [
    "`audio` is mute_speech, which the installed detector does not support; use mute or `mute_ranges`.",
  ];
}
