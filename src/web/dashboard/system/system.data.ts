import {
  listDeadLetters,
  type DeadLetterListing,
} from "../../../work/maintenance/dead-letter-list.repository.ts";
import type { ServedModel } from "../../../ground/vocabulary/detection.schemas.ts";
import { detectorSettings } from "../../../work/detection/detector-settings.ts";
import { detectorState, type DetectorHealth } from "../../../work/detection/served-categories.ts";
import {
  findFailingEndpoints,
  type FailingEndpoint,
} from "../../../work/maintenance/failing-endpoints.repository.ts";
import { lastSweep, type SweepRun } from "../../../work/maintenance/last-sweep.ts";
import {
  countDeletedSince,
  countFailures,
  countMedia,
  latestMigration,
  queueDepths,
  stepDepths,
  type FailureCount,
  type QueueDepth,
  type StepDepth,
} from "../../../work/maintenance/operations.repository.ts";
import {
  lastReconciliation,
  type FinishedReconciliation,
} from "../../../work/maintenance/reconciliations.repository.ts";
import { DAY_MS, HOUR_MS, nowMs } from "../../../ground/platform/clock.ts";
import { openDatabase, type Database } from "../../../ground/platform/database.ts";
import type { ApiEnv } from "../../../ground/platform/env.ts";
import { sha256Hex } from "../../../ground/platform/ids.ts";

const SHOWN_DEAD_LETTERS = 50;
const SHOWN_ENDPOINTS = 50;
const FINGERPRINT_CHARACTERS = 8;

/** How the service is, of all accounts: for its operator. */
export interface System {
  readonly queues: readonly QueueDepth[];
  readonly steps: readonly StepDepth[];
  readonly failures: readonly FailureCount[];
  readonly failingEndpoints: readonly FailingEndpoint[];
  readonly deadLetters: readonly DeadLetterListing[];
  /** Undefined while the detector does not say. */
  readonly models: readonly ServedModel[] | undefined;
  /** The first characters of the SHA-256 of the thresholds served: they have no version of their own. */
  readonly thresholds: string | undefined;
  readonly versions: Readonly<Record<"app" | "node" | "migration", string | undefined>>;
  /** Each run is in the log; what this process knows of it is all there is on one machine, and little in the cloud. */
  readonly sweep: SweepRun | undefined;
  readonly isLocal: boolean;
  readonly detector: DetectorHealth;
  readonly reconciliation: FinishedReconciliation | undefined;
  /** Of all accounts, now. */
  readonly mediaCount: number;
  /** Media that were deleted after the last comparison, which still counted their files. */
  readonly deletedSince: number;
}

/** How the service is now. */
export async function readSystem(config: ApiEnv): Promise<System> {
  const database = openDatabase(config.DB, "primary");
  const now = nowMs();
  const [
    queues,
    steps,
    failures,
    failingEndpoints,
    deadLetters,
    stored,
    mediaCount,
    migration,
    { models, thresholds, health },
  ] = await Promise.all([
    queueDepths(database, now),
    stepDepths(database),
    countFailures(database, { sinceHourMs: now - HOUR_MS, sinceDayMs: now - DAY_MS }),
    findFailingEndpoints(database, SHOWN_ENDPOINTS),
    listDeadLetters(database, SHOWN_DEAD_LETTERS),
    readStored(database),
    countMedia(database),
    latestMigration(database),
    detectorState(detectorSettings(config)),
  ]);
  const fingerprint = thresholds === undefined ? undefined : await sha256Hex(JSON.stringify(thresholds));
  return {
    queues,
    steps,
    failures,
    failingEndpoints,
    deadLetters,
    models,
    thresholds: fingerprint?.slice(0, FINGERPRINT_CHARACTERS),
    versions: { app: config.LOCAL_APP_VERSION, node: config.LOCAL_NODE_VERSION, migration },
    sweep: lastSweep(),
    isLocal: config.LOCAL_DEVELOPMENT,
    detector: health,
    mediaCount,
    ...stored,
  };
}

/** The findings of the last comparison with storage, and the number of media deleted since. */
async function readStored(database: Database): Promise<Pick<System, "reconciliation" | "deletedSince">> {
  const reconciliation = await lastReconciliation(database);
  return {
    reconciliation,
    deletedSince:
      reconciliation === undefined ? 0 : await countDeletedSince(database, reconciliation.finishedAt),
  };
}
