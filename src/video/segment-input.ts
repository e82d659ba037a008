import { sourceKey } from "../media/media.objects.ts";
import { objectRanges, openContainer } from "./containers/open-container.ts";
import { codecSetupOf, segmentPackets } from "./containers/segment-packets.ts";
import { packetInput } from "./engine-packets.ts";
import type { EngineInput } from "./ffmpeg/engine.ts";
import type { VideoPlan, VideoSegment } from "./video-plan.ts";
import type { StepContext } from "./step-context.ts";
import { JobFault } from "../media/job-fault.ts";

/** Opens the source at a segment's packets, as the engine reads them, and closes it when `use` is done. */
export async function withSegmentInput<T>(
  { config, row }: StepContext,
  plan: VideoPlan,
  segment: VideoSegment,
  use: (input: EngineInput) => Promise<T>,
): Promise<T> {
  const owned = { accountId: row.accountId, mediaId: row.id };
  const container = openContainer(objectRanges(config.MEDIA, sourceKey(owned)), row.fileSizeBytes);
  try {
    const [track] = await container.getVideoTracks();
    if (track === undefined) throw new JobFault("source_changed", true);
    const setup = await codecSetupOf(track, plan);
    return await use(packetInput(setup, segmentPackets(track, plan, segment)));
  } finally {
    container.dispose();
  }
}
