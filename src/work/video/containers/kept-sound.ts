import type { PlacedSpan } from "./edit-list.ts";
import type { ShownTrackTime } from "./shown-span.ts";

/** An audio packet as its container declares it. */
interface SoundPacket {
  readonly tick: number;
  readonly sizeBytes: number;
  readonly isKey: boolean;
}

/** The part of a packet that is copied: all of it, or only the audible part of uncompressed audio. */
export interface KeptPacket {
  /** The packet's index in the source. */
  readonly packet: number;
  /** The copied range of the packet's bytes; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
}

/** The copied packets of an audio track, their media times from 0 on, and the spans in which they are heard. */
export interface KeptSound {
  readonly kept: readonly KeptPacket[];
  readonly mediaTicks: readonly number[];
  readonly lastSampleTicks: number;
  readonly spans: readonly PlacedSpan[];
}

/** An encoder begins with at most this many packets that prime the decoder. More packets are audio that was cut off. */
const MOST_PRIMING_PACKETS = 3;

interface TickRange {
  readonly packet: number;
  readonly startTick: number;
  readonly endTick: number;
}

/**
 * Selects the packets of a track that are heard and those that prime its decoder. A packet that an edit list hides completely
 * is left out. In uncompressed audio, every hidden sample is left out.
 */
export function keptSound(
  packets: readonly SoundPacket[],
  {
    shown,
    lastTicks,
    frameBytes,
  }: { shown: ShownTrackTime; lastTicks: number; frameBytes: number | undefined },
): KeptSound {
  const { spans } = shown;
  const ranges: TickRange[] = [];
  for (const [packet, { tick }] of packets.entries()) {
    const endTick = Math.max(tick, packets[packet + 1]?.tick ?? tick + lastTicks);
    const heard = spans.filter((span) => span.startTick < endTick && tick < span.endTick);
    if (heard.length === 0) continue;
    if (frameBytes === undefined) ranges.push({ packet, startTick: tick, endTick });
    else {
      const from = Math.min(...heard.map((span) => span.startTick));
      const to = Math.max(...heard.map((span) => span.endTick));
      ranges.push({ packet, startTick: Math.max(tick, from), endTick: Math.min(endTick, to) });
    }
  }
  if (frameBytes === undefined) ranges.unshift(...primingOf(packets, ranges[0]?.packet ?? 0));
  const mediaTicks: number[] = [];
  let end = 0;
  for (const { startTick, endTick } of ranges) {
    mediaTicks.push(end);
    end += endTick - startTick;
  }
  const last = ranges.at(-1);
  return {
    kept: ranges.map((range) => keptPacket(packets, range, frameBytes)),
    mediaTicks,
    lastSampleTicks: last === undefined ? 0 : last.endTick - last.startTick,
    spans: spans.flatMap((span) => placedSpans(span, ranges, mediaTicks)),
  };
}

/** The packets before the first audible one that prime the decoder. */
function primingOf(packets: readonly SoundPacket[], firstHeard: number): TickRange[] {
  let first = firstHeard <= MOST_PRIMING_PACKETS ? 0 : firstHeard;
  while (first > 0 && packets[first]?.isKey !== true) first -= 1;
  return packets.slice(first, firstHeard).map(({ tick }, index) => ({
    packet: first + index,
    startTick: tick,
    endTick: Math.max(tick, packets[first + index + 1]?.tick ?? tick),
  }));
}

function keptPacket(
  packets: readonly SoundPacket[],
  { packet, startTick, endTick }: TickRange,
  frameBytes: number | undefined,
): KeptPacket {
  const { tick = 0, sizeBytes = 0 } = packets[packet] ?? {};
  if (frameBytes === undefined) return { packet, from: 0, to: sizeBytes };
  return { packet, from: (startTick - tick) * frameBytes, to: (endTick - tick) * frameBytes };
}

/** The audible part of a span: from its first packet to its last. */
function placedSpans(
  { startTick, endTick, shiftTicks }: ShownTrackTime["spans"][number],
  ranges: readonly TickRange[],
  mediaTicks: readonly number[],
): PlacedSpan[] {
  const isHeard = (range: TickRange): boolean => startTick < range.endTick && range.startTick < endTick;
  const firstIndex = ranges.findIndex(isHeard);
  const first = ranges[firstIndex];
  const last = ranges.findLast(isHeard);
  if (first === undefined || last === undefined) return [];
  const start = Math.max(startTick, first.startTick, -shiftTicks);
  const end = Math.min(endTick, last.endTick);
  if (end <= start) return [];
  return [
    {
      mediaTick: (mediaTicks[firstIndex] ?? 0) + start - first.startTick,
      ticks: end - start,
      shownTick: start + shiftTicks,
    },
  ];
}
