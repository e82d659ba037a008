import { sourceKey } from "../../media/media.objects.ts";
import { openSource, type StoredContainer } from "../containers/open-container.ts";
import { objectRanges } from "../containers/stored-ranges.ts";
import { codecSetupOf, segmentPackets } from "./segment-packets.ts";
import { packetInput } from "./engine-packets.ts";
import type { EngineInput } from "./engine.ts";
import type { VideoPlan, VideoSegment } from "../tasks/video-plan.ts";
import type { StepContext } from "../tasks/step-context.ts";
import { JobError } from "../../jobs/job-error.ts";

/** A source that no step is reading at the moment, and how often it has been read. */
interface RestingContainer {
  readonly mediaId: string;
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

/** Opens the source at a segment's packets, as the engine reads them. If `use` succeeds, the container is kept for the next segment. */
export async function withSegmentInput<T>(
  { config, row, order }: StepContext,
  { plan, segment }: { plan: VideoPlan; segment: VideoSegment },
  use: (input: EngineInput) => Promise<T>,
): Promise<T> {
  const { mediaId } = order.source;
  const rested = takeResting(mediaId);
  const container =
    rested?.container ??
    (
      await openSource(
        objectRanges(config.MEDIA, sourceKey(order.source)),
        plan.storedBytes ?? row.fileSizeBytes,
      )
    ).container;
  try {
    const [track] = await container.getVideoTracks();
    if (track === undefined) throw new JobError("source_changed", true);
    const setup = await codecSetupOf(track, plan);
    const result = await use(packetInput(setup, segmentPackets(track, plan, segment)));
    await container.rest();
    letRest({ mediaId, container, uses: (rested?.uses ?? 0) + 1 });
    return result;
  } catch (error) {
    container.dispose();
    throw error;
  }
}

/** Takes the container so that no overlapping step reads it too. */
function takeResting(mediaId: string): RestingContainer | undefined {
  if (resting?.mediaId !== mediaId) return undefined;
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
