import { isKeptKey } from "../../records/video-tasks/kept-work.ts";
import { detectionsKey, outputKey, sourceKey, thumbnailKey } from "../../records/media/media.objects.ts";
import { keepsAnalysis } from "../../records/media/kept-analysis.ts";
import { hasEnded } from "../../records/media/media.states.ts";
import { DAY_MS, HOUR_MS, nowMs } from "../../ground/platform/clock.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { log } from "../../ground/platform/log.ts";
import {
  currentReconciliation,
  findRecordsBetween,
  findRecordsOf,
  saveStep,
  type Position,
  type Reconciliation,
  type StepResult,
  type StoredRecord,
} from "./storage-reconciliation.repository.ts";
import type { FindingKind } from "./storage-reconciliation.table.ts";

/** Begins each night at this hour of UTC. */
const HOUR_OF_DAY = 3;
const MAX_STEPS = 20;
const STEP_OBJECTS = 1_000;
const STEP_RECORDS = 2_000;
/** The listing may show only a part of such recent changes, so they are left to the next night. */
const SETTLED_MS = HOUR_MS;
const KEPT_MS = 30 * DAY_MS;
/** Sorts after every name below a prefix. */
const LAST_NAME = "\u{10ffff}";
const OBJECT_KEY = /^acc_[0-9a-f-]{36}\/[0-9a-f-]{36}\/.+$/;

/** An object in the bucket, and its media item if the key has this service's form. */
interface StoredObject {
  readonly key: string;
  readonly sizeBytes: number;
  readonly uploadedAtMs: number;
  readonly position: Position;
  readonly isOurs: boolean;
}

/**
 * Compares the bucket with the records, both in the same order, a few pages per run, and reports objects without a record and records
 * without an object. Repairs nothing, because a person should learn the cause.
 *
 * @param database the one that keeps the progress and the findings
 * @param others further databases with records
 * @returns how many objects this run compared
 */
export async function reconcile(
  config: Pick<ApiEnv, "MEDIA">,
  database: Database,
  others: readonly Database[] = [],
): Promise<number> {
  const now = nowMs();
  let run = await currentReconciliation(database, {
    nowMs: now,
    sinceMs: lastNightMs(now),
    forgetBeforeMs: now - KEPT_MS,
  });
  const before = run?.objectsChecked ?? 0;
  let after = before;
  for (let steps = 0; steps < MAX_STEPS && run !== undefined && run.finishedAt === null; steps++) {
    const { isLast, ...step } = await compare(config.MEDIA, [database, ...others], run);
    run = await saveStep(database, run, { ...step, finishedAtMs: isLast ? nowMs() : null });
    after = run?.objectsChecked ?? after;
    if (run !== undefined && run.finishedAt !== null) report(run);
  }
  return after - before;
}

/** The last time the clock showed the hour at which reconciliations begin. */
function lastNightMs(now: number): number {
  const tonight = Math.floor(now / DAY_MS) * DAY_MS + HOUR_OF_DAY * HOUR_MS;
  return tonight <= now ? tonight : tonight - DAY_MS;
}

function report({ id, startedAt, finishedAt, cursor: _cursor, ...counts }: Reconciliation): void {
  const isClean = counts.objectsWithoutRecord === 0 && counts.recordsWithoutObject === 0;
  log(isClean ? "info" : "warn", "reconciliation", {
    reconciliationId: id,
    ...counts,
    durationMs: (finishedAt ?? startedAt) - startedAt,
  });
}

async function compare(
  bucket: R2Bucket,
  databases: readonly Database[],
  { cursor }: Reconciliation,
): Promise<StepResult & { isLast: boolean }> {
  const listed = await bucket.list({ limit: STEP_OBJECTS, ...(cursor === "" ? {} : { startAfter: cursor }) });
  const page = wholeMedia(
    listed.objects.map(({ key, size, uploaded }) => ({
      key,
      sizeBytes: size,
      uploadedAtMs: uploaded.getTime(),
      position: positionOf(key),
      isOurs: OBJECT_KEY.test(key),
    })),
    listed.truncated,
  );
  const between = {
    after: cursor === "" ? undefined : positionOf(cursor),
    upTo: listed.truncated ? page.end : undefined,
    limit: STEP_RECORDS + 1,
  };
  const found = inOrder(
    await Promise.all(databases.map(async (database) => await findRecordsBetween(database, between))),
  );
  // If there are more records than fit, this step ends with the last one that does.
  const isCut = found.length > STEP_RECORDS;
  const records = found.slice(0, STEP_RECORDS);
  const end = isCut ? endOf(records.at(-1)) : undefined;
  const objects = end === undefined ? page.objects : page.objects.filter(({ key }) => key <= end);
  const keys = new Set(objects.map(({ key }) => key));
  const now = nowMs();
  const missing = records.flatMap((record) => expectedKeys(record, now).filter((key) => !keys.has(key)));
  const absent = await Promise.all(missing.map(async (key) => await isAbsent(bucket, key, page.isPartial)));
  return {
    cursor: end ?? page.cursor ?? cursor,
    isLast: !listed.truncated && !isCut,
    objectsChecked: objects.length,
    bytesChecked: objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    recordsChecked: records.length,
    findings: [
      ...asFindings("object_without_record", await strangers(databases, objects, now)),
      ...asFindings(
        "record_without_object",
        missing.filter((_key, index) => absent[index]),
      ),
    ],
  };
}

/** The media items whose objects are all on this page. If another page follows, the last item is left out, unless it fills the page. */
function wholeMedia(objects: readonly StoredObject[], isFollowed: boolean) {
  const last = objects.at(-1);
  if (!isFollowed || last === undefined)
    return { objects, end: undefined, cursor: last?.key, isPartial: false };
  const whole = objects.filter(({ position }) => !isSame(position, last.position));
  const lastWhole = whole.at(-1);
  if (lastWhole !== undefined)
    return { objects: whole, end: lastWhole.position, cursor: lastWhole.key, isPartial: false };
  return { objects, end: last.position, cursor: lastKeyOf(last.position), isPartial: true };
}

function isSame(one: Position, other: Position): boolean {
  return one.accountId === other.accountId && one.mediaId === other.mediaId;
}

/** The records of several databases in the bucket's order. An account's records are in one database. */
function inOrder(found: readonly (readonly StoredRecord[])[]): readonly StoredRecord[] {
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  const placed = found.flat().map((record) => ({ record, place: `${record.accountId}/${record.id}` }));
  return placed.toSorted((one, other) => (one.place < other.place ? -1 : 1)).map(({ record }) => record);
}

function positionOf(key: string): Position {
  const [accountId = "", mediaId = ""] = key.split("/");
  return { accountId, mediaId };
}

function lastKeyOf({ accountId, mediaId }: Position): string {
  return `${accountId}/${mediaId}/${LAST_NAME}`;
}

function endOf(record: StoredRecord | undefined): string | undefined {
  return record && lastKeyOf({ accountId: record.accountId, mediaId: record.id });
}

/** The objects that a settled record must have. */
function expectedKeys(record: StoredRecord, now: number): string[] {
  const owned = { accountId: record.accountId, mediaId: record.id };
  const isSettled = (at: number | null): boolean => at !== null && at <= now - SETTLED_MS;
  const isDue = (at: number | null): boolean => at !== null && at <= now;
  const hasSource =
    record.status !== "pending" &&
    record.sourceDeletedAt === null &&
    isSettled(record.availableAt ?? record.createdAt) &&
    !isDue(record.sourceExpiresAt);
  const hasOutput =
    record.outputSizeBytes !== null && isSettled(record.processedAt) && !isDue(record.outputExpiresAt);
  return [...(hasOutput ? [outputKey(owned)] : []), ...(hasSource ? [sourceKey(owned)] : [])];
}

/** Whether an object is missing. For a media item that fills more than a page, the listing is not enough and the object is requested. */
async function isAbsent(bucket: R2Bucket, key: string, isPartial: boolean): Promise<boolean> {
  return !isPartial || (await bucket.head(key)) === null;
}

/** The keys of settled objects that no record accounts for. */
async function strangers(
  databases: readonly Database[],
  objects: readonly StoredObject[],
  now: number,
): Promise<string[]> {
  const settled = objects.filter(({ uploadedAtMs }) => uploadedAtMs <= now - SETTLED_MS);
  const ids = new Set(settled.map(({ position }) => position.mediaId));
  const found = await Promise.all(databases.map(async (database) => await findRecordsOf(database, [...ids])));
  const accounted = new Set(found.flatMap((one) => [...one.accounted]));
  const known = new Map(found.flatMap(({ records }) => records).map((record) => [record.id, record]));
  return settled
    .filter(({ key, position, isOurs }) => {
      if (!isOurs) return true;
      if (accounted.has(position.mediaId)) return false;
      const record = known.get(position.mediaId);
      return record?.accountId !== position.accountId || !mayHave(record, key);
    })
    .map(({ key }) => key);
}

function mayHave(record: StoredRecord, key: string): boolean {
  const owned = { accountId: record.accountId, mediaId: record.id };
  if (!hasEnded(record.status)) return true;
  if (record.status !== "completed") return record.sourceDeletedAt === null;
  if (key === outputKey(owned) || key === thumbnailKey(owned)) return record.outputSizeBytes !== null;
  if (key.startsWith(detectionsKey(owned))) return true;
  // Of the results that a video's steps stored, only those that revisions need are kept, as long as the source.
  return keepsAnalysis(record) && isKeptKey(owned, key);
}

function asFindings(kind: FindingKind, objectKeys: readonly string[]) {
  return objectKeys.map((objectKey) => ({ kind, objectKey }));
}
