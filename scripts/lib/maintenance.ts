import { requestRedrive } from "../../src/records/dead-letters/dead-letters.repository.ts";
import type { DeadLetterListing } from "../../src/work/maintenance/dead-letter-list.repository.ts";
import { deadLettersOf } from "../../src/work/maintenance/operations.service.ts";
import { everyDatabase } from "./account-moves.ts";
import type { DatabaseTarget } from "./database.ts";
import { outsideDatabase } from "./outside-connection.ts";
import { lastReconciliation, listFindings } from "../../src/work/maintenance/reconciliations.repository.ts";
import type { Row } from "./sql-statements.ts";

const SHOWN_LETTERS = 1_000;
const SHOWN_FINDINGS = 100;

/** Dead letters, newest first, with the current state of their media items. */
export async function showDeadLetters(target: DatabaseTarget): Promise<DeadLetterListing[]> {
  return await deadLettersOf(everyDatabase(target).map(outsideDatabase), SHOWN_LETTERS);
}

/**
 * Requests that the next sweep resends a dead letter to its queue. Throws if there is no such message.
 *
 * @param messageId its message ID, or `all` for all that have not been resent yet
 * @returns how many will be sent
 */
export async function redriveDeadLetters(target: DatabaseTarget, messageId: string): Promise<number> {
  const asked: unknown[] = [];
  for (const place of everyDatabase(target))
    asked.push(...(await requestRedrive(outsideDatabase(place), messageId, Date.now())));
  if (messageId !== "all" && asked.length === 0) throw new Error(`There is no dead letter ${messageId}.`);
  return asked.length;
}

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
