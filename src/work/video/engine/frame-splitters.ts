import { freeBuffer } from "../../../ground/platform/buffers.ts";
import { concatBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import type { EngineOutput } from "./engine.ts";

/** Receives what the engine writes. `close` frees its memory. */
interface Splitter extends EngineOutput {
  close(): void;
}

/** Cuts a stream into frames of one size. A frame's bytes are valid until its promise is settled. */
export class FrameSplitter implements Splitter {
  readonly #frame: Uint8Array<ArrayBuffer>;
  readonly #onFrame: (frame: Uint8Array) => Promise<void>;
  #filledBytes = 0;

  constructor(frameBytes: number, onFrame: (frame: Uint8Array) => Promise<void>) {
    this.#frame = new Uint8Array(frameBytes);
    this.#onFrame = onFrame;
  }

  async write(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length;) {
      const part = chunk.subarray(at, at + this.#frame.length - this.#filledBytes);
      this.#frame.set(part, this.#filledBytes);
      this.#filledBytes += part.length;
      at += part.length;
      if (this.#filledBytes < this.#frame.length) continue;
      this.#filledBytes = 0;
      await this.#onFrame(this.#frame);
    }
  }

  close(): void {
    freeBuffer(this.#frame);
  }
}

const FIRST_ROOM_BYTES = 64 * 1024;

/** Buffers a stream in one buffer, from which a reader takes as many bytes at a time as it wants. */
class ByteGatherer {
  #buffer = new Uint8Array(FIRST_ROOM_BYTES);
  #start = 0;
  #end = 0;
  #headBytes: number;

  /** @param headBytes how many bytes at the stream's beginning are skipped */
  constructor(headBytes = 0) {
    this.#headBytes = headBytes;
  }

  add(chunk: Uint8Array): void {
    const passed = Math.min(this.#headBytes, chunk.length);
    this.#headBytes -= passed;
    const added = chunk.subarray(passed);
    this.#makeRoom(added.length);
    this.#buffer.set(added, this.#end);
    this.#end += added.length;
  }

  /** Everything in the buffer, without removing it; valid until more is added. */
  get all(): Uint8Array {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  close(): void {
    freeBuffer(this.#buffer);
  }

  /** Removes bytes and returns them; valid until more is added. */
  take(sizeBytes: number): Uint8Array<ArrayBuffer> {
    const taken = this.#buffer.subarray(this.#start, this.#start + sizeBytes);
    this.#start += sizeBytes;
    return taken;
  }

  #makeRoom(addedBytes: number): void {
    if (this.#end + addedBytes <= this.#buffer.length) return;
    const kept = this.all;
    let roomBytes = this.#buffer.length;
    while (roomBytes < kept.length + addedBytes) roomBytes *= 2;
    const full = this.#buffer;
    if (roomBytes > full.length) this.#buffer = new Uint8Array(roomBytes);
    this.#buffer.set(kept);
    this.#end = kept.length;
    this.#start = 0;
    if (this.#buffer !== full) freeBuffer(full);
  }
}

const HEAD_END = "\r\n\r\n";
/** A picture or packet is buffered as a whole. A nearly uncompressed frame of 3840×2160 pixels has 12 MB. */
const MOST_GATHERED_BYTES = 32 * 1024 * 1024;

/**
 * Extracts pictures from a multipart stream in which each has a Content-length (ffmpeg's `mpjpeg`). The receiver owns each
 * picture and frees it.
 */
export class JpegSplitter implements Splitter {
  readonly #onJpeg: (jpeg: Uint8Array<ArrayBuffer>) => Promise<void>;
  readonly #gathered = new ByteGatherer();
  #wantedBytes: number | undefined;

  constructor(onJpeg: (jpeg: Uint8Array<ArrayBuffer>) => Promise<void>) {
    this.#onJpeg = onJpeg;
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#gathered.add(chunk);
    for (;;) {
      if (this.#wantedBytes === undefined) {
        const head = new TextDecoder("latin1").decode(this.#gathered.all.subarray(0, 256));
        const end = head.indexOf(HEAD_END);
        if (end < 0) return;
        const length = /content-length: *(\d+)/i.exec(head.slice(0, end))?.[1];
        if (length === undefined) throw new Error("The engine's pictures have no lengths.");
        this.#gathered.take(end + HEAD_END.length);
        this.#wantedBytes = heldBytes(Number(length));
      }
      if (this.#gathered.all.length < this.#wantedBytes) return;
      const jpeg = this.#gathered.take(this.#wantedBytes).slice();
      this.#wantedBytes = undefined;
      await this.#onJpeg(jpeg);
    }
  }

  close(): void {
    this.#gathered.close();
  }
}

/** Returns a size that fits the buffer. @throws when it is larger */
function heldBytes(sizeBytes: number): number {
  if (sizeBytes <= MOST_GATHERED_BYTES) return sizeBytes;
  throw new Error(`The engine's output has a part of ${sizeBytes} bytes.`);
}

/** A packet from an encoder. */
interface EncodedFrame {
  readonly isKey: boolean;
  readonly data: Uint8Array;
}

/** Splits an encoder's output into packets. */
abstract class PacketSplitter implements Splitter {
  readonly #gathered: ByteGatherer;

  /** @param headBytes how many bytes precede the first packet */
  constructor(headBytes: number) {
    this.#gathered = new ByteGatherer(headBytes);
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#gathered.add(chunk);
    for (;;) {
      const { all } = this.#gathered;
      const sizeBytes = this.sizeOfFirst(all);
      if (sizeBytes === undefined || all.length < heldBytes(sizeBytes)) return;
      await this.onPacket(this.#gathered.take(sizeBytes));
    }
  }

  close(): void {
    this.#gathered.close();
  }

  /** Size of the first packet in bytes, framing included; undefined until its head has arrived. */
  protected abstract sizeOfFirst(bytes: Uint8Array): number | undefined;

  /** @param packet with its framing; valid until the promise settles */
  protected abstract onPacket(packet: Uint8Array): Promise<void>;
}

/** Receives the output of the render's encoder. Bytes are valid until the call completes. */
export interface EncodedSink {
  /** The decoder configuration (ISO/IEC 14496-15 §5.3.3.1), which comes before the first frame. VP8 has none. */
  onDescription(description: Uint8Array): void;
  onFrame(frame: EncodedFrame): Promise<void>;
}

const FLV_HEAD_BYTES = 13;
const FLV_TAG_HEAD_BYTES = 11;
/** Each tag is followed by its size. */
const FLV_TAG_END_BYTES = 4;
const FLV_VIDEO = 9;
const AVC_DESCRIPTION = 0;
const AVC_FRAME = 1;
/** Supplemental enhancement information, where an encoder writes its settings (ITU-T H.264 table 7-1). */
const NAL_SEI = 6;

/** Extracts H.264 packets from a Flash Video stream (Adobe Flash Video File Format 10.1, annex E). */
export class FlvSplitter extends PacketSplitter {
  readonly #sink: EncodedSink;

  constructor(sink: EncodedSink) {
    super(FLV_HEAD_BYTES);
    this.#sink = sink;
  }

  protected sizeOfFirst(bytes: Uint8Array): number | undefined {
    if (bytes.length < FLV_TAG_HEAD_BYTES) return undefined;
    const sizeBytes = ((bytes[1] ?? 0) << 16) | ((bytes[2] ?? 0) << 8) | (bytes[3] ?? 0);
    return FLV_TAG_HEAD_BYTES + sizeBytes + FLV_TAG_END_BYTES;
  }

  protected async onPacket(tag: Uint8Array): Promise<void> {
    if (tag[0] !== FLV_VIDEO) return;
    const body = tag.subarray(FLV_TAG_HEAD_BYTES, tag.length - FLV_TAG_END_BYTES);
    const data = body.subarray(5);
    if (body[1] === AVC_DESCRIPTION) this.#sink.onDescription(data);
    if (body[1] === AVC_FRAME && data.length > 0) {
      await this.#sink.onFrame({ isKey: (body[0] ?? 0) >> 4 === 1, data: withoutSei(data) });
    }
  }
}

/** Drops the SEI units from a packet of NAL units with four-byte lengths. */
function withoutSei(data: Uint8Array): Uint8Array {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const kept: Uint8Array[] = [];
  for (let at = 0; at + 4 < data.length;) {
    const end = at + 4 + view.getUint32(at);
    if (((data[at + 4] ?? 0) & 0x1f) !== NAL_SEI) kept.push(data.subarray(at, end));
    at = end;
  }
  const keptBytes = kept.reduce((sum, { length }) => sum + length, 0);
  return keptBytes === data.length ? data : concatBytes(kept);
}

const IVF_HEAD_BYTES = 32;
const IVF_FRAME_HEAD_BYTES = 12;

/** Extracts VP8 packets from an IVF stream. The lowest bit of a key frame is 0 (RFC 6386 §9.1). */
export class IvfSplitter extends PacketSplitter {
  readonly #sink: EncodedSink;

  constructor(sink: EncodedSink) {
    super(IVF_HEAD_BYTES);
    this.#sink = sink;
  }

  protected sizeOfFirst(bytes: Uint8Array): number | undefined {
    if (bytes.length < IVF_FRAME_HEAD_BYTES) return undefined;
    return IVF_FRAME_HEAD_BYTES + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  }

  protected async onPacket(packet: Uint8Array): Promise<void> {
    const data = packet.subarray(IVF_FRAME_HEAD_BYTES);
    await this.#sink.onFrame({ isKey: ((data[0] ?? 1) & 1) === 0, data });
  }
}
