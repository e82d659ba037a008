import { concatBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import type { BlockNotes } from "./block-notes.ts";
import {
  EBML_IDS,
  element,
  floatElement,
  intElement,
  textElement,
  uint64Element,
  uintElement,
} from "./ebml.ts";
import type { MatroskaHeader } from "./matroska-header.ts";

/** A packet of the output: its track, time, size, and notes. */
export interface Block {
  /** Index among the output's tracks. */
  readonly track: number;
  readonly tick: number;
  readonly isKey: boolean;
  readonly sizeBytes: number;
  readonly notes?: BlockNotes | undefined;
}

/** Blocks that are stored together. Their times are 16-bit offsets from the cluster's tick. */
export interface Cluster {
  readonly tick: number;
  readonly blocks: readonly Block[];
}

const CLUSTER_NANOSECONDS = 5_000_000_000;
const MOST_RELATIVE_TICKS = 32_767;

/** Splits blocks, in time order, into clusters. A cluster begins with a key frame of the first track where possible. */
export function clustersOf(blocks: readonly Block[], timestampScale: number): Cluster[] {
  const clusterTicks = Math.min(CLUSTER_NANOSECONDS / timestampScale, MOST_RELATIVE_TICKS / 2);
  const clusters: { tick: number; blocks: Block[] }[] = [];
  for (const block of blocks) {
    const current = clusters.at(-1);
    const since = current === undefined ? 0 : block.tick - current.tick;
    const isDue = block.track === 0 && block.isKey && current !== undefined && current.blocks.length > 0;
    if (current === undefined || since > MOST_RELATIVE_TICKS || (isDue && since >= clusterTicks / 5)) {
      clusters.push({ tick: block.tick, blocks: [block] });
    } else {
      current.blocks.push(block);
    }
  }
  return clusters;
}

/** Everything in a WebM file before its clusters. Only the parts of the source's entries that playback needs are kept. */
export function webmHead(args: {
  header: Pick<MatroskaHeader, "timestampScale">;
  tracks: readonly Uint8Array[];
  durationTicks: number;
  clusters: readonly Cluster[];
}): Uint8Array {
  const { header, tracks, durationTicks, clusters } = args;
  const info = element(
    EBML_IDS.info,
    uintElement(EBML_IDS.timestampScale, header.timestampScale),
    textElement(EBML_IDS.muxingApp, "Veil"),
    textElement(EBML_IDS.writingApp, "Veil"),
    floatElement(EBML_IDS.duration, durationTicks),
  );
  const entries = element(EBML_IDS.tracks, ...tracks);
  const sizes = clusters.map(clusterBytes);
  const cuesFrom = (start: number): Uint8Array => cues(clusters, sizes, start);
  const cuesBytes = cuesFrom(0).length;
  const before = concatBytes([info, entries]);
  const clusterSum = sizes.reduce((sum, bytes) => sum + bytes, 0);
  const segmentHead = sizedHead(EBML_IDS.segment, before.length + cuesBytes + clusterSum);
  const ebml = element(
    EBML_IDS.ebml,
    textElement(EBML_IDS.docType, "webm"),
    uintElement(EBML_IDS.docTypeVersion, 4),
    uintElement(EBML_IDS.docTypeReadVersion, 2),
  );
  return concatBytes([ebml, segmentHead, before, cuesFrom(before.length + cuesBytes)]);
}

/** The head of a cluster; its blocks follow. */
export function clusterHead(cluster: Cluster): Uint8Array {
  const timestamp = uint64Element(EBML_IDS.timestamp, cluster.tick);
  return concatBytes([sizedHead(EBML_IDS.cluster, timestamp.length + blocksBytes(cluster)), timestamp]);
}

/** The head of a block; its packet follows. A block with notes becomes a block group, and any other a simple block (RFC 9559 §10.2). */
export function blockHead(block: Block, cluster: Cluster): Uint8Array {
  const relative = (block.tick - cluster.tick) & 0xffff;
  const isSimple = block.notes === undefined;
  const flags = isSimple && block.isKey ? 0x80 : 0;
  const fields = Uint8Array.of(0x81 + block.track, relative >> 8, relative & 0xff, flags);
  const contentBytes = fields.length + block.sizeBytes;
  if (isSimple) return concatBytes([sizedHead(EBML_IDS.simpleBlock, contentBytes), fields]);
  const head = concatBytes([sizedHead(EBML_IDS.block, contentBytes), fields]);
  const groupBytes = head.length + block.sizeBytes + blockTail(block).length;
  return concatBytes([sizedHead(EBML_IDS.blockGroup, groupBytes), head]);
}

/** The elements after a block's packet. */
export function blockTail({ notes, isKey }: Block): Uint8Array {
  if (notes === undefined) return new Uint8Array(0);
  const { durationTicks, discardPadding } = notes;
  return concatBytes([
    ...(durationTicks === undefined ? [] : [uintElement(EBML_IDS.blockDuration, durationTicks)]),
    ...(discardPadding === undefined ? [] : [intElement(EBML_IDS.discardPadding, discardPadding)]),
    // The reference is to the previous block, regardless of that block's time.
    ...(isKey ? [] : [intElement(EBML_IDS.referenceBlock, 0)]),
  ]);
}

function blocksBytes(cluster: Cluster): number {
  return cluster.blocks.reduce(
    (sum, block) => sum + blockHead(block, cluster).length + block.sizeBytes + blockTail(block).length,
    0,
  );
}

function clusterBytes(cluster: Cluster): number {
  return clusterHead(cluster).length + blocksBytes(cluster);
}

/** The cues: the position of each cluster that begins with a key frame, counted from the segment's beginning. */
function cues(clusters: readonly Cluster[], sizes: readonly number[], start: number): Uint8Array {
  let at = start;
  const points: Uint8Array[] = [];
  for (const [index, { tick, blocks }] of clusters.entries()) {
    if (blocks[0]?.track === 0 && blocks[0].isKey) {
      const positions = element(
        EBML_IDS.cueTrackPositions,
        uintElement(EBML_IDS.cueTrack, 1),
        uint64Element(EBML_IDS.cueClusterPosition, at),
      );
      points.push(element(EBML_IDS.cuePoint, uint64Element(EBML_IDS.cueTime, tick), positions));
    }
    at += sizes[index] ?? 0;
  }
  return element(EBML_IDS.cues, ...points);
}

function sizedHead(id: number, sizeBytes: number): Uint8Array {
  const empty = element(id);
  const head = empty.slice();
  const view = new DataView(head.buffer, head.byteLength - 8);
  view.setUint32(0, 0x01000000 + Math.floor(sizeBytes / 2 ** 32));
  view.setUint32(4, sizeBytes % 2 ** 32);
  return head;
}
