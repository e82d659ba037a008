import { failureOf } from "../media/media-failure.ts";
import { isVerifiedBy } from "../masking/masking-options.ts";
import { findOrder } from "../masking/masking-options.repository.ts";
import { findMedia, type MediaOwnership, type MediaRow } from "../media/media.repository.ts";
import { noSuchMedia } from "../media/media.service.ts";
import { isoDateTime } from "../../ground/platform/clock.ts";
import type { Database } from "../../ground/platform/database.ts";
import { countTasks, type TaskCounts } from "../video-tasks/video-tasks.repository.ts";
import type { StatusDetailsResponse, Step } from "./status-details.schemas.ts";

/** The progress of a media item, and the reason if it failed. @throws VeilError 404 if the account has no such media item */
export async function describeStatus(
  database: Database,
  owned: MediaOwnership,
): Promise<StatusDetailsResponse> {
  const row = await findMedia(database, owned);
  if (row === undefined) throw noSuchMedia();
  return {
    media_id: row.id,
    status: row.status,
    ...(await advanceOf(database, row)),
    failure: failureOf(row),
    source_expires_at: row.sourceDeletedAt === null ? isoDateTime(row.sourceExpiresAt) : null,
    output_expires_at: isoDateTime(row.outputExpiresAt),
  };
}

interface Advance {
  readonly progress: number | null;
  readonly step: Step | null;
}

async function advanceOf(database: Database, row: MediaRow): Promise<Advance> {
  switch (row.status) {
    case "pending":
      return { progress: null, step: "upload" };
    case "queued":
      return { progress: 0, step: null };
    case "processing":
      return row.mediaType === "video" ? await advanceOfVideo(database, row) : { progress: null, step: null };
    case "completed":
      return { progress: 1, step: null };
    case "failed":
    case "quota_exceeded":
      return { progress: null, step: null };
  }
}

const TASK_STEPS = ["analyse", "link", "render", "assemble"] as const;

async function advanceOfVideo(database: Database, { accountId, id: mediaId }: MediaRow): Promise<Advance> {
  const owned = { accountId, mediaId };
  const tasks = await countTasks(database, owned);
  const { options } = await findOrder(database, owned);
  return advanceOfTasks(tasks, !options.isDetectOnly && isVerifiedBy(options, "video"));
}

/**
 * The progress of a video from its tasks. Analyzing, rendering and reading a segment again take about equally long and happen once per
 * segment. Linking, assembling and, after a second reading, completing happen once per video. The second reading belongs to the step
 * `assemble`. A revision analyzes no segment, and how many it renders is known only after `link`. While a video is painted again, only
 * completing it counts as left.
 */
function advanceOfTasks(tasks: TaskCounts, isReadAgain: boolean): Advance {
  const counts = Object.values(tasks);
  if (counts.length === 0) return { progress: 0, step: "plan" };
  const isRevision = tasks.analyse === undefined;
  const steps = TASK_STEPS.filter((kind) => !(isRevision && kind === "analyse"));
  const step = steps.find((kind) => (tasks[kind]?.done ?? 0) < (tasks[kind]?.all ?? 1));
  const done = counts.reduce((sum, count) => sum + count.done, 0);
  const segments = tasks.analyse?.all ?? tasks.render?.all ?? 0;
  const rounds = (isRevision ? 1 : 2) + (isReadAgain ? 1 : 0);
  const all = rounds * segments + (isReadAgain ? 3 : 2);
  const progress = (tasks.complete === undefined ? done : all - 1) / all;
  return { progress: Math.floor(progress * 1000) / 1000, step: step ?? "assemble" };
}
