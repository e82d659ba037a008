import type { z } from "zod";
import { h264Quality } from "../engine/encoder-quality.ts";
import { decoderArguments, ENGINE_FRAME_RATE, segmentFilters } from "../engine/engine-packets.ts";
import { argumentsOf } from "../engine/engine.ts";
import { ffmpegEngine } from "../engine/ffmpeg-engine.ts";
import { FlvSplitter, IvfSplitter, type EncodedSink } from "../engine/frame-splitters.ts";
import { patchInput } from "../patches/patch-input.ts";
import type { VideoPlan, VideoSegment } from "../tasks/video-plan.ts";
import { withSegmentInput } from "../engine/segment-input.ts";
import {
  ENGINE_TIMEOUT_MS,
  loadPlan,
  resultKey,
  segmentOf,
  type StepContext,
  type StepMeasures,
} from "../tasks/step-context.ts";
import { PACKET_INDEX_NAME, PACKETS_NAME, putJson } from "../tasks/video.objects.ts";
import type { packetIndexSchema } from "../output/rendered-packets.ts";
import { PieceWriter } from "../tasks/pieces.ts";
import { framesMissing } from "../tasks/frames-missing.ts";
import { loadSegmentTracks } from "./segment-tracks.ts";

/** Paints a segment's regions over its frames and encodes them anew, one packet a frame, in the order they are shown. */
export async function renderSegment(context: StepContext): Promise<StepMeasures> {
  const { config, row, signal } = context;
  const plan = await loadPlan(context);
  const segment = segmentOf(context, plan);
  const { tracks, cuts } = await loadSegmentTracks(config.MEDIA, {
    accountId: row.accountId,
    mediaId: row.id,
    segment: context.task.segment,
  });
  const packets = new PacketStore(new PieceWriter(config.MEDIA, resultKey(context, "render", PACKETS_NAME)));
  const output = row.format === "webm" ? new IvfSplitter(packets) : new FlvSplitter(packets);
  const patches = tracks.length === 0 ? undefined : await patchInput(context, plan, { tracks, cuts });
  const report = await withSegmentInput(context, { plan, segment }, async (input) => {
    return await ffmpegEngine.run({
      args: renderArguments({
        plan,
        segment,
        hasPatches: patches !== undefined,
        isWebm: row.format === "webm",
      }),
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
  readonly #sizesBytes: number[] = [];
  readonly #keys: number[] = [];
  #description: Uint8Array | undefined;

  constructor(pieces: PieceWriter) {
    this.#pieces = pieces;
  }

  get frames(): number {
    return this.#sizesBytes.length;
  }

  onDescription(description: Uint8Array): void {
    this.#description = description.slice();
  }

  async onFrame({ isKey, data }: { isKey: boolean; data: Uint8Array }): Promise<void> {
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

/** Constant quality of the encoder for VP8. */
const VP8_CRF = 8;
const VP8_MOST_BITS_PER_SECOND = 20_000_000;

function renderArguments(options: {
  plan: VideoPlan;
  segment: VideoSegment;
  hasPatches: boolean;
  isWebm: boolean;
}): string[] {
  const { plan, segment, hasPatches, isWebm } = options;
  const { widthPixels, heightPixels } = plan;
  const rate = ENGINE_FRAME_RATE;
  // H.264 has no odd sizes where chroma is halved (ITU-T H.264 table 6-1), so such a source is not 4:2:0 either.
  const isOdd = !isWebm && (widthPixels % 2 === 1 || heightPixels % 2 === 1);
  const sampling = isOdd ? "444" : "420";
  // Frames of another size than the container told would not lie under their patches.
  const main = `[0:v]scale=${widthPixels}:${heightPixels},${segmentFilters(segment)},format=yuv${sampling}p|yuvj${sampling}p`;
  const patches = `-f rawvideo -pix_fmt yuva420p -s ${widthPixels}x${heightPixels} -r ${rate} -i {patches}`;
  const vp8 = `-c:v libvpx -deadline realtime -cpu-used 8 -auto-alt-ref 0 -lag-in-frames 0 -crf ${VP8_CRF} -b:v ${VP8_MOST_BITS_PER_SECOND} -f ivf`;
  const { quantiser, isArithmetic } = h264Quality(plan);
  const h264 = `-c:v libx264 -preset ultrafast -qp ${quantiser} -bf 0 -x264-params scenecut=0:cabac=${isArithmetic ? 1 : 0}:threads=1 -f flv -flvflags no_duration_filesize+no_metadata+no_sequence_end`;
  return argumentsOf(
    decoderArguments(plan),
    ...(hasPatches ? [patches] : []),
    `-filter_complex ${hasPatches ? `${main}[m];[m][1:v]overlay=format=yuv${sampling}[out]` : `${main}[out]`}`,
    `-map [out] -fps_mode passthrough -frames:v ${segment.frames} -map_metadata -1 -g ${segment.frames}`,
    isWebm ? vp8 : h264,
    "{packets}",
  );
}
