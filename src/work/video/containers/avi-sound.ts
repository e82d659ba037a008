import { concatBytes, textBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import type { AviStream } from "./avi-reader.ts";
import { box, fullBox, u16, u32, viewOf } from "./boxes.ts";

/** An AVI's audio as an MP4 describes it. */
export interface AviSound {
  readonly samplesPerSecond: number;
  /** Content of the sample description box. */
  readonly stsd: Uint8Array;
  /** Bytes of one PCM frame (one sample of every channel); undefined for compressed audio. */
  readonly frameBytes: number | undefined;
  /** Whether every chunk must begin with an MPEG audio frame header. */
  readonly isMpeg: boolean;
}

const PCM = 1;
const MP3 = 0x55;
const AAC = 0xff;
/** The format tag of WAVEFORMATEXTENSIBLE, whose extension holds the actual format. */
const EXTENSIBLE = 0xfffe;
const FORMAT_BYTES = 16;
const EXTENSION_AT = 18;
const SUBFORMAT_AT = 24;
const MOST_CHANNELS = 8;
const MOST_RATE = 192_000;

/** Returns the audio codec of an AVI if an MP4 can hold it: 16-, 24- or 32-bit PCM, MP3, or AAC. Undefined for all others. */
export function aviSound({ format }: AviStream): AviSound | undefined {
  if (format.length < FORMAT_BYTES) return undefined;
  const view = viewOf(format);
  const declared = view.getUint16(0, true);
  const isExtended = declared === EXTENSIBLE && format.length >= SUBFORMAT_AT + 2;
  const tag = isExtended ? view.getUint16(SUBFORMAT_AT, true) : declared;
  const channels = view.getUint16(2, true);
  const samplesPerSecond = view.getUint32(4, true);
  const bits = view.getUint16(14, true);
  if (channels === 0 || channels > MOST_CHANNELS || samplesPerSecond === 0 || samplesPerSecond > MOST_RATE)
    return undefined;
  const entry = (type: string, ...boxes: Uint8Array[]): Uint8Array => {
    const fields = [u16(0, 0, 0, 1), u32(0, 0), u16(channels, tag === PCM ? bits : 16, 0, 0)];
    // The rate is a 16.16 number. A rate above 65,535 is only in the codec's configuration.
    fields.push(u32(samplesPerSecond > 0xffff ? 0 : samplesPerSecond * 0x10000));
    return concatBytes([u32(0, 1), box(type, ...fields, ...boxes)]);
  };
  if (tag === PCM && [16, 24, 32].includes(bits)) {
    const stsd = entry("ipcm", fullBox("pcmC", {}, Uint8Array.of(1, bits)));
    return { samplesPerSecond, stsd, frameBytes: (bits / 8) * channels, isMpeg: false };
  }
  if (tag === MP3)
    return { samplesPerSecond, stsd: entry("mp4a", esds(0x6b)), frameBytes: undefined, isMpeg: true };
  const setup = format.subarray(EXTENSION_AT);
  if (tag !== AAC || setup.length < 2 || setup.length > 64) return undefined;
  return { samplesPerSecond, stsd: entry("mp4a", esds(0x40, setup)), frameBytes: undefined, isMpeg: false };
}

/** An elementary stream descriptor (ISO/IEC 14496-1 §7.2.6.5). */
function esds(objectType: number, setup?: Uint8Array): Uint8Array {
  const specific = setup === undefined ? new Uint8Array(0) : descriptor(5, setup);
  const config = descriptor(4, Uint8Array.of(objectType, 0x15, 0, 0, 0), u32(0, 0), specific);
  return fullBox(
    "esds",
    {},
    descriptor(3, u16(0), Uint8Array.of(0), config, descriptor(6, Uint8Array.of(2))),
  );
}

function descriptor(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  const bytes = concatBytes(content);
  return concatBytes([Uint8Array.of(tag, bytes.length), bytes]);
}

/** Whether bytes begin with the header of an MPEG audio frame (ISO/IEC 11172-3 §2.4.1.3). */
export function beginsMpegFrame(bytes: Uint8Array): boolean {
  return bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0;
}

/** The four-character code of a stream's video codec, from its format or else from its handler. */
export function pictureCode({ format, handler }: AviStream): string {
  const code = String.fromCharCode(...format.subarray(16, 20)).toUpperCase();
  return textBytes(code).every((byte) => byte > 0x20) ? code : handler.toUpperCase();
}
