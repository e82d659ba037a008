import { viewOf } from "./boxes.ts";
import { EBML_IDS, numberOf, readElementHead } from "./ebml.ts";
import type { RangeReader } from "./stored-ranges.ts";
import { ContainerError } from "./track-packets.ts";

/** An element of EBML (RFC 8794 §5) and its content. */
export interface EbmlElement {
  readonly id: number;
  readonly content: Uint8Array;
  /** The whole element, head included. */
  readonly bytes: Uint8Array;
}

/** The parts of a WebM file's header that are used. */
export interface MatroskaHeader {
  /** Nanoseconds per tick. */
  readonly timestampScale: number;
  /** In ticks; undefined if the file does not declare it. */
  readonly durationTicks: number | undefined;
  readonly tracks: readonly MatroskaTrack[];
  /** The position in the file where the track entries end, in bytes. */
  readonly tracksEnd: number;
}

/** A track entry of the source. */
export interface MatroskaTrack {
  readonly number: number;
  /** 1 is video, 2 is audio (RFC 9559 §5.1.4.1.3). */
  readonly type: number;
  readonly elements: readonly EbmlElement[];
}

const LARGEST_HEAD_BYTES = 12;
/** Neither the information nor the track entries are ever this large. */
const MOST_ELEMENT_BYTES = 4 * 1024 * 1024;
const DEFAULT_TIMESTAMP_SCALE = 1_000_000;

/** Reads the header before the media of a Matroska file. @throws ContainerError */
export async function readMatroskaHeader(read: RangeReader, sizeBytes: number): Promise<MatroskaHeader> {
  let timestampScale = DEFAULT_TIMESTAMP_SCALE;
  let durationTicks: number | undefined;
  for (let at = 0; at < sizeBytes;) {
    const head = readElementHead(await read(at, Math.min(sizeBytes, at + LARGEST_HEAD_BYTES)));
    if (head === undefined) break;
    const start = at + head.headBytes;
    if (head.id === EBML_IDS.segment) {
      at = start;
      continue;
    }
    if (head.sizeBytes === undefined) break;
    if (head.id === EBML_IDS.info || head.id === EBML_IDS.tracks) {
      if (head.sizeBytes > MOST_ELEMENT_BYTES || start + head.sizeBytes > sizeBytes) break;
      const elements = elementsOf(await read(start, start + head.sizeBytes));
      if (head.id === EBML_IDS.tracks) {
        const tracksEnd = start + head.sizeBytes;
        return { timestampScale, durationTicks, tracks: tracksOf(elements), tracksEnd };
      }
      timestampScale = uintOf(elements, EBML_IDS.timestampScale) ?? DEFAULT_TIMESTAMP_SCALE;
      durationTicks = floatOf(elements, EBML_IDS.duration);
    }
    at = start + head.sizeBytes;
  }
  throw new ContainerError("The file has no track entries.");
}

function tracksOf(elements: readonly EbmlElement[]): MatroskaTrack[] {
  return elements
    .filter(({ id }) => id === EBML_IDS.trackEntry)
    .map(({ content }) => {
      const entry = elementsOf(content);
      return {
        number: uintOf(entry, EBML_IDS.trackNumber) ?? 0,
        type: uintOf(entry, EBML_IDS.trackType) ?? 0,
        elements: entry,
      };
    });
}

/** The elements that follow one another in `bytes`. */
export function elementsOf(bytes: Uint8Array): EbmlElement[] {
  const elements: EbmlElement[] = [];
  for (let at = 0; at < bytes.length;) {
    const head = readElementHead(bytes.subarray(at));
    if (head?.sizeBytes === undefined) break;
    const start = at + head.headBytes;
    const end = start + head.sizeBytes;
    if (end > bytes.length) break;
    elements.push({ id: head.id, content: bytes.subarray(start, end), bytes: bytes.subarray(at, end) });
    at = end;
  }
  return elements;
}

function uintOf(elements: readonly EbmlElement[], id: number): number | undefined {
  const found = elements.find((candidate) => candidate.id === id);
  return found === undefined ? undefined : numberOf(found.content);
}

function floatOf(elements: readonly EbmlElement[], id: number): number | undefined {
  const content = elements.find((candidate) => candidate.id === id)?.content;
  if (content?.length === 4) return viewOf(content).getFloat32(0);
  return content?.length === 8 ? viewOf(content).getFloat64(0) : undefined;
}
