import type { InputVideoTrack } from "mediabunny";
import { outputKey, sourceKey } from "../../../records/media/media.objects.ts";
import { openSource, type StoredContainer } from "../containers/open-container.ts";
import { objectRanges } from "../containers/stored-ranges.ts";
import { codecSetupOf, segmentPackets } from "./segment-packets.ts";
import { outputPackets } from "./output-packets.ts";
import { packetInput, type CodecSetup, type SegmentPacket } from "./engine-packets.ts";
import type { EngineInput } from "./engine.ts";
import type { VideoPlan, VideoSegment } from "../tasks/video-plan.ts";
import type { StepContext } from "../tasks/step-context.ts";
import { JobError } from "../../../ground/platform/job-error.ts";

interface StoredVideo {
  readonly key: string;
  readonly sizeBytes: number;
}

/** A file that no step is reading at the moment, and how often it has been read. */
interface RestingContainer extends StoredVideo {
  readonly container: StoredContainer;
  readonly uses: number;
}

/**
 * The container that the last segment was read from. The sample positions of half an hour take eight megabytes. Without this,
 * each segment would allocate them again and leave them to the garbage collector.
 */
let resting: RestingContainer | undefined;
/** Some containers store frame positions part by part, and each part read stays in memory. A container is reused at most this often. */
const MOST_USES = 32;

type Packets = AsyncGenerator<SegmentPacket, void, undefined>;

/** Opens the source at a segment's packets, as the engine reads them. If `use` succeeds, the container is kept for the next segment. */
export async function withSegmentInput<T>(
  context: StepContext,
  part: { plan: VideoPlan; segment: VideoSegment },
  use: (input: EngineInput, setup: CodecSetup) => Promise<T>,
): Promise<T> {
  return await withSegmentPackets(context, part, async (packets, setup) => {
    return await use(packetInput(setup, packets), setup);
  });
}

/** Opens the source at a segment's packets, in decode order, as {@link withSegmentInput} does. */
export async function withSegmentPackets<T>(
  { config, row, order }: StepContext,
  { plan, segment }: { plan: VideoPlan; segment: VideoSegment },
  use: (packets: Packets, setup: CodecSetup) => Promise<T>,
): Promise<T> {
  const stored = { key: sourceKey(order.source), sizeBytes: plan.storedBytes ?? row.fileSizeBytes };
  return await withTrack(config.MEDIA, stored, async (track) => {
    const setup = await codecSetupOf(track, plan);
    return await withPackets(segmentPackets(track, plan, segment), async (packets) => {
      return await use(packets, setup);
    });
  });
}

/** Opens the output at a segment's packets, as {@link withSegmentInput} opens the source. */
export async function withOutputInput<T>(
  { config, row }: StepContext,
  { plan, segment, sizeBytes }: { plan: VideoPlan; segment: VideoSegment; sizeBytes: number },
  use: (input: EngineInput) => Promise<T>,
): Promise<T> {
  const stored = { key: outputKey({ accountId: row.accountId, mediaId: row.id }), sizeBytes };
  const codec = row.format === "webm" ? "vp8" : "avc";
  return await withTrack(config.MEDIA, stored, async (track) => {
    const setup = await codecSetupOf(track, { ...plan, codec, crop: undefined });
    return await withPackets(outputPackets(track, plan, segment), async (packets) => {
      return await use(packetInput(setup, packets));
    });
  });
}

/** Stops reading packets when `use` is done, even if packets are left. */
async function withPackets<T>(packets: Packets, use: (packets: Packets) => Promise<T>): Promise<T> {
  try {
    return await use(packets);
  } finally {
    await packets.return();
  }
}

async function withTrack<T>(
  bucket: R2Bucket,
  stored: StoredVideo,
  use: (track: InputVideoTrack) => Promise<T>,
): Promise<T> {
  const rested = takeResting(stored);
  const container =
    rested?.container ?? (await openSource(objectRanges(bucket, stored.key), stored.sizeBytes)).container;
  try {
    const [track] = await container.getVideoTracks();
    if (track === undefined) throw new JobError("source_changed", true);
    const result = await use(track);
    await container.rest();
    letRest({ ...stored, container, uses: (rested?.uses ?? 0) + 1 });
    return result;
  } catch (error) {
    container.dispose();
    throw error;
  }
}

/** Takes the container so that no overlapping step reads it too. */
function takeResting({ key, sizeBytes }: StoredVideo): RestingContainer | undefined {
  if (resting?.key !== key || resting.sizeBytes !== sizeBytes) return undefined;
  const taken = resting;
  resting = undefined;
  return taken;
}

function letRest(used: RestingContainer): void {
  if (used.uses >= MOST_USES) {
    used.container.dispose();
    return;
  }
  resting?.container.dispose();
  resting = used;
}
