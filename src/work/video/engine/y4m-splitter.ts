import { FrameSplitter } from "./frame-splitters.ts";
import type { EngineOutput } from "./engine.ts";

const FRAME_HEAD = "FRAME\n";
const MOST_HEAD_BYTES = 256;
const LINE_END = 10;

/**
 * Cuts raw 4:2:0 frames of one size out of YUV4MPEG2 as ffmpeg writes it: one line for the stream, and one without parameters
 * before each frame. A frame's bytes are valid until its promise is settled.
 */
export class Y4mSplitter implements EngineOutput {
  readonly #frames: FrameSplitter;
  #head = "";
  #isHeadOver = false;

  constructor(frameBytes: number, onFrame: (frame: Uint8Array) => Promise<void>) {
    this.#frames = new FrameSplitter(FRAME_HEAD.length + frameBytes, async (bytes) => {
      if (latin1(bytes.subarray(0, FRAME_HEAD.length)) !== FRAME_HEAD)
        throw new Error("The engine's frames do not begin where they should.");
      await onFrame(bytes.subarray(FRAME_HEAD.length));
    });
  }

  /** Whether the frames have the full range of 8 bits instead of 16 to 235 and 240. Known before the first frame is. */
  get isFullRange(): boolean {
    return this.#head.includes("XCOLORRANGE=FULL");
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.#isHeadOver) {
      await this.#frames.write(chunk);
      return;
    }
    const end = chunk.indexOf(LINE_END);
    this.#head += latin1(chunk.subarray(0, end < 0 ? MOST_HEAD_BYTES + 1 : end));
    if (this.#head.length > MOST_HEAD_BYTES) throw new Error("The engine's frames have no head.");
    if (end < 0) return;
    this.#isHeadOver = true;
    await this.#frames.write(chunk.subarray(end + 1));
  }

  close(): void {
    this.#frames.close();
  }
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
