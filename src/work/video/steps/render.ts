import type { z } from "zod";
import { h264Quality } from "../engine/encoder-quality.ts";
import { engineFor } from "../engine/engine-for.ts";
import { paintedSize } from "../sampling/frame-sizes.ts";
import { FlvSplitter, IvfSplitter, type EncodedSink } from "../engine/frame-splitters.ts";
import { patchInput } from "../patches/patch-input.ts";
import { withSegmentInput } from "../engine/segment-input.ts";
import {
  ENGINE_TIMEOUT_MS,
  loadPlan,
  resultKey,
  segmentOf,
  type StepContext,
  type StepMeasures,
} from "../tasks/step-context.ts";
import { PACKET_INDEX_NAME, PACKETS_NAME, putJson } from "../../../records/video-tasks/video.objects.ts";
import type { packetIndexSchema } from "../output/rendered-packets.ts";
import { PieceWriter } from "../../../records/video-tasks/pieces.ts";
import { framesMissing } from "../tasks/frames-missing.ts";
import { areaOf } from "../tasks/video-plan.ts";
import { loadSegmentTracks } from "./segment-tracks.ts";

/** Paints a segment's regions over its frames and encodes them, one packet per frame, in presentation order. */
export async function renderSegment(context: StepContext): Promise<StepMeasures> {
  const { config, row, signal } = context;
  const plan = await loadPlan(context);
  const segment = segmentOf(context, plan);
  const { tracks, cuts } = await loadSegmentTracks(config.MEDIA, {
    accountId: row.accountId,
    mediaId: row.id,
    segment: context.task.segment,
  });
  const size = { width: plan.widthPixels, height: plan.heightPixels };
  const pieces = new PieceWriter(config.MEDIA, resultKey(context, "render", PACKETS_NAME));
  const packets = new PacketStore(pieces, segment.frames);
  const output = row.format === "webm" ? new IvfSplitter(packets) : new FlvSplitter(packets);
  const patches = tracks.length === 0 ? undefined : await patchInput(context, plan, { tracks, cuts });
  const report = await withSegmentInput(context, { plan, segment }, async (input) => {
    return await engineFor(config, plan, row).run({
      command: {
        kind: "render",
        area: areaOf(plan),
        frames: segment.frames,
        leadFrames: segment.leadFrames,
        patches: patches === undefined ? null : paintedSize(size),
        h264: row.format === "webm" ? null : h264Quality(plan),
      },
      inputs: { source: input, ...(patches === undefined ? {} : { patches }) },
      outputs: { packets: output },
      signal,
      timeoutMs: ENGINE_TIMEOUT_MS,
    });
  }).finally(() => {
    patches?.close();
    output.close();
  });
  if (packets.frames !== segment.frames) throw framesMissing(packets.frames, segment.frames);
  await putJson(config.MEDIA, resultKey(context, "render", PACKET_INDEX_NAME), await packets.finish());
  return { frames: segment.frames, tracks: tracks.length, engineMemoryBytes: report.memoryBytes };
}

class PacketStore implements EncodedSink {
  readonly #pieces: PieceWriter;
  readonly #mostFrames: number;
  readonly #sizesBytes: number[] = [];
  readonly #keys: number[] = [];
  #description: Uint8Array | undefined;

  constructor(pieces: PieceWriter, mostFrames: number) {
    this.#pieces = pieces;
    this.#mostFrames = mostFrames;
  }

  get frames(): number {
    return this.#sizesBytes.length;
  }

  onDescription(description: Uint8Array): void {
    this.#description = description.slice();
  }

  async onFrame({ isKey, data }: { isKey: boolean; data: Uint8Array }): Promise<void> {
    if (this.frames === this.#mostFrames) throw framesMissing(this.frames + 1, this.#mostFrames);
    if (isKey) this.#keys.push(this.#sizesBytes.length);
    this.#sizesBytes.push(data.length);
    await this.#pieces.write(data);
  }

  async finish(): Promise<z.input<typeof packetIndexSchema>> {
    await this.#pieces.finish();
    const sizesBytes = this.#sizesBytes;
    const keys = this.#keys;
    const description = this.#description;
    return {
      sizesBytes,
      keys,
      description: description === undefined ? null : btoa(String.fromCharCode(...description)),
    };
  }
}
