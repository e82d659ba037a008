import { query, type DatabaseTarget } from "./database.ts";
import type { Row } from "./sql-statements.ts";

const SHOWN_FINDINGS = 100;

/** The last finished comparison of files and records, with the first of its findings. Throws when there is none. */
export async function lastReconciliation(target: DatabaseTarget): Promise<Row> {
  const [last] = await query(
    target,
    `SELECT id, started_at AS startedAt, finished_at AS finishedAt, objects_checked AS objectsChecked,
       bytes_checked AS bytesChecked, records_checked AS recordsChecked, objects_without_record AS objectsWithoutRecord,
       records_without_object AS recordsWithoutObject
     FROM reconciliations WHERE finished_at IS NOT NULL ORDER BY started_at DESC LIMIT 1`,
  );
  if (last === undefined)
    throw new Error("Files and records have not been compared yet. That happens every night.");
  const findings = await query(
    target,
    `SELECT kind, object_key AS objectKey FROM reconciliation_findings
     WHERE reconciliation_id = ? ORDER BY kind, object_key LIMIT ?`,
    [String(last["id"]), SHOWN_FINDINGS],
  );
  return { ...last, findings };
}
