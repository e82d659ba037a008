import { deleteOutputs, deleteSourceObjects, deleteSources } from "../media/media.objects.ts";
import type { EndedMedia, Retention } from "../media/media-jobs.repository.ts";
import type { MediaRow } from "../media/media.repository.ts";
import { SECOND_MS, nowMs } from "../../ground/platform/clock.ts";
import { DELETION_DELAY_MS } from "../../ground/platform/retry-schedules.ts";
import { openDatabase, type Database } from "../../ground/platform/database.ts";
import type { ApiEnv, RetentionEnv } from "../../ground/platform/env.ts";
import { errorFields, log } from "../../ground/platform/log.ts";
import { announceEvents } from "../events/announce-events.ts";
import { mediaEvent } from "../media/media-events.ts";
import {
  findDueOutputs,
  findDueSources,
  markOutputsDeleted,
  markSourcesDeleted,
  postponeSource,
} from "./expiry.repository.ts";

/** Media items per step. Their keys go to R2, and their events to D1, in one call each. */
const STEP_MEDIA = 500;
/** A run ends after this many steps or this much time, whichever comes first. The next run continues. */
const MAX_STEPS = 10;
const MAX_RUN_MS = 20 * SECOND_MS;
/** The most media items per step whose objects must be listed item by item. */
const STEP_LISTED = 20;

type ExpiryEnv = Pick<ApiEnv, "DB" | "MEDIA" | "WEBHOOK_JOBS">;

/** How long files are kept, as configured. */
export function retentionOf(config: RetentionEnv): Retention {
  return { sourceHours: config.SOURCE_RETENTION_HOURS, outputDays: config.OUTPUT_RETENTION_DAYS };
}

/**
 * Deletes expired sources and everything else of their media items except the output, and reports it with `media.source_deleted`. Objects
 * are deleted before the records are updated, so the next run completes a run that died in between.
 *
 * @returns how many were deleted
 */
export async function expireSources(config: ExpiryEnv, database: Database): Promise<number> {
  return await inSteps(async () => {
    const due = await findDueSources(database, { nowMs: nowMs(), limit: STEP_MEDIA });
    const plain = due.filter(hasPlainObjects);
    const listed = due.filter((media) => !hasPlainObjects(media)).slice(0, STEP_LISTED);
    await deleteSources(config.MEDIA, plain.map(ownedBy));
    const gone: MediaRow[] = [...plain];
    for (const media of listed) if (await isSourceGone(config, database, media)) gone.push(media);
    await noteGone(config, database, gone);
    return { deleted: gone.length, isMore: due.length === STEP_MEDIA || listed.length === STEP_LISTED };
  });
}

/** Deletes the source of a media item that has just ended, if sources are not retained. The sweeper repeats what fails here. */
export async function expireSourceAtOnce(
  config: ExpiryEnv,
  mediaId: string,
  { sourceExpiresAt }: EndedMedia,
): Promise<void> {
  if (sourceExpiresAt === null || sourceExpiresAt > nowMs()) return;
  try {
    const database = openDatabase(config.DB, "primary");
    const due = await findDueSources(database, { nowMs: nowMs(), limit: 1, mediaId });
    for (const media of due) await deleteSourceObjects(config.MEDIA, media);
    await noteGone(config, database, due);
  } catch (error) {
    log("warn", "retention.source_postponed", { mediaId, ...errorFields(error) });
  }
}

/** Deletes expired outputs. Their media items can no longer be downloaded. @returns how many were deleted */
export async function expireOutputs(config: ExpiryEnv, database: Database): Promise<number> {
  return await inSteps(async () => {
    const due = await findDueOutputs(database, { nowMs: nowMs(), limit: STEP_MEDIA });
    await deleteOutputs(config.MEDIA, due);
    if (due.length > 0)
      await markOutputsDeleted(
        database,
        due.map(({ mediaId }) => mediaId),
      );
    return { deleted: due.length, isMore: due.length === STEP_MEDIA };
  });
}

async function inSteps(step: () => Promise<{ deleted: number; isMore: boolean }>): Promise<number> {
  const startedAtMs = nowMs();
  let total = 0;
  for (let steps = 0; steps < MAX_STEPS && nowMs() - startedAtMs < MAX_RUN_MS; steps++) {
    const { deleted, isMore } = await step();
    total += deleted;
    if (!isMore) break;
  }
  return total;
}

/** An image has only a source and an output, unless an upload of either is unfinished. */
function hasPlainObjects({ mediaType, multipartUploadId, outputUploadId }: MediaRow): boolean {
  return mediaType === "image" && multipartUploadId === null && outputUploadId === null;
}

async function isSourceGone(config: ExpiryEnv, database: Database, media: MediaRow): Promise<boolean> {
  try {
    await deleteSourceObjects(config.MEDIA, media);
    return true;
  } catch (error) {
    log("warn", "retention.source_postponed", { mediaId: media.id, ...errorFields(error) });
    await postponeSource(database, media.id, nowMs() + DELETION_DELAY_MS);
    return false;
  }
}

async function noteGone(config: ExpiryEnv, database: Database, gone: readonly MediaRow[]): Promise<void> {
  if (gone.length === 0) return;
  const now = nowMs();
  const deleted = gone.map((media) => ({ media, event: mediaEvent("media.source_deleted", media, now) }));
  await markSourcesDeleted(database, deleted, now);
  await announceEvents(
    config,
    deleted.map(({ event }) => event.id),
  );
}

function ownedBy({ accountId, id, status }: MediaRow) {
  return { accountId, mediaId: id, status };
}
