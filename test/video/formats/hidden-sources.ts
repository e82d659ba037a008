import type { Format } from "./format.ts";
import { withEdits } from "./edit-movie.ts";
import { AAC, picture, tone, X264 } from "./ingredients.ts";

/** Ten seconds with a single key frame. A cut without recoding begins with hidden frames that must be decoded first. */
function long(coding: string): string {
  return `${picture("160x96", 10)} ${tone(10)} ${X264} ${coding} -g 250 -x264-params scenecut=0 ${AAC} -f mp4`;
}
/** Ticks per second in a video track, and ticks before the first shown picture with B-frames. */
const TICKS = 12_800;
const DELAY = 1024;

function source(
  property: string,
  args: string,
  piece: string,
  rest: Partial<Format> & { edit?: Edit } = {},
): Format {
  const { edit, ...format } = rest;
  return {
    container: "MP4",
    video: "hidden",
    audio: "AAC",
    property,
    recipe: { args, pieces: [piece], ...(edit === undefined ? {} : { edit }) },
    ...format,
  };
}

type Edit = (file: Uint8Array) => Uint8Array;

interface HiddenSource extends Format {
  readonly shown: readonly (readonly [from: number, to: number])[];
}

/** Files whose edit list shows only a part, and the shown part in seconds of their pictures. */
export const HIDDEN_SOURCES: readonly HiddenSource[] = [
  { ...source("whole", "-i pieces -c copy", long("-bf 2")), shown: [[0, 10]] },
  { ...source("cut with B-frames", "-ss 7 -i pieces -c copy", long("-bf 2")), shown: [[7, 10]] },
  { ...source("cut without B-frames", "-ss 7 -i pieces -c copy", long("-bf 0")), shown: [[7, 10]] },
  {
    ...source("cut at both ends", "-i pieces -c copy -video_track_timescale 12800", long("-bf 2"), {
      edit: (file) =>
        withEdits(withEdits(file, "vide", [{ duration: 3000, mediaTime: DELAY + 3 * TICKS }]), "soun", [
          { duration: 3000, mediaTime: 1024 + 3 * 44_100 },
        ]),
    }),
    shown: [[3, 6]],
  },
  {
    ...source("several edits", "-i pieces -c copy -video_track_timescale 12800", long("-bf 2"), {
      edit: (file) =>
        withEdits(
          withEdits(file, "vide", [
            { duration: 2000, mediaTime: DELAY + 2 * TICKS },
            { duration: 1000, mediaTime: DELAY + 7 * TICKS },
          ]),
          "soun",
          [
            { duration: 2000, mediaTime: 1024 + 2 * 44_100 },
            { duration: 1000, mediaTime: 1024 + 7 * 44_100 },
          ],
        ),
    }),
    shown: [
      [2, 4],
      [7, 8],
    ],
  },
  {
    ...source(
      "QuickTime with uncompressed sound",
      "-ss 7 -i pieces -c:v copy -c:a pcm_s16le",
      long("-bf 2"),
      { container: "QuickTime", audio: "PCM" },
    ),
    shown: [[7, 10]],
  },
];
