import { failureOf } from "../media/media-failure.ts";
import { findMedia, type MediaOwnership, type MediaRow } from "../media/media.repository.ts";
import { noSuchMedia } from "../media/media.service.ts";
import { isoDateTime } from "../platform/clock.ts";
import type { Database } from "../platform/database.ts";
import { countTasks, type TaskCounts } from "../video/tasks/video-tasks.repository.ts";
import { TASK_KINDS } from "../video/tasks/video-tasks.table.ts";
import type { StatusDetailsResponse, Step } from "./status-details.schemas.ts";

/** How far a media item is, and why it failed if it did. @throws VeilError 404 when the account has no such media */
export async function describeStatus(
  database: Database,
  owned: MediaOwnership,
): Promise<StatusDetailsResponse> {
  const row = await findMedia(database, owned);
  if (row === undefined) throw noSuchMedia();
  const hasTasks = row.status === "processing" && row.mediaType === "video";
  return {
    media_id: row.id,
    status: row.status,
    ...advanceOf(row, hasTasks ? await countTasks(database, owned) : {}),
    failure: failureOf(row),
    source_expires_at: row.sourceDeletedAt === null ? isoDateTime(row.sourceExpiresAt) : null,
    output_expires_at: isoDateTime(row.outputExpiresAt),
  };
}

interface Advance {
  readonly progress: number | null;
  readonly step: Step | null;
}

function advanceOf({ status, mediaType }: MediaRow, tasks: TaskCounts): Advance {
  switch (status) {
    case "pending":
      return { progress: null, step: "upload" };
    case "queued":
      return { progress: 0, step: null };
    case "processing":
      return mediaType === "video" ? advanceOfVideo(tasks) : { progress: null, step: null };
    case "completed":
      return { progress: 1, step: null };
    case "failed":
    case "quota_exceeded":
      return { progress: null, step: null };
  }
}

/**
 * Every segment is analyzed and rendered, which take about as long; all are linked once and assembled once. A revision analyzes none: how
 * many segments it renders is known once what it hides is chosen.
 */
function advanceOfVideo(tasks: TaskCounts): Advance {
  if (Object.keys(tasks).length === 0) return { progress: 0, step: "plan" };
  const isRevision = tasks.analyse === undefined;
  const kinds = TASK_KINDS.filter((kind) => !(isRevision && kind === "analyse"));
  const step = kinds.find((kind) => (tasks[kind]?.done ?? 0) < (tasks[kind]?.all ?? 1));
  const done = kinds.reduce((sum, kind) => sum + (tasks[kind]?.done ?? 0), 0);
  const all = isRevision ? (tasks.render?.all ?? 0) + 2 : 2 * tasks.analyse.all + 2;
  const progress = done / all;
  return { progress: Math.floor(progress * 1000) / 1000, step: step ?? "assemble" };
}
