import { and, asc, desc, eq, isNull, lt, sql } from "drizzle-orm";
import type { MediaRow } from "../../records/media/media.repository.ts";
import { media, objectPurges } from "../../records/media/media.table.ts";
import type { Database } from "../../ground/platform/database.ts";
import { newId } from "../../ground/platform/ids.ts";
import { resumableUploads } from "../../records/uploads/resumable-upload.table.ts";
import { reconciliations, type FindingKind } from "./storage-reconciliation.table.ts";
import { livesHere } from "../../records/directory/frozen.repository.ts";

export type Reconciliation = typeof reconciliations.$inferSelect;

/** A position in the bucket's order: by account, then by media item. */
export interface Position {
  readonly accountId: string;
  readonly mediaId: string;
}

/** The columns of a media item that decide which objects it has. */
export type StoredRecord = Pick<
  MediaRow,
  | "id"
  | "accountId"
  | "status"
  | "createdAt"
  | "availableAt"
  | "processedAt"
  | "sourceDeletedAt"
  | "sourceExpiresAt"
  | "outputSizeBytes"
  | "outputExpiresAt"
>;

const STORED = {
  id: media.id,
  accountId: media.accountId,
  status: media.status,
  createdAt: media.createdAt,
  availableAt: media.availableAt,
  processedAt: media.processedAt,
  sourceDeletedAt: media.sourceDeletedAt,
  sourceExpiresAt: media.sourceExpiresAt,
  outputSizeBytes: media.outputSizeBytes,
  outputExpiresAt: media.outputExpiresAt,
};

/** The unfinished reconciliation, or a new one if none has begun since `sinceMs`; undefined if that one is finished. */
export async function currentReconciliation(
  database: Database,
  { sinceMs, nowMs, forgetBeforeMs }: { sinceMs: number; nowMs: number; forgetBeforeMs: number },
): Promise<Reconciliation | undefined> {
  const [last] = await database.orm
    .select()
    .from(reconciliations)
    .orderBy(desc(reconciliations.startedAt))
    .limit(1);
  if (last !== undefined && last.finishedAt === null) return last;
  if (last !== undefined && last.startedAt >= sinceMs) return undefined;
  const [[begun]] = await database.orm.batch([
    database.orm
      .insert(reconciliations)
      .values({ id: newId("reconciliation"), startedAt: nowMs, cursor: "" })
      .returning(),
    database.orm.delete(reconciliations).where(lt(reconciliations.startedAt, forgetBeforeMs)),
  ]);
  return begun;
}

/** Records that have objects, from after one position up to another, in the bucket's order. */
export async function findRecordsBetween(
  database: Database,
  { after, upTo, limit }: { after: Position | undefined; upTo: Position | undefined; limit: number },
): Promise<StoredRecord[]> {
  return await database.orm
    .select(STORED)
    .from(media)
    .where(
      and(
        livesHere(media.accountId),
        // The condition of the partial index, so that SQLite skips records without objects.
        sql`(source_deleted_at IS NULL OR output_size_bytes IS NOT NULL)`,
        after === undefined ? undefined : sql`(account_id, id) > (${after.accountId}, ${after.mediaId})`,
        upTo === undefined ? undefined : sql`(account_id, id) <= (${upTo.accountId}, ${upTo.mediaId})`,
      ),
    )
    .orderBy(asc(media.accountId), asc(media.id))
    .limit(limit);
}

/**
 * The records of these media items, and which of the others may have objects: files that are still arriving, and deleted items whose
 * objects are still to be deleted.
 */
export async function findRecordsOf(
  database: Database,
  mediaIds: readonly string[],
): Promise<{ records: StoredRecord[]; accounted: Set<string> }> {
  const ids = JSON.stringify(mediaIds);
  const [records, purges, arriving] = await database.orm.batch([
    database.orm
      .select(STORED)
      .from(media)
      .where(and(sql`${media.id} IN (SELECT value FROM json_each(${ids}))`, livesHere(media.accountId))),
    database.orm
      .select({ mediaId: objectPurges.mediaId })
      .from(objectPurges)
      .where(
        and(
          sql`${objectPurges.mediaId} IN (SELECT value FROM json_each(${ids}))`,
          livesHere(objectPurges.accountId),
        ),
      ),
    database.orm
      .select({ mediaId: resumableUploads.mediaId })
      .from(resumableUploads)
      .where(sql`${resumableUploads.mediaId} IN (SELECT value FROM json_each(${ids}))`),
  ]);
  const accounted = [...purges, ...arriving].map(({ mediaId }) => mediaId);
  return { records, accounted: new Set(accounted) };
}

/** The progress and findings of one step of a reconciliation. */
export interface StepResult {
  readonly cursor: string;
  readonly objectsChecked: number;
  readonly bytesChecked: number;
  readonly recordsChecked: number;
  readonly findings: readonly { readonly kind: FindingKind; readonly objectKey: string }[];
}

/** Records a step, unless another run has recorded it meanwhile. The last step ends the reconciliation. */
export async function saveStep(
  database: Database,
  { id, cursor }: Reconciliation,
  { finishedAtMs, ...step }: StepResult & { readonly finishedAtMs: number | null },
): Promise<Reconciliation | undefined> {
  const count = (kind: FindingKind): number =>
    step.findings.filter((finding) => finding.kind === kind).length;
  const note = database.raw
    .prepare(
      `INSERT INTO reconciliation_findings (reconciliation_id, object_key, kind)
       SELECT ?1, value ->> 'objectKey', value ->> 'kind' FROM json_each(?2) WHERE true
       ON CONFLICT DO NOTHING`,
    )
    .bind(id, JSON.stringify(step.findings));
  if (step.findings.length > 0) await note.run();
  const [saved] = await database.orm
    .update(reconciliations)
    .set({
      cursor: step.cursor,
      finishedAt: finishedAtMs,
      objectsChecked: sql`objects_checked + ${step.objectsChecked}`,
      bytesChecked: sql`bytes_checked + ${step.bytesChecked}`,
      recordsChecked: sql`records_checked + ${step.recordsChecked}`,
      objectsWithoutRecord: sql`objects_without_record + ${count("object_without_record")}`,
      recordsWithoutObject: sql`records_without_object + ${count("record_without_object")}`,
    })
    .where(
      and(eq(reconciliations.id, id), eq(reconciliations.cursor, cursor), isNull(reconciliations.finishedAt)),
    )
    .returning();
  return saved;
}
