import { OPERATOR, prepareEntry, type Deed, type Done } from "../../src/audit/audit.repository.ts";
import { newId } from "../../src/platform/ids.ts";
import type { DatabaseTarget } from "./database.ts";
import { outsideDatabase } from "./outside-connection.ts";
import type { Row, SqlValue } from "./sql-statements.ts";

/** What the operator does now in an account, for its audit trail. */
export function deedOn(accountId: string): Deed {
  return { accountId, actor: OPERATOR, requestId: newId("request"), nowMs: Date.now() };
}

/** One statement with its values, and what it does as the audit trail names it. */
export interface RecordedChange {
  readonly text: string;
  readonly values: readonly SqlValue[];
  readonly done: Done;
}

/**
 * Changes something of an account and records it in its audit trail, both or neither; a change of nothing is not recorded.
 *
 * @returns the rows that the change returns
 */
export async function changeRecorded(
  target: DatabaseTarget,
  accountId: string,
  { text, values, done }: RecordedChange,
): Promise<readonly Row[]> {
  const database = outsideDatabase(target);
  const [changed] = await database.raw.batch<Row>([
    database.raw.prepare(text).bind(...values),
    prepareEntry(database, deedOn(accountId), done),
  ]);
  return changed?.results ?? [];
}
