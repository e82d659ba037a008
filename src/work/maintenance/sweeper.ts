import { forgetOldEntries } from "../../records/audit/audit.repository.ts";
import { forgetDeletions, forgetNames } from "../../records/audit/deletion-records.repository.ts";
import { forgetUnusedNameRules } from "./account-deletion.repository.ts";
import { redriveDeadLetters } from "../../records/dead-letters/dead-letters.service.ts";
import { deleteObjects } from "../../records/media/media.objects.ts";
import { findDuePurges, forgetPurge, postponePurge } from "../../records/media/purges.repository.ts";
import { DAY_MS, MINUTE_MS, nowMs } from "../../ground/platform/clock.ts";
import { DELETION_DELAY_MS } from "../../ground/platform/retry-schedules.ts";
import { lastSweep, noteSweep } from "./last-sweep.ts";
import { findEndedVideos, forgetTasks } from "../../records/video-tasks/video-tasks.repository.ts";
import { deleteEndedWork } from "../../records/video-tasks/kept-work.ts";
import { openDatabase, type Database } from "../../ground/platform/database.ts";
import { databaseConfigs, type DatabaseBindings } from "../../ground/platform/databases.ts";
import { MAIN_DATABASE } from "../../ground/vocabulary/database-names.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { errorFields, log } from "../../ground/platform/log.ts";
import { forgetExpiredKeys } from "../../records/idempotency/idempotency.repository.ts";
import { dropExpiredUploads } from "../../records/uploads/resumable-upload.repository.ts";
import { dropAbandonedUploads } from "../../records/uploads/upload.repository.ts";
import { expireOutputs, expireSources } from "../../records/retention/expiry.service.ts";
import { deleteDoomedAccounts, type DeletionEnv } from "./account-deletion.service.ts";
import { copyPeople } from "../moving/copied-people.service.ts";
import { emptyLeft, moveAccounts } from "../moving/account-moves.service.ts";
import { forwardEntries } from "../moving/forwarded-entries.service.ts";
import { reconcile } from "./storage-reconciliation.service.ts";
import {
  logBacklogs,
  resendDroppedDeliveries,
  resendDroppedJobs,
  resendDroppedSteps,
  resendStrandedJobs,
  resendStrandedDeliveries,
} from "./resend-lost-messages.ts";
import { forgetOldEvents } from "../../records/events/event-deliveries.repository.ts";

const HEARTBEAT_MS = 10 * MINUTE_MS;
const MOST_A_SWEEP = 100;
const MOST_EVENTS_A_SWEEP = 1_000;
/** How long events and their deliveries are stored. */
const EVENT_LOG_MS = 30 * DAY_MS;
/** How long the audit trail and the proofs of deletion are kept. */
const AUDIT_MS = 365 * DAY_MS;
const MOST_ENTRIES_A_SWEEP = 5_000;

/** The bindings that the sweeper needs. */
type SweeperEnv = DatabaseBindings &
  Pick<ApiEnv, "MEDIA" | "IMAGE_JOBS" | "VIDEO_JOBS" | "WEBHOOK_JOBS"> &
  DeletionEnv;

/**
 * Repairs what crashes and lost messages leave behind: expired leases, jobs without a message, abandoned uploads, objects of deleted
 * media, and expired idempotency keys. Also resends the dead letters that an operator selected. It runs every minute, its work is bounded,
 * it is safe to repeat, and the failure of one task does not stop the others. It does all of that in each of the service's databases.
 */
export async function sweep(config: SweeperEnv): Promise<void> {
  for (const own of databaseConfigs(config)) await sweepDatabase(own);
}

async function sweepDatabase(config: SweeperEnv): Promise<void> {
  const database = openDatabase(config.DB, "primary");
  const isMain = config.DATABASE_NAME === MAIN_DATABASE;
  const startedAtMs = nowMs();
  const counts = {
    leasesReleased: await chore("leases", async () => await resendDroppedJobs(config, database)),
    jobsResent: await chore("jobs", async () => await resendStrandedJobs(config, database)),
    stepsReleased: await chore("steps", async () => await resendDroppedSteps(config, database)),
    videosCleaned: await chore("video_work", async () => await cleanEndedVideos(config, database)),
    deliveriesReleased: await chore("locks", async () => await resendDroppedDeliveries(config, database)),
    webhooksResent: await chore("webhooks", async () => await resendStrandedDeliveries(config, database)),
    deadLettersRedriven: await chore("dead letters", async () => {
      const { IMAGE_JOBS: images, VIDEO_JOBS: videos, WEBHOOK_JOBS: webhooks } = config;
      const queues = { images, videos, webhooks };
      return await redriveDeadLetters(database, queues, MOST_A_SWEEP);
    }),
    uploadsDropped: await chore("uploads", async () => await dropUploads(database)),
    uploadsExpired: await chore("resumable uploads", async () => {
      return await dropExpiredUploads(database, { nowMs: nowMs(), limit: MOST_A_SWEEP });
    }),
    sourcesExpired: await chore("sources", async () => await expireSources(config, database)),
    outputsExpired: await chore("outputs", async () => await expireOutputs(config, database)),
    peopleCopied: await chore("people", async () => await copyPeople(config, database)),
    accountsMoved: await chore("moves", async () => (isMain ? await moveAccounts(config) : 0)),
    accountsLeft: await chore("left accounts", async () => await emptyLeft(config, database)),
    entriesForwarded: await chore("audit entries", async () => await forwardEntries(config, database)),
    accountMediaDeleted: await chore("accounts", async () => {
      return await deleteDoomedAccounts(config, database, MOST_A_SWEEP);
    }),
    mediaPurged: await chore("purges", async () => await purgeObjects(config, database)),
    keysForgotten: await chore("keys", async () => await forgetExpiredKeys(database, nowMs(), MOST_A_SWEEP)),
    objectsReconciled: await chore("reconciliation", async () => await reconcileAll(config, database)),
    eventsForgotten: await chore("events", async () => await forgetEvents(database)),
    auditEntriesForgotten: await chore("audit trail", async () => await forgetEntries(database)),
    deletionsForgotten: await chore("deletions", async () => await forgetDeleted(database)),
    namesForgotten: await chore("names", async () => {
      return await forgetNames(database, { nowMs: nowMs(), limit: MOST_ENTRIES_A_SWEEP });
    }),
    jobsWaiting: await chore("backlogs", async () => await logBacklogs(database)),
  };
  const endedAtMs = nowMs();
  const durationMs = endedAtMs - startedAtMs;
  const isQuiet = Object.values(counts).every((count) => count === 0);
  if (!isQuiet || isHeartbeat(startedAtMs))
    log("info", "sweep", { ...counts, durationMs, ...(!isMain && { database: config.DATABASE_NAME }) });
  if (isMain) noteSweep({ endedAtMs, durationMs });
}

/** One bucket holds the files of all databases, so the main one's sweep compares it with the records of all. */
async function reconcileAll(config: SweeperEnv, database: Database): Promise<number> {
  if (config.DATABASE_NAME !== MAIN_DATABASE) return 0;
  const others = databaseConfigs(config).filter((own) => own !== config);
  return await reconcile(
    config,
    database,
    others.map(({ DB }) => openDatabase(DB, "primary")),
  );
}

/**
 * Whether a sweep that found nothing to do is logged anyway, as a heartbeat: the first one in every ten minutes. A process that remembers
 * no earlier sweep uses the minute of the clock.
 */
function isHeartbeat(startedAtMs: number): boolean {
  const last = lastSweep();
  const beat = Math.floor(startedAtMs / HEARTBEAT_MS);
  if (last !== undefined) return Math.floor(last.endedAtMs / HEARTBEAT_MS) < beat;
  return startedAtMs - beat * HEARTBEAT_MS < MINUTE_MS;
}

async function chore(name: string, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    log("error", "sweep.fault", { chore: name, ...errorFields(error) });
    return 0;
  }
}

async function cleanEndedVideos(config: SweeperEnv, database: Database): Promise<number> {
  const videos = await findEndedVideos(database, MOST_A_SWEEP);
  for (const video of videos) {
    await deleteEndedWork(config.MEDIA, video);
    await forgetTasks(database, video.mediaId);
  }
  return videos.length;
}

async function dropUploads(database: Database): Promise<number> {
  return await dropAbandonedUploads(database, { nowMs: nowMs(), limit: MOST_A_SWEEP });
}

async function forgetEvents(database: Database): Promise<number> {
  return await forgetOldEvents(database, { beforeMs: nowMs() - EVENT_LOG_MS, limit: MOST_EVENTS_A_SWEEP });
}

async function forgetEntries(database: Database): Promise<number> {
  const order = { beforeMs: nowMs() - AUDIT_MS, limit: MOST_ENTRIES_A_SWEEP };
  const forgotten = await forgetOldEntries(database, order);
  if (forgotten > 0) await forgetUnusedNameRules(database);
  return forgotten;
}

async function forgetDeleted(database: Database): Promise<number> {
  const order = { beforeMs: nowMs() - AUDIT_MS, limit: MOST_ENTRIES_A_SWEEP };
  const forgotten = await forgetDeletions(database, order);
  if (forgotten > 0) await forgetUnusedNameRules(database);
  return forgotten;
}

async function purgeObjects(config: SweeperEnv, database: Database): Promise<number> {
  const purges = await findDuePurges(database, nowMs(), MOST_A_SWEEP);
  let purged = 0;
  for (const { mediaId, accountId, ...underWay } of purges) {
    try {
      await deleteObjects(config.MEDIA, { accountId, mediaId }, underWay);
      await forgetPurge(database, mediaId);
      purged += 1;
    } catch (error) {
      log("warn", "sweep.purge_postponed", { mediaId, ...errorFields(error) });
      await postponePurge(database, mediaId, nowMs() + DELETION_DELAY_MS);
    }
  }
  return purged;
}
