import { concatBytes } from "../../redaction/bytes.ts";
import { EBML_IDS, element, floatElement, textElement, uint64Element, uintElement } from "./ebml.ts";
import { elementsOf, type MatroskaHeader, type MatroskaTrack } from "./matroska-header.ts";

/** A packet of the output: where it stands among its track's, when it is shown, how large it is. */
export interface Block {
  /** Index among the output's tracks. */
  readonly track: number;
  readonly tick: number;
  readonly isKey: boolean;
  readonly sizeBytes: number;
}

/** Blocks that lie together; times within are told from its beginning in 16 bits. */
export interface Cluster {
  readonly tick: number;
  readonly blocks: readonly Block[];
}

const CLUSTER_NANOSECONDS = 5_000_000_000;
const MOST_RELATIVE_TICKS = 32_767;

/** Cuts blocks, in the order of their times, into clusters of which each begins with a key frame of the first track where it can. */
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

/** Everything of a WebM file that comes before its clusters. Of the source's entries only what is needed to play them is kept. */
export function webmHead(args: {
  header: MatroskaHeader;
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

/** Head of a cluster, after which its blocks follow. */
export function clusterHead(cluster: Cluster): Uint8Array {
  const timestamp = uint64Element(EBML_IDS.timestamp, cluster.tick);
  const blockBytes = cluster.blocks.reduce((sum, block) => sum + BLOCK_HEAD_BYTES + block.sizeBytes, 0);
  return concatBytes([sizedHead(EBML_IDS.cluster, timestamp.length + blockBytes), timestamp]);
}

/** Element head of a simple block, and the block's own (RFC 9559 §10.2). */
const BLOCK_HEAD_BYTES = 1 + 8 + 4;

/** Head of a block, after which its packet follows. */
export function blockHead(block: Block, cluster: Cluster): Uint8Array {
  const relative = (block.tick - cluster.tick) & 0xffff;
  const head = Uint8Array.of(0x81 + block.track, relative >> 8, relative & 0xff, block.isKey ? 0x80 : 0);
  return concatBytes([sizedHead(EBML_IDS.simpleBlock, 4 + block.sizeBytes), head]);
}

function clusterBytes(cluster: Cluster): number {
  return (
    clusterHead(cluster).length +
    cluster.blocks.reduce((sum, block) => sum + BLOCK_HEAD_BYTES + block.sizeBytes, 0)
  );
}

/** Where a player finds each cluster that begins with a key frame, told from the segment's beginning. */
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

const KEPT_AUDIO = new Set<number>([
  EBML_IDS.codecId,
  EBML_IDS.codecPrivate,
  EBML_IDS.codecDelay,
  EBML_IDS.seekPreRoll,
  EBML_IDS.defaultDuration,
  EBML_IDS.language,
  EBML_IDS.flagDefault,
  EBML_IDS.audio,
]);
const KEPT_VIDEO = new Set<number>([EBML_IDS.defaultDuration, EBML_IDS.language, EBML_IDS.flagDefault]);
const ALPHA_MODE = 0x53c0;

/** A track's entry for the output under a number from 1: the source's without names and tags, video as VP8. */
export function trackEntry(track: MatroskaTrack, number: number): Uint8Array {
  const isVideo = track.type === 1;
  const kept = track.elements.filter(({ id }) => (isVideo ? KEPT_VIDEO : KEPT_AUDIO).has(id));
  const video = track.elements.find(({ id }) => id === EBML_IDS.video);
  const picture =
    video === undefined
      ? []
      : elementsOf(video.content)
          .filter(({ id }) => id !== ALPHA_MODE)
          .map(({ bytes }) => bytes);
  return element(
    EBML_IDS.trackEntry,
    uintElement(EBML_IDS.trackNumber, number),
    uintElement(EBML_IDS.trackUid, number),
    uintElement(EBML_IDS.trackType, track.type),
    ...kept.map(({ bytes }) => bytes),
    ...(isVideo ? [textElement(EBML_IDS.codecId, "V_VP8"), element(EBML_IDS.video, ...picture)] : []),
  );
}
