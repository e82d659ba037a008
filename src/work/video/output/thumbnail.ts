import { thumbnailKey } from "../../../records/media/media.objects.ts";
import { SECOND_MS } from "../../../ground/platform/clock.ts";
import { errorFields, log } from "../../../ground/platform/log.ts";
import { STORAGE_RETRY, withRetry } from "../../../ground/platform/retry.ts";
import { concatBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import { packetInput, type SegmentPacket } from "../engine/engine-packets.ts";
import { engineFor } from "../engine/engine-for.ts";
import type { EngineOutput } from "../engine/engine.ts";
import type { StepContext } from "../tasks/step-context.ts";
import type { VideoPlan } from "../tasks/video-plan.ts";
import type { RenderedPackets } from "./rendered-packets.ts";

/** How many frames are searched for one that is not black. Many videos fade in. */
const MOST_FRAMES = 250;
const TIMEOUT_MS = 60 * SECOND_MS;

/**
 * Makes a thumbnail of a video's output and stores it beside the output. It shows the first frame that is not black, or else
 * the first frame. It is made from the rendered frames alone, so it shows nothing that the output hides. A video without a
 * thumbnail is still complete, so errors are only logged.
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
    const size = { width: plan.widthPixels, height: plan.heightPixels };
    await engineFor(config, setup, row).run({
      command: {
        kind: "still",
        size,
        rotationDegrees: plan.rotationDegrees,
        isFlipped: plan.isFlipped,
      },
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
    // The engine stops reading once it has the stills.
    await packets.return();
  }
}

async function* firstPackets(rendered: RenderedPackets): AsyncGenerator<SegmentPacket, void, undefined> {
  let packets = 0;
  for await (const packet of rendered.firstSegment()) {
    if (packets++ === MOST_FRAMES) return;
    yield packet;
  }
}

/** Collects a picture from the engine. It is small, so it is held as a whole. */
class StillWriter implements EngineOutput {
  readonly #chunks: Uint8Array[] = [];

  write(chunk: Uint8Array): void {
    this.#chunks.push(chunk.slice());
  }

  get bytes(): Uint8Array {
    return concatBytes(this.#chunks);
  }
}
