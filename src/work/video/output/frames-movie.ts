import type { Colours } from "../containers/colours.ts";
import { videoEntry } from "../containers/webm-tracks.ts";
import {
  blockHead,
  blockTail,
  clusterHead,
  clustersOf,
  webmHead,
  type Block,
} from "../containers/webm-writer.ts";

const TICK_NANOSECONDS = 1_000_000;

/** The colors of the frames of {@link movieOfFrames}: sRGB by BT.601, limited range. */
const COLOURS: Colours = {
  primaries: "bt709",
  transfer: "iec61966-2-1",
  matrix: "smpte170m",
  fullRange: false,
};

/** An encoded VP8 frame. */
export interface MovieFrame {
  readonly isKey: boolean;
  readonly sizeBytes: number;
  /** How long it is shown, in milliseconds. */
  readonly delayMs: number;
}

/**
 * A WebM file with only a video track, piece by piece. Each frame is shown at its millisecond, and the last one has a duration.
 *
 * @param movie `packets` are the bytes of the frames, in their order
 */
export async function* movieOfFrames(movie: {
  readonly width: number;
  readonly height: number;
  readonly frames: readonly MovieFrame[];
  readonly packets: AsyncIterable<Uint8Array>;
}): AsyncGenerator<Uint8Array, void, undefined> {
  const { width, height, frames, packets } = movie;
  let tick = 0;
  const blocks: Block[] = [];
  for (const [index, { isKey, sizeBytes, delayMs }] of frames.entries()) {
    const notes = index === frames.length - 1 ? { durationTicks: delayMs } : undefined;
    blocks.push({ track: 0, tick, isKey, sizeBytes, notes });
    tick += delayMs;
  }
  const entry = { number: 1, type: 1, elements: [] };
  const clusters = clustersOf(blocks, TICK_NANOSECONDS);
  yield webmHead({
    header: { timestampScale: TICK_NANOSECONDS },
    tracks: [videoEntry(entry, 1, { width, height, colours: COLOURS })],
    durationTicks: tick,
    clusters,
  });
  const bytes = packets[Symbol.asyncIterator]();
  for (const cluster of clusters) {
    yield clusterHead(cluster);
    for (const block of cluster.blocks) {
      yield blockHead(block, cluster);
      const next = await bytes.next();
      if (next.done === true || next.value.length !== block.sizeBytes)
        throw new RangeError("A frame is not as large as it was.");
      yield next.value;
      yield blockTail(block);
    }
  }
}
