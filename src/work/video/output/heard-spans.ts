import type { InputTrack } from "mediabunny";
import type { OpenSource } from "../containers/open-container.ts";
import { ShownTime } from "../containers/shown-time.ts";
import type { HeardSpan } from "../sound/muted-times.ts";
import { delaySeconds, heardSpans, heardWhole } from "./muted-packets.ts";

const NANOSECONDS = 1e9;

/** When a source's audio track is heard in the output, by its packets' times. @throws ContainerError, StorageReadError */
export async function heardSpansOf(source: OpenSource, track: InputTrack): Promise<HeardSpan[]> {
  const shown = await ShownTime.of(source);
  const { movie, matroska } = shown.headers;
  if (matroska !== undefined) {
    const shiftSeconds = (shown.shiftTicks * matroska.timestampScale) / NANOSECONDS;
    return heardWhole(shiftSeconds - delaySeconds(matroska.tracks.find(({ number }) => number === track.id)));
  }
  const ticksPerSecond = movie?.tracks.find(({ id }) => id === track.id)?.ticksPerSecond;
  return ticksPerSecond === undefined ? heardWhole(0) : heardSpans(shown.ofTrack(track), ticksPerSecond);
}
