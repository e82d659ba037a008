import { freeBuffer } from "../../../ground/platform/buffers.ts";
import { concatBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import { EBML_IDS, element, elementHead, openElement, textElement, uintElement } from "../containers/ebml.ts";
import type { EngineInput } from "./engine.ts";
import { ENGINE_FRAME_RATE } from "./engine-commands.ts";
import type { VideoPlan } from "../tasks/video-plan.ts";

/** A packet of a segment in decode order, and the index of its frame among the decoded frames. */
export interface SegmentPacket {
  readonly frameIndex: number;
  readonly isKey: boolean;
  readonly data: Uint8Array;
}

/** The decoder's configuration before the first packet: the container's codec description, if there is one. */
export interface CodecSetup {
  readonly codec: VideoPlan["codec"];
  readonly widthPixels: number;
  readonly heightPixels: number;
  readonly description: Uint8Array | undefined;
}

const ENGINE_FRAME_MS = 1000 / ENGINE_FRAME_RATE;

/** With this unit, the stream itself defines the pixel aspect ratio (RFC 9559 §5.1.4.1.28.14). */
const DISPLAY_UNIT_UNKNOWN = 4;

const CODEC_IDS: Readonly<Record<VideoPlan["codec"], string>> = {
  avc: "V_MPEG4/ISO/AVC",
  hevc: "V_MPEGH/ISO/HEVC",
  vp8: "V_VP8",
  vp9: "V_VP9",
  av1: "V_AV1",
  mjpeg: "V_MJPEG",
  mpeg4: "V_MPEG4/ISO/ASP",
};

/** Passes packets to the engine as a Matroska stream (RFC 9559), one cluster per packet. */
export function packetInput(setup: CodecSetup, packets: AsyncIterator<SegmentPacket>): EngineInput {
  let pending: readonly Uint8Array[] = [matroskaHead(setup)];
  let packet = new Uint8Array(0) as Uint8Array;
  return {
    async read(maxBytes) {
      while (pending.length === 0) {
        freePacket(packet);
        const next = await packets.next();
        if (next.done === true) return new Uint8Array(0);
        packet = next.value.data;
        pending = cluster(next.value);
      }
      const [first = new Uint8Array(0), ...others] = pending;
      const piece = first.subarray(0, maxBytes);
      pending = piece.length < first.length ? [first.subarray(piece.length), ...others] : others;
      return piece;
    },
  };
}

function matroskaHead({ codec, widthPixels, heightPixels, description }: CodecSetup): Uint8Array {
  const video = element(
    EBML_IDS.video,
    uintElement(EBML_IDS.pixelWidth, widthPixels),
    uintElement(EBML_IDS.pixelHeight, heightPixels),
    uintElement(EBML_IDS.displayUnit, DISPLAY_UNIT_UNKNOWN),
  );
  const track = element(
    EBML_IDS.trackEntry,
    uintElement(EBML_IDS.trackNumber, 1),
    uintElement(EBML_IDS.trackUid, 1),
    uintElement(EBML_IDS.trackType, 1),
    textElement(EBML_IDS.codecId, CODEC_IDS[codec]),
    // Without this, the stream's own rate decides how long the last frame lasts, and a frame that is too short is dropped.
    uintElement(EBML_IDS.defaultDuration, ENGINE_FRAME_MS * 1_000_000),
    ...(description === undefined ? [] : [element(EBML_IDS.codecPrivate, description)]),
    video,
  );
  return concatBytes([
    element(
      EBML_IDS.ebml,
      textElement(EBML_IDS.docType, "matroska"),
      uintElement(EBML_IDS.docTypeVersion, 4),
      uintElement(EBML_IDS.docTypeReadVersion, 2),
    ),
    openElement(EBML_IDS.segment),
    element(EBML_IDS.info, uintElement(EBML_IDS.timestampScale, 1_000_000)),
    element(EBML_IDS.tracks, track),
  ]);
}

/** Frees a packet's bytes if they have a buffer of their own. Other packets share a buffer with packets that are still to come. */
export function freePacket(packet: Uint8Array): void {
  const { buffer } = packet;
  const isAlone = buffer instanceof ArrayBuffer && buffer.byteLength === packet.length;
  if (isAlone && !buffer.detached) freeBuffer(new Uint8Array(buffer));
}

/** The packet's data is a separate part, because packets are large and are not copied. */
function cluster({ frameIndex, isKey, data }: SegmentPacket): Uint8Array[] {
  const time = uintElement(EBML_IDS.timestamp, frameIndex * ENGINE_FRAME_MS);
  // Track number 1, a time offset of 0 within the cluster, and the key frame flag.
  const blockHead = Uint8Array.of(0x81, 0, 0, isKey ? 0x80 : 0);
  const block = elementHead(EBML_IDS.simpleBlock, blockHead.length + data.length);
  const contentBytes = time.length + block.length + blockHead.length + data.length;
  const head = concatBytes([elementHead(EBML_IDS.cluster, contentBytes), time, block, blockHead]);
  return data.length > 0 ? [head, data] : [head];
}
