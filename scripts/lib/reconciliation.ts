import { lastReconciliation, listFindings } from "../../src/work/maintenance/reconciliations.repository.ts";
import type { DatabaseTarget } from "./database.ts";
import { outsideDatabase } from "./outside-connection.ts";
import type { Row } from "./sql-statements.ts";

const SHOWN_FINDINGS = 100;

/** The last finished comparison of files and records, with the first of its findings. Throws if there is none. */
export async function showReconciliation(target: DatabaseTarget): Promise<Row> {
  const database = outsideDatabase(target);
  const last = await lastReconciliation(database);
  if (last === undefined)
    throw new Error("Files and records have not been compared yet. That happens every night.");
  return {
    id: last.id,
    startedAt: last.startedAt,
    finishedAt: last.finishedAt,
    objectsChecked: last.objectsChecked,
    bytesChecked: last.bytesChecked,
    recordsChecked: last.recordsChecked,
    objectsWithoutRecord: last.objectsWithoutRecord,
    recordsWithoutObject: last.recordsWithoutObject,
    findings: await listFindings(database, last.id, SHOWN_FINDINGS),
  };
}
