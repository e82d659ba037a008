import type { Format } from "./format.ts";
import { AAC, OPUS, picture, tone, VP8, X264 } from "./ingredients.ts";

const SECONDS = 3;
const FILM = `${picture("160x96", SECONDS)} ${tone(SECONDS, 48_000)}`;
const H264 = `${FILM} ${X264} -bf 2 -g 25 ${AAC}`;

interface NegativeTimes extends Format {
  readonly offsetSeconds: number;
}

function source(container: "WebM" | "Matroska", coding: string, offsetSeconds: number): NegativeTimes {
  return {
    container,
    video: "negative",
    audio: "AAC or Opus",
    property: `${container} that begins at ${offsetSeconds} s`,
    recipe: { args: `${coding} -avoid_negative_ts disabled -output_ts_offset ${offsetSeconds}` },
    offsetSeconds,
  };
}

const VP8_OPUS = `${FILM} ${VP8} -g 25 ${OPUS}`;

/** Videos of three seconds whose first blocks, or all of them, have negative times. */
export const NEGATIVE_TIMES: readonly NegativeTimes[] = [
  source("Matroska", H264, 0),
  source("Matroska", H264, -1),
  source("Matroska", H264, -5),
  source("WebM", VP8_OPUS, 0),
  source("WebM", VP8_OPUS, -1),
  source("WebM", VP8_OPUS, -5),
];
