import { EBML_IDS, numberOf, readElementHead } from "./ebml.ts";
import { elementsOf } from "./matroska-header.ts";
import type { RangeReader } from "./stored-ranges.ts";
import { ReadWindow } from "./read-window.ts";
import { ContainerError } from "./track-packets.ts";

/** Each element is held in memory as a whole. Recorders end a cluster after about 5 MB. */
const MOST_ELEMENT_BYTES = 32 * 1024 * 1024;
const MOST_ELEMENTS = 1_000_000;
const WINDOW_BYTES = 1024 * 1024;
const MOST_HEAD_BYTES = 12;
/** Fewer bytes at the end of a file hold nothing readable, so they are not requested. */
const LEAST_BYTES = 8;
const VOID = 0xec;
/** The elements of a segment (RFC 9559 §5.1): seek head, information, tracks, clusters, cues, attachments, chapters, tags. */
const SEGMENT_ELEMENTS = new Set<number>([
  EBML_IDS.seekHead,
  EBML_IDS.info,
  EBML_IDS.tracks,
  EBML_IDS.cluster,
  EBML_IDS.cues,
  0x1941a469,
  0x1043a770,
  0x1254c367,
  VOID,
]);

/**
 * Checks that a Matroska file's elements follow one another without a gap, that its cues lead to clusters, and that no element
 * is larger than a reader can hold. If a cue leads to something else, mediabunny 1.61 looks for the next cluster, and it never
 * ends if there is none.
 *
 * @returns the number of codings of a track's packets, which this format limits to one
 * @throws ContainerError
 */
export async function checkMatroskaElements(read: RangeReader, sizeBytes: number): Promise<number> {
  const window = new ReadWindow(read, sizeBytes, WINDOW_BYTES);
  const clusters = new Set<number>();
  const cued: number[] = [];
  let segmentStart: number | undefined;
  let segmentEnd = Infinity;
  let isClusterOpen = false;
  let elements = 0;
  for (let at = 0; at + LEAST_BYTES <= Math.min(sizeBytes, segmentEnd);) {
    const head = readElementHead(await window.at(at, MOST_HEAD_BYTES));
    if (head === undefined || ++elements > MOST_ELEMENTS)
      throw new ContainerError("An element is malformed.");
    const { id, sizeBytes: contentBytes } = head;
    const start = at + head.headBytes;
    at = start + (contentBytes ?? 0);
    if (segmentStart === undefined) {
      if (contentBytes === undefined && id !== EBML_IDS.segment)
        throw new ContainerError("There is no segment.");
      if (id !== EBML_IDS.segment) continue;
      segmentStart = start;
      segmentEnd = contentBytes === undefined ? Infinity : at;
      at = start;
      continue;
    }
    // A cluster without a size, as in live recordings, lasts until the next top-level element of the segment.
    if (!SEGMENT_ELEMENTS.has(id) && !isClusterOpen)
      throw new ContainerError("An element has no place here.");
    if (id === EBML_IDS.seekHead && at <= sizeBytes) {
      const content = (await window.at(start, contentBytes ?? 0)).slice();
      window.expect(await clustersToCome({ read, sizeBytes, segmentStart }, content));
    }
    if (id === EBML_IDS.cluster) clusters.add(start - head.headBytes);
    if (SEGMENT_ELEMENTS.has(id) && id !== VOID)
      isClusterOpen = id === EBML_IDS.cluster && contentBytes === undefined;
    if (contentBytes === undefined && !isClusterOpen) throw new ContainerError("An element has no size.");
    if ((contentBytes ?? 0) > MOST_ELEMENT_BYTES)
      throw new ContainerError("An element is too large to be held.");
    if (id === EBML_IDS.cues && at <= sizeBytes) {
      cued.push(...cuedPositions(await window.at(start, contentBytes ?? 0)));
    }
  }
  for (const position of cued) {
    const at = position + (segmentStart ?? 0);
    // Cues may refer to clusters that were cut off.
    if (at + LEAST_BYTES <= sizeBytes && !clusters.has(at)) throw new ContainerError("A cue leads nowhere.");
  }
  return 1;
}

/** Reads the cluster positions from the cues if a seek head leads to them (RFC 9559 §5.1.1). Returns none if it leads elsewhere. */
async function clustersToCome(
  { read, sizeBytes, segmentStart }: { read: RangeReader; sizeBytes: number; segmentStart: number },
  seekHead: Uint8Array,
): Promise<number[]> {
  const cues = childrenOf(seekHead, EBML_IDS.seek).find((seek) =>
    childrenOf(seek, EBML_IDS.seekId).some((id) => numberOf(id) === EBML_IDS.cues),
  );
  const [position] = cues === undefined ? [] : childrenOf(cues, EBML_IDS.seekPosition).map(numberOf);
  if (position === undefined || segmentStart + position + LEAST_BYTES > sizeBytes) return [];
  const at = segmentStart + position;
  const head = readElementHead(await read(at, Math.min(sizeBytes, at + MOST_HEAD_BYTES)));
  if (head?.id !== EBML_IDS.cues || head.sizeBytes === undefined) return [];
  const start = at + head.headBytes;
  if (head.sizeBytes > MOST_ELEMENT_BYTES || start + head.sizeBytes > sizeBytes) return [];
  const positions = cuedPositions(await read(start, start + head.sizeBytes));
  return positions.map((cluster) => segmentStart + cluster);
}

/** The positions of clusters, counted from the segment's beginning (RFC 9559 §5.1.5). */
function cuedPositions(cues: Uint8Array): number[] {
  return childrenOf(cues, EBML_IDS.cuePoint)
    .flatMap((point) => childrenOf(point, EBML_IDS.cueTrackPositions))
    .flatMap((positions) => childrenOf(positions, EBML_IDS.cueClusterPosition))
    .map(numberOf);
}

function childrenOf(bytes: Uint8Array, wanted: number): Uint8Array[] {
  return elementsOf(bytes).flatMap(({ id, content }) => (id === wanted ? [content] : []));
}
