import type { PixelSize } from "../../../pixels/geometry/box.ts";
import { z } from "zod";
import { GifAnimation, type GifPosition } from "../../../pixels/conversion/gif-animation.ts";
import { YuvFrame } from "../../../pixels/conversion/yuv-frame.ts";
import type { EngineInput } from "../engine/engine.ts";
import { PieceReader, PieceWriter, piecesAt } from "../../../records/video-tasks/pieces.ts";
import { findJson, putJson, workKey } from "../../../records/video-tasks/video.objects.ts";
import { framesMissing } from "../tasks/frames-missing.ts";
import { ffmpegEngine } from "../engine/ffmpeg-engine.ts";
import { IvfSplitter } from "../engine/frame-splitters.ts";
import { ENGINE_TIMEOUT_MS } from "../tasks/step-context.ts";
import type { SourceFile } from "../../../pixels/conversion/picture.ts";
import type { MediaOwnership } from "../../../records/media/media.repository.ts";
import type { VideoEnv } from "../../../ground/platform/env.ts";

/**
 * How much of an animation one invocation encodes. An invocation has five minutes of CPU time (Cloudflare Workers' limits). At
 * 35 ns per pixel, as measured on a slow core, this takes under a minute.
 */
const MOST_PIXELS = 1_500_000_000;
const MOST_FRAMES = 1_200;

const partSchema = z.object({
  sizesBytes: z.array(z.int().min(0)).min(1),
  keys: z.array(z.int().min(0)),
  delaysMs: z.array(z.int().min(1)).min(1),
  /** The folder of its frames, named after the lease that encoded them. */
  folder: z.string(),
  /** The position of the next part in the file; null after the last one. */
  nextAt: z.int().min(0).nullable(),
});

/** Consecutive encoded frames of an animation. The first is a key frame. */
export type AnimationPart = z.output<typeof partSchema>;

/** The parts of an animation that earlier invocations stored, in their order. @throws StoredDataError */
export async function findParts(bucket: R2Bucket, owned: MediaOwnership): Promise<AnimationPart[]> {
  const found: AnimationPart[] = [];
  for (;;) {
    const part = await findJson(bucket, workKey(owned, indexName(found.length)), partSchema);
    if (part === undefined) return found;
    found.push(part);
  }
}

/** The frames of a part; each is valid until the next one. @throws StoredDataError */
export async function* packetsOfPart(
  bucket: R2Bucket,
  owned: MediaOwnership,
  { sizesBytes, folder }: AnimationPart,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = new PieceReader(piecesAt(bucket, workKey(owned, `${folder}/packets`)));
  try {
    for (const sizeBytes of sizesBytes) yield await reader.read(sizeBytes);
  } finally {
    reader.close();
  }
}

/** What is needed to encode the next part. */
interface NextPart {
  readonly owned: MediaOwnership & { readonly leaseId: string };
  readonly size: PixelSize;
  readonly source: SourceFile;
  readonly before: readonly AnimationPart[];
  readonly signal: AbortSignal;
}

/**
 * Encodes and stores the next part of an animation: its frames, then the canvas where the next part continues, and last the
 * index of both.
 *
 * @throws RedactionError, EngineError, StoredDataError
 */
export async function encodePart(config: VideoEnv, next: NextPart): Promise<AnimationPart> {
  const { owned, size, source, before, signal } = next;
  const animation = await GifAnimation.open(source, await positionAfter(config.MEDIA, next));
  const folder = `convert-${before.length}-${owned.leaseId}`;
  const pieces = new PieceWriter(config.MEDIA, workKey(owned, `${folder}/packets`));
  const sizesBytes: number[] = [];
  const keys: number[] = [];
  const output = new IvfSplitter({
    onDescription: () => undefined,
    async onFrame({ isKey, data }) {
      if (isKey) keys.push(sizesBytes.length);
      sizesBytes.push(data.length);
      await pieces.write(data);
    },
  });
  const frames = new RawFrames(animation);
  try {
    await ffmpegEngine.run({
      command: { kind: "encode", size },
      inputs: { source: frames },
      outputs: { packets: output },
      signal,
      timeoutMs: ENGINE_TIMEOUT_MS,
    });
  } finally {
    output.close();
  }
  const { delaysMs, isEnd } = frames;
  if (sizesBytes.length !== delaysMs.length) throw framesMissing(sizesBytes.length, delaysMs.length);
  await pieces.finish();
  const { at, canvas } = animation.position();
  if (!isEnd) {
    const kept = new PieceWriter(config.MEDIA, workKey(owned, `${folder}/canvas`));
    await kept.write(canvas);
    await kept.finish();
  }
  const part = { sizesBytes, keys, delaysMs, folder, nextAt: isEnd ? null : at };
  await putJson(config.MEDIA, workKey(owned, indexName(before.length)), part);
  return part;
}

function indexName(part: number): string {
  return `convert-${part}.json`;
}

async function positionAfter(
  bucket: R2Bucket,
  { owned, before, size }: NextPart,
): Promise<GifPosition | undefined> {
  const last = before.at(-1);
  if (last === undefined || last.nextAt === null) return undefined;
  const reader = new PieceReader(piecesAt(bucket, workKey(owned, `${last.folder}/canvas`)));
  try {
    return { at: last.nextAt, canvas: (await reader.read(size.width * size.height * 3)).slice() };
  } finally {
    reader.close();
  }
}

/** The frames of an animation as an engine input, limited to one part. */
class RawFrames implements EngineInput {
  readonly delaysMs: number[] = [];
  readonly #animation: GifAnimation;
  readonly #frame: YuvFrame;
  readonly #mostFrames: number;
  #pending: Uint8Array = new Uint8Array(0);
  #isEnd = false;

  constructor(animation: GifAnimation) {
    const { width, height, canvas } = animation;
    this.#animation = animation;
    this.#frame = new YuvFrame(animation);
    this.#frame.update(canvas, { left: 0, top: 0, width, height });
    this.#mostFrames = Math.min(MOST_FRAMES, Math.ceil(MOST_PIXELS / (width * height)));
  }

  /** Whether the animation has no more frames. */
  get isEnd(): boolean {
    return this.#isEnd;
  }

  async read(maxBytes: number): Promise<Uint8Array> {
    if (this.#pending.length === 0 && !this.#isEnd && this.delaysMs.length < this.#mostFrames) {
      const next = await this.#animation.next();
      if (next === undefined) this.#isEnd = true;
      else {
        this.#frame.update(this.#animation.canvas, next.changed);
        this.delaysMs.push(next.delayMs);
        this.#pending = this.#frame.bytes;
      }
    }
    const piece = this.#pending.subarray(0, maxBytes);
    this.#pending = this.#pending.subarray(piece.length);
    return piece;
  }
}
