import type { DeadLetterListing } from "../../../work/maintenance/dead-letter-list.repository.ts";
import type { ServedModel } from "../../../ground/vocabulary/detection.schemas.ts";
import { detectorSettings } from "../../../work/detection/detector-settings.ts";
import { detectorState, type DetectorHealth } from "../../../work/detection/served-categories.ts";
import type { FailingEndpoint } from "../../../work/maintenance/failing-endpoints.repository.ts";
import { lastSweep, type SweepRun } from "../../../work/maintenance/last-sweep.ts";
import { latestMigration } from "../../../work/maintenance/operations.repository.ts";
import {
  countAllDeletedSince,
  countAllMedia,
  deadLettersOf,
  failingEndpoints as failingEndpointsOf,
  readOperations,
  type Operations,
} from "../../../work/maintenance/operations.service.ts";
import {
  lastReconciliation,
  type FinishedReconciliation,
} from "../../../work/maintenance/reconciliations.repository.ts";
import { DAY_MS, HOUR_MS, nowMs } from "../../../ground/platform/clock.ts";
import { openDatabase, type Database } from "../../../ground/platform/database.ts";
import { databasesOf } from "../../../ground/platform/databases.ts";
import type { ApiEnv } from "../../../ground/platform/env.ts";
import { sha256Hex } from "../../../ground/platform/ids.ts";

const SHOWN_DEAD_LETTERS = 50;
const SHOWN_ENDPOINTS = 50;
const FINGERPRINT_CHARACTERS = 8;

/** The state of the service over all accounts, for its operator. */
export interface System extends Operations {
  readonly failingEndpoints: readonly FailingEndpoint[];
  readonly deadLetters: readonly DeadLetterListing[];
  /** Undefined if the detector does not report them. */
  readonly models: readonly ServedModel[] | undefined;
  /** The first characters of the SHA-256 of the served thresholds, which have no version of their own. */
  readonly thresholds: string | undefined;
  readonly versions: Readonly<Record<"app" | "node" | "migration", string | undefined>>;
  /** The last run in this process. That is every run on a single machine, but few of them in the cloud, where the log has them. */
  readonly sweep: SweepRun | undefined;
  readonly isLocal: boolean;
  readonly detector: DetectorHealth;
  readonly reconciliation: FinishedReconciliation | undefined;
  /** The current number, over all accounts. */
  readonly mediaCount: number;
  /** Media items that were deleted after the last comparison, which still counted their files. */
  readonly deletedSince: number;
}

/** The current state of the service, over all its databases. */
export async function readSystem(config: ApiEnv): Promise<System> {
  const main = openDatabase(config.MAIN_DB, "primary");
  const databases = databasesOf(config).map((binding) => openDatabase(binding, "primary"));
  const now = nowMs();
  const [
    operations,
    failingEndpoints,
    deadLetters,
    stored,
    mediaCount,
    migration,
    { models, thresholds, health },
  ] = await Promise.all([
    readOperations(databases, { nowMs: now, sinceHourMs: now - HOUR_MS, sinceDayMs: now - DAY_MS }),
    failingEndpointsOf(databases, SHOWN_ENDPOINTS),
    deadLettersOf(databases, SHOWN_DEAD_LETTERS),
    readStored(main, databases),
    countAllMedia(databases),
    latestMigration(main),
    detectorState(detectorSettings(config)),
  ]);
  const fingerprint = thresholds === undefined ? undefined : await sha256Hex(JSON.stringify(thresholds));
  return {
    ...operations,
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
async function readStored(
  main: Database,
  databases: readonly Database[],
): Promise<Pick<System, "reconciliation" | "deletedSince">> {
  const reconciliation = await lastReconciliation(main);
  return {
    reconciliation,
    deletedSince:
      reconciliation === undefined ? 0 : await countAllDeletedSince(databases, reconciliation.finishedAt),
  };
}
