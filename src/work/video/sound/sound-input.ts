import type { EncodedPacket } from "mediabunny";
import { concatBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import {
  EBML_IDS,
  element,
  elementHead,
  floatElement,
  openElement,
  textElement,
  uintElement,
} from "../containers/ebml.ts";
import type { EngineInput } from "../engine/engine.ts";
import { pcmFormat, type PcmFormat } from "./pcm-samples.ts";
import type { SoundConfiguration } from "./track-configuration.ts";

/** The codec IDs of Matroska (https://www.matroska.org/technical/codec_specs.html). Uncompressed audio is passed on as 16 bits. */
const CODEC_IDS: ReadonlyMap<string, string> = new Map([
  ["aac", "A_AAC"],
  ["mp3", "A_MPEG/L3"],
  ["opus", "A_OPUS"],
  ["vorbis", "A_VORBIS"],
  ["flac", "A_FLAC"],
  ["ac3", "A_AC3"],
  ["eac3", "A_EAC3"],
]);
const PCM_ID = "A_PCM/INT/LIT";
const PCM_BITS = 16;
const PCM_SCALE = 32_767;

const SCALE_NANOSECONDS = 1000;
const TICKS_PER_SECOND = 1_000_000;
const AUDIO = 2;

/** Whether the engine decodes a track. */
export function isDecodable({ codec, channels }: SoundConfiguration): boolean {
  return channels > 0 && (CODEC_IDS.has(codec ?? "") || pcmFormat(codec) !== undefined);
}

/** Passes packets of a decodable track to the engine as a Matroska stream that begins at `fromSeconds`. */
export function soundInput(
  configuration: SoundConfiguration,
  packets: AsyncIterator<EncodedPacket, unknown>,
  fromSeconds: number,
): EngineInput {
  const format = pcmFormat(configuration.codec);
  let pending = head(configuration, format);
  return {
    async read(maxBytes) {
      while (pending.length === 0) {
        const next = await packets.next();
        if (next.done === true) return new Uint8Array(0);
        const { data, timestamp } = next.value;
        const ticks = Math.max(0, Math.round((timestamp - fromSeconds) * TICKS_PER_SECOND));
        pending = cluster(ticks, format === undefined ? data : sixteenBits(data, format));
      }
      const piece = pending.subarray(0, maxBytes);
      pending = pending.subarray(piece.length);
      return piece;
    },
  };
}

function head(
  { codec = "", samplesPerSecond, channels, description }: SoundConfiguration,
  format: PcmFormat | undefined,
): Uint8Array {
  const bits = format === undefined ? [] : [uintElement(EBML_IDS.bitDepth, PCM_BITS)];
  const track = element(
    EBML_IDS.trackEntry,
    uintElement(EBML_IDS.trackNumber, 1),
    uintElement(EBML_IDS.trackUid, 1),
    uintElement(EBML_IDS.trackType, AUDIO),
    textElement(EBML_IDS.codecId, format === undefined ? (CODEC_IDS.get(codec) ?? "") : PCM_ID),
    ...(description === undefined || format !== undefined
      ? []
      : [element(EBML_IDS.codecPrivate, description)]),
    element(
      EBML_IDS.audio,
      floatElement(EBML_IDS.samplingFrequency, samplesPerSecond),
      uintElement(EBML_IDS.channels, channels),
      ...bits,
    ),
  );
  return concatBytes([
    element(
      EBML_IDS.ebml,
      textElement(EBML_IDS.docType, "matroska"),
      uintElement(EBML_IDS.docTypeVersion, 4),
      uintElement(EBML_IDS.docTypeReadVersion, 2),
    ),
    openElement(EBML_IDS.segment),
    element(EBML_IDS.info, uintElement(EBML_IDS.timestampScale, SCALE_NANOSECONDS)),
    element(EBML_IDS.tracks, track),
  ]);
}

/** A packet in a cluster of its own. */
function cluster(ticks: number, data: Uint8Array): Uint8Array {
  const time = uintElement(EBML_IDS.timestamp, ticks);
  // Track number 1, a time offset of 0 within the cluster, and the flag of a key frame.
  const blockHead = Uint8Array.of(0x81, 0, 0, 0x80);
  const block = elementHead(EBML_IDS.simpleBlock, blockHead.length + data.length);
  const contentBytes = time.length + block.length + blockHead.length + data.length;
  return concatBytes([elementHead(EBML_IDS.cluster, contentBytes), time, block, blockHead, data]);
}

function sixteenBits(data: Uint8Array, format: PcmFormat): Uint8Array {
  const samples = Math.floor(data.length / format.bytes);
  const source = new DataView(data.buffer, data.byteOffset, data.length);
  const written = new DataView(new ArrayBuffer(samples * 2));
  for (let index = 0; index < samples; index++) {
    const value = Math.max(-1, Math.min(1, format.read(source, index * format.bytes)));
    written.setInt16(index * 2, Math.round(value * PCM_SCALE), true);
  }
  return new Uint8Array(written.buffer);
}
