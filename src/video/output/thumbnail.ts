import { thumbnailKey } from "../../media/media.objects.ts";
import { SECOND_MS } from "../../platform/clock.ts";
import { errorFields, log } from "../../platform/log.ts";
import { STORAGE_RETRY, withRetry } from "../../platform/retry.ts";
import { concatBytes } from "../../redaction/bytes/bytes.ts";
import { decoderArguments, packetInput, type SegmentPacket } from "../engine/engine-packets.ts";
import { argumentsOf, type EngineOutput } from "../engine/engine.ts";
import { ffmpegEngine } from "../engine/ffmpeg-engine.ts";
import type { StepContext } from "../tasks/step-context.ts";
import type { VideoPlan } from "../tasks/video-plan.ts";
import type { RenderedPackets } from "./rendered-packets.ts";

/** Longer side of a small version, as of those of photos. */
const MOST_SIDE_PIXELS = 320;
/** So many frames are looked at for one that is not black: many videos fade in. */
const MOST_FRAMES = 250;
/** A frame with so many dark pixels or more shows nothing, in percent, and how bright a pixel may be that is dark, of 255. */
const BLACK_PERCENT = 90;
const DARK_LUMA = 32;
const QUALITY = 78;
const TIMEOUT_MS = 60 * SECOND_MS;

/**
 * Makes a small still version of a video's output and stores it beside it: its first frame that is not black, else its first. It is
 * made from the rendered frames alone, so it holds nothing that the output does not show. Without one a media is complete all the
 * same: what goes wrong is logged.
 */
export async function storeThumbnail(
  context: StepContext,
  { plan, rendered, isWebm }: { plan: VideoPlan; rendered: RenderedPackets; isWebm: boolean },
): Promise<void> {
  const { config, row, signal } = context;
  const owned = { accountId: row.accountId, mediaId: row.id };
  const packets = firstPackets(rendered);
  try {
    const setup = {
      codec: isWebm ? "vp8" : "avc",
      widthPixels: plan.widthPixels,
      heightPixels: plan.heightPixels,
      description: rendered.description,
    } as const;
    const first = new StillWriter();
    const lit = new StillWriter();
    await ffmpegEngine.run({
      args: stillArguments(plan),
      inputs: { source: packetInput(setup, packets) },
      outputs: { first, lit },
      signal,
      timeoutMs: TIMEOUT_MS,
    });
    const still = lit.bytes.length > 0 ? lit.bytes : first.bytes;
    if (still.length === 0) throw new Error("No frame could be shown.");
    await withRetry(STORAGE_RETRY, async () => await config.MEDIA.put(thumbnailKey(owned), still));
  } catch (error) {
    log("warn", "video_job.thumbnail_left_out", {
      requestId: row.requestId,
      mediaId: row.id,
      ...errorFields(error),
    });
  } finally {
    // The engine stops reading once it has what it wants.
    await packets.return();
  }
}

async function* firstPackets(rendered: RenderedPackets): AsyncGenerator<SegmentPacket, void, undefined> {
  let frameIndex = 0;
  for await (const packet of rendered.firstSegment()) {
    if (frameIndex === MOST_FRAMES) return;
    yield { ...packet, frameIndex };
    frameIndex += 1;
  }
}

/** A picture as the engine writes it: small, so it is kept whole. */
class StillWriter implements EngineOutput {
  readonly #chunks: Uint8Array[] = [];

  write(chunk: Uint8Array): void {
    this.#chunks.push(chunk.slice());
  }

  get bytes(): Uint8Array {
    return concatBytes(this.#chunks);
  }
}

const TURNS = {
  0: [],
  90: ["transpose=clock"],
  180: ["hflip", "vflip"],
  270: ["transpose=cclock"],
} as const satisfies Readonly<Record<VideoPlan["rotationDegrees"], readonly string[]>>;

function stillArguments(plan: VideoPlan): string[] {
  const { widthPixels, heightPixels, rotationDegrees, isFlipped } = plan;
  const share = Math.min(1, MOST_SIDE_PIXELS / Math.max(widthPixels, heightPixels));
  const [width, height] = [widthPixels, heightPixels].map((side) => Math.max(1, Math.round(side * share)));
  const shown = [
    `scale=${width}:${height}:flags=area`,
    "format=bgra",
    ...TURNS[rotationDegrees],
    ...(isFlipped ? ["hflip"] : []),
  ].join(",");
  const isLit = `blackframe=amount=0:threshold=${DARK_LUMA},metadata=mode=select:key=lavfi.blackframe.pblack:value=${BLACK_PERCENT}:function=less`;
  const still = `-frames:v 1 -fps_mode passthrough -map_metadata -1 -c:v libwebp -quality ${QUALITY} -f image2pipe`;
  return argumentsOf(
    decoderArguments(plan),
    `-filter_complex [0:v]split[a][b];[a]${shown}[first];[b]${isLit},${shown}[lit]`,
    `-map [first] ${still} {first}`,
    `-map [lit] ${still} {lit}`,
  );
}
