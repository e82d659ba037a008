import { concatBytes } from "../../../src/pixels/redaction/bytes/bytes.ts";
import {
  EBML_IDS,
  element,
  floatElement,
  uintElement,
  numberOf,
  readElementHead,
} from "../../../src/work/video/containers/ebml.ts";

interface Element {
  readonly id: number;
  readonly head: Uint8Array;
  readonly content: Uint8Array;
}

/** Consecutive elements. An element of unknown size contains everything after it. */
function elementsOf(bytes: Uint8Array): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < bytes.length;) {
    const found = readElementHead(bytes.subarray(at));
    if (found === undefined) throw new Error("There is no element.");
    const { id, headBytes, sizeBytes } = found;
    const start = at + headBytes;
    // For an element of unknown size, only the head. Its children follow in this list.
    const end = start + (sizeBytes ?? 0);
    elements.push({ id, head: bytes.subarray(at, start), content: bytes.subarray(start, end) });
    at = end;
  }
  return elements;
}

/** The number of packets per laced block, and the flags of EBML lacing (RFC 9559 §10.3.3). */
const LACE = 3;
const EBML_LACING = 0x06;
const AUDIO = 2;
const SEEK_HEAD = 0x114d9b74;
const BLOCK_HEAD_BYTES = 4;

/**
 * Joins every three audio packets of a cluster into one block with EBML lacing, in a live WebM whose segment has no size and no index.
 * Packets have a duration of `packetMs`, which is added to the track.
 */
export function withLacedAudio(file: Uint8Array, packetMs: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let lace: Uint8Array[] = [];
  let isFirst = true;
  const finishLace = (): void => {
    parts.push(...(lace.length === LACE ? [lacedBlock(lace)] : lace.map(simpleBlock)));
    lace = [];
  };
  for (const { id, head, content } of elementsOf(file)) {
    if (id === EBML_IDS.simpleBlock && content[0] === (0x80 | AUDIO)) {
      lace.push(content);
      // The first packet has another duration, because Opus begins half a tick early.
      if (isFirst) finishLace();
      isFirst = false;
      if (lace.length === LACE) finishLace();
      continue;
    }
    if (id !== EBML_IDS.simpleBlock) finishLace();
    if (id === EBML_IDS.tracks) parts.push(element(id, withPacketDuration(content, packetMs)));
    else if (id === EBML_IDS.cluster) parts.push(element(id, withLacedAudio(content, packetMs)));
    else parts.push(head, content);
  }
  finishLace();
  return concatBytes(parts);
}

function simpleBlock(content: Uint8Array): Uint8Array {
  return element(EBML_IDS.simpleBlock, content);
}

/**
 * Joins several packets into one block: the number of further packets, the size of the first, and the size differences of all others
 * except the last.
 */
function lacedBlock(blocks: readonly Uint8Array[]): Uint8Array {
  const [first] = blocks;
  if (first === undefined) throw new Error("A lace has no packets.");
  const head = first.slice(0, BLOCK_HEAD_BYTES);
  head[3] = (head[3] ?? 0) | EBML_LACING;
  const packets = blocks.map((block) => block.subarray(BLOCK_HEAD_BYTES));
  const sizes = packets.slice(0, -1).map(({ length }, index) => {
    const before = packets[index - 1];
    // Two bytes each: a size unchanged, a difference offset by half of the range.
    const value = before === undefined ? length : length - before.length + 0x1fff;
    return Uint8Array.of(0x40 | (value >> 8), value & 0xff);
  });
  return simpleBlock(concatBytes([head, Uint8Array.of(blocks.length - 1), ...sizes, ...packets]));
}

/** The track list with the packet duration of the audio track, in nanoseconds. */
function withPacketDuration(tracks: Uint8Array, packetMs: number): Uint8Array {
  return concatBytes(
    elementsOf(tracks).map(({ id, head, content }) => {
      const isAudio = elementsOf(content).some((inner) => {
        return inner.id === EBML_IDS.trackNumber && numberOf(inner.content) === AUDIO;
      });
      if (!isAudio) return concatBytes([head, content]);
      return element(id, content, uintElement(EBML_IDS.defaultDuration, packetMs * 1_000_000));
    }),
  );
}

const PROJECTION = 0x7670;
const PROJECTION_TYPE = 0x7671;
const PROJECTION_POSE_ROLL = 0x7675;

/**
 * Changes the content of the elements of one kind in the track list. This moves the rest of the file, so the file must not contain
 * positions.
 */
export function withTrackElements(
  file: Uint8Array,
  change: (id: number, content: Uint8Array) => Uint8Array,
): Uint8Array {
  const around: ReadonlySet<number> = new Set<number>([
    EBML_IDS.segment,
    EBML_IDS.tracks,
    EBML_IDS.trackEntry,
    EBML_IDS.video,
    EBML_IDS.audio,
  ]);
  const within = (bytes: Uint8Array): Uint8Array =>
    concatBytes(
      elementsOf(bytes).flatMap(({ id, head, content }) => {
        if (around.has(id)) return [element(id, change(id, within(content)))];
        if (id === EBML_IDS.cues || id === SEEK_HEAD) return [];
        const changed = change(id, content);
        return changed === content ? [head, content] : [element(id, changed)];
      }),
    );
  return within(file);
}

/** Turns the picture (RFC 9559 §5.1.4.1.28.41). This moves the rest of the file, so the file must not contain positions. */
export function withTurn(file: Uint8Array, rollDegrees: number): Uint8Array {
  const projection = element(
    PROJECTION,
    uintElement(PROJECTION_TYPE, 0),
    floatElement(PROJECTION_POSE_ROLL, rollDegrees),
  );
  const within = (bytes: Uint8Array): Uint8Array =>
    concatBytes(
      elementsOf(bytes).flatMap(({ id, head, content }) => {
        if (id === EBML_IDS.video) return [element(id, content, projection)];
        const isAround = id === EBML_IDS.segment || id === EBML_IDS.tracks || id === EBML_IDS.trackEntry;
        if (isAround) return [element(id, within(content))];
        return id === EBML_IDS.cues || id === SEEK_HEAD ? [] : [head, content];
      }),
    );
  return within(file);
}
