import { concatBytes, textBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import { aacSetup } from "./aac-setup.ts";
import { bounded } from "./bounded-numbers.ts";
import { box, boxesOf, fullBox, u16, u32, viewOf, type ContainerBox } from "./boxes.ts";
import {
  alacSetup,
  flacSetup,
  MOST_BITS_PER_SECOND,
  MOST_RATE,
  opusBox,
  opusHead,
  vorbisSetup,
} from "./codec-setups.ts";

type Rewrite = (content: Uint8Array, entryType: string) => Uint8Array | undefined;

/** Rewrites a box of an audio sample entry. Returns undefined if its type or its content is unknown. */
export function rewrittenSoundBox(
  { type, content }: ContainerBox,
  entryType: string,
): Uint8Array | undefined {
  return REWRITES.get(type)?.(content, entryType);
}

const REWRITES: ReadonlyMap<string, Rewrite> = new Map<string, Rewrite>([
  ["esds", rewrittenEsds],
  ["dOps", (content) => boxOf("dOps", opusBox(content))],
  ["dfLa", (content) => fullBoxOf("dfLa", flacSetup(content.subarray(4)))],
  ["alac", (content) => fullBoxOf("alac", alacSetup(content.subarray(4)))],
  ["dac3", (content) => (content.length < 3 ? undefined : box("dac3", content.subarray(0, 3)))],
  ["dec3", rewrittenEac3],
  ["ddts", rewrittenDts],
  ["damr", (content) => (content.length < 9 ? undefined : box("damr", u32(0), content.subarray(4, 9)))],
  ["pcmC", (content) => (content.length < 6 ? undefined : fullBox("pcmC", {}, content.subarray(4, 6)))],
  ["srat", (content) => numberBox("srat", content, MOST_RATE)],
  ["enda", (content) => box("enda", u16(content.length < 2 ? 0 : bounded(viewOf(content).getUint16(0), 1)))],
  ["chan", rewrittenChannels],
  ["wave", rewrittenWave],
]);

function boxOf(type: string, content: Uint8Array | undefined): Uint8Array | undefined {
  return content === undefined ? undefined : box(type, content);
}

function fullBoxOf(type: string, content: Uint8Array | undefined): Uint8Array | undefined {
  return content === undefined ? undefined : fullBox(type, {}, content);
}

function numberBox(type: string, content: Uint8Array, most: number): Uint8Array | undefined {
  return content.length < 8 ? undefined : fullBox(type, {}, u32(bounded(viewOf(content).getUint32(4), most)));
}

const STREAM = 3;
const CONFIG = 4;
const SPECIFIC = 5;
const SYNC = 6;
const STREAM_DEPENDENCE = 0x80;
const STREAM_URL = 0x40;
const STREAM_CLOCK = 0x20;
const CONFIG_BYTES = 13;
const AUDIO_STREAM = 0x15;
/** Object types (registered at mp4ra.org) that need a decoder configuration, and those that need none. */
const SETUPS: ReadonlyMap<number, (bytes: Uint8Array) => Uint8Array | undefined> = new Map([
  [0x40, aacSetup],
  [0x66, aacSetup],
  [0x67, aacSetup],
  [0x68, aacSetup],
  [0xdd, vorbisSetup],
  [0xad, opusHead],
]);
const WITHOUT_SETUP: ReadonlySet<number> = new Set([0x69, 0x6b, 0xa5, 0xa6, 0xa9]);

/** Rewrites an elementary stream descriptor (ISO/IEC 14496-1 §7.2.6.5) and keeps only the decoder's part. */
function rewrittenEsds(content: Uint8Array): Uint8Array | undefined {
  const stream = descriptorsOf(content.subarray(4)).find(({ tag }) => tag === STREAM)?.content;
  if (stream === undefined || stream.length < 3) return undefined;
  const flags = stream[2] ?? 0;
  const skipped =
    3 +
    ((flags & STREAM_DEPENDENCE) === 0 ? 0 : 2) +
    ((flags & STREAM_URL) === 0 ? 0 : 1 + (stream[3] ?? 0)) +
    ((flags & STREAM_CLOCK) === 0 ? 0 : 2);
  const config = descriptorsOf(stream.subarray(skipped)).find(({ tag }) => tag === CONFIG)?.content;
  if (config === undefined || config.length < CONFIG_BYTES) return undefined;
  const objectType = config[0] ?? 0;
  const rewrite = SETUPS.get(objectType);
  const declared = descriptorsOf(config.subarray(CONFIG_BYTES)).find(({ tag }) => tag === SPECIFIC)?.content;
  const setup = declared === undefined ? undefined : rewrite?.(declared);
  if (setup === undefined && !WITHOUT_SETUP.has(objectType)) return undefined;
  const view = viewOf(config);
  const [most, average] = [5, 9].map((at) => bounded(view.getUint32(at), MOST_BITS_PER_SECOND));
  const decoder = descriptor(
    CONFIG,
    Uint8Array.of(objectType, AUDIO_STREAM, 0, 0, 0),
    u32(most ?? 0, average ?? 0),
    setup === undefined ? new Uint8Array(0) : descriptor(SPECIFIC, setup),
  );
  return fullBox(
    "esds",
    {},
    descriptor(STREAM, u16(0), Uint8Array.of(0), decoder, descriptor(SYNC, Uint8Array.of(2))),
  );
}

const MOST_LENGTH_BYTES = 4;

/** The descriptors that follow one another (ISO/IEC 14496-1 §8.3.3). A truncated one ends the list. */
function descriptorsOf(bytes: Uint8Array): { tag: number; content: Uint8Array }[] {
  const found: { tag: number; content: Uint8Array }[] = [];
  for (let at = 0; at + 2 <= bytes.length;) {
    const tag = bytes[at++] ?? 0;
    let sizeBytes = 0;
    for (let read = 0; read < MOST_LENGTH_BYTES; read++) {
      const part = bytes[at++] ?? 0;
      sizeBytes = sizeBytes * 128 + (part & 0x7f);
      if (part < 0x80) break;
    }
    if (at + sizeBytes > bytes.length) break;
    found.push({ tag, content: bytes.subarray(at, at + sizeBytes) });
    at += sizeBytes;
  }
  return found;
}

/** Sizes take four bytes, because a Vorbis configuration has thousands of bytes. */
function descriptor(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  const bytes = concatBytes(content);
  const { length } = bytes;
  const size = [21, 14, 7].map((shift) => 0x80 | ((length >> shift) & 0x7f));
  return concatBytes([Uint8Array.of(tag, ...size, length & 0x7f), bytes]);
}

/**
 * Rewrites the configuration of Enhanced AC-3 (ETSI TS 102 366, F.6): a bit rate, and three or four bytes for each of up to
 * eight streams.
 */
function rewrittenEac3(content: Uint8Array): Uint8Array | undefined {
  const streams = ((content[1] ?? 0) & 7) + 1;
  let end = 2;
  for (let stream = 0; stream < streams; stream++) end += ((content[end + 2] ?? 0) & 0x1e) === 0 ? 3 : 4;
  // Two more bytes may describe object-based audio.
  if (content.length >= end + 2 && content[end] === 1) end += 2;
  return content.length < end ? undefined : box("dec3", content.subarray(0, end));
}

const DTS_BYTES = 20;

/** Rewrites the configuration of DTS (ETSI TS 102 114, E.2.2.3): a sample rate, two bit rates, and the stream's layout. */
function rewrittenDts(content: Uint8Array): Uint8Array | undefined {
  if (content.length < DTS_BYTES) return undefined;
  const view = viewOf(content);
  const numbers = [0, 4, 8].map((at) => bounded(view.getUint32(at), MOST_BITS_PER_SECOND));
  return box("ddts", u32(...numbers), content.subarray(12, DTS_BYTES));
}

const LABEL_BYTES = 20;
const MOST_LABELS = 64;
const MOST_LABEL = 0xffff;
/** A layout holds its number in the upper half and its channel count in the lower half. */
const MOST_LAYOUT = 0x00ff_ffff;
const MOST_BITMAP = 0x07ff_ffff;

/** Rewrites QuickTime's channel layout (QuickTime File Format, "Audio channel layout"): labels without coordinates. */
function rewrittenChannels(content: Uint8Array): Uint8Array | undefined {
  if (content.length < 16) return undefined;
  const view = viewOf(content);
  const count = view.getUint32(12);
  if (count > MOST_LABELS || content.length < 16 + count * LABEL_BYTES) return undefined;
  const layout = bounded(view.getUint32(4), MOST_LAYOUT);
  const bitmap = bounded(view.getUint32(8), MOST_BITMAP);
  const labels = Array.from({ length: count }, (_, index) =>
    u32(bounded(view.getUint32(16 + index * LABEL_BYTES), MOST_LABEL), 0, 0, 0, 0),
  );
  return fullBox("chan", {}, u32(layout, bitmap, count), ...labels);
}

/**
 * Rewrites QuickTime's box of decoder parameters (QuickTime File Format, "Sound sample description extensions"), which an empty
 * box ends.
 */
function rewrittenWave(content: Uint8Array, entryType: string): Uint8Array {
  const inner = boxesOf(content).flatMap((child) => {
    const rewritten = child.type === "wave" ? undefined : rewrittenSoundBox(child, entryType);
    return rewritten === undefined ? [] : [rewritten];
  });
  const marker = entryType === "mp4a" ? [box("mp4a", u32(0))] : [];
  return box("wave", box("frma", textBytes(entryType)), ...marker, ...inner, u32(8, 0));
}
