import type { InputTrack } from "mediabunny";
import { EBML_IDS, numberOf } from "../containers/ebml.ts";
import type { MatroskaTrack } from "../containers/matroska-header.ts";
import type { ShownTrackTime } from "../containers/shown-span.ts";
import { packetsOf } from "../containers/track-packets.ts";
import type { HeardSpan, PacketTimes } from "../sound/muted-times.ts";
import type { PacketMuter } from "../sound/packet-muter.ts";
import type { OpenSource } from "../containers/open-container.ts";
import { ShownTime } from "../containers/shown-time.ts";

/** The data of a track's packets, in order, muted where necessary. */
export async function* dataOf(
  source: InputTrack,
  muter: PacketMuter | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (muter !== undefined) yield* muter.pass(packetsOf(source));
  else for await (const { data } of packetsOf(source)) yield data;
}

/** When packets begin, and when the last one ends. */
export function timesOf(
  packets: readonly { readonly tick: number }[],
  { lastTicks, ticksPerSecond }: { readonly lastTicks: number; readonly ticksPerSecond: number },
): PacketTimes {
  return {
    startsSeconds: packets.map(({ tick }) => tick / ticksPerSecond),
    endSeconds: ((packets.at(-1)?.tick ?? 0) + lastTicks) / ticksPerSecond,
  };
}

/** The heard parts of a track in seconds. */
export function heardSpans({ spans }: ShownTrackTime, ticksPerSecond: number): HeardSpan[] {
  return spans.map(({ startTick, endTick, shiftTicks }) => ({
    startSeconds: startTick / ticksPerSecond,
    endSeconds: endTick / ticksPerSecond,
    shiftSeconds: shiftTicks / ticksPerSecond,
  }));
}

/** A track of which every packet is heard, later than its time declares. */
export function heardWhole(shiftSeconds: number): HeardSpan[] {
  return [{ startSeconds: -Infinity, endSeconds: Infinity, shiftSeconds }];
}

const NANOSECONDS = 1e9;

/** Length of the audio that only primes the decoder. Each block's time is later by this much (RFC 9559 §5.1.4.1.25). */
export function delaySeconds(entry: MatroskaTrack | undefined): number {
  const delay = entry?.elements.find(({ id }) => id === EBML_IDS.codecDelay);
  return delay === undefined ? 0 : numberOf(delay.content) / NANOSECONDS;
}

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
