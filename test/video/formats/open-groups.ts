import type { Format } from "./format.ts";
import { AAC, picture, tone, X264 } from "./ingredients.ts";

const FILM = `${picture("160x96", 10)} ${tone(10)}`;
const H264 = `${FILM} ${X264} -bf 3 -g 50 -x264-params open-gop=1:scenecut=0 ${AAC} -f mp4`;
const H265 = `${FILM} -c:v libx265 -preset ultrafast -x265-params log-level=error:qp=14:keyint=50:min-keyint=50:scenecut=0:bframes=3:open-gop=1 ${AAC} -f mp4`;
/** In the third group of pictures, which begins at 4 s. */
const CUT = "-ss 4.2 -i pieces -c copy";

interface OpenGroups extends Format {
  /** The first frame that is shown. */
  readonly firstFrame: number;
}

function source(
  container: Format["container"],
  [video, piece]: readonly [string, string],
  { args, firstFrame }: { args: string; firstFrame: number },
): OpenGroups {
  const property = `${container}, ${video}, open groups of pictures from frame ${firstFrame} on`;
  const isForInstalled = video === "H.265" ? ({ isForInstalled: true } as const) : {};
  return {
    container,
    video,
    audio: "AAC",
    property,
    recipe: { args, pieces: [piece] },
    firstFrame,
    ...isForInstalled,
  };
}

/** Videos with open groups of pictures, whole and cut without recoding. An MP4 hides the part before the cut; a Matroska file does not. */
export const OPEN_GROUPS: readonly OpenGroups[] = (
  [
    ["H.264", H264],
    ["H.265", H265],
  ] as const
).flatMap((film) => [
  source("MP4", film, { args: "-i pieces -c copy", firstFrame: 0 }),
  source("MP4", film, { args: CUT, firstFrame: 105 }),
  source("Matroska", film, { args: CUT, firstFrame: 100 }),
]);
