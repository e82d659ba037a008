import type { AuditKind } from "../../src/audit/audit.table.ts";
import { newId } from "../../src/platform/ids.ts";
import { queryAll, type DatabaseTarget } from "./database.ts";
import type { Row, Statement } from "./sql-statements.ts";

/** The operator's actions, as the audit trail names them. */
export interface OperatorDone {
  readonly kind: AuditKind;
  readonly subjectId: string;
  readonly detail?: string | undefined;
}

/** The entry of a change in an account's audit trail. It writes nothing unless the statement before it changed something. */
export function operatorEntry(accountId: string, { kind, subjectId, detail }: OperatorDone): Statement {
  const nowMs = Date.now();
  return {
    text: `INSERT INTO audit_entries (id, account_id, actor_kind, actor_id, kind, subject_id, detail, request_id, created_at)
      SELECT ?, ?, 'operator', 'operator', ?, ?, ?, ?, ? WHERE changes() > 0`,
    values: [newId("auditEntry", nowMs), accountId, kind, subjectId, detail ?? null, newId("request"), nowMs],
  };
}

/**
 * Changes something of an account and records it in its audit trail, both or neither; a change of nothing is not recorded.
 *
 * @returns the rows that the change returns
 */
export async function changeRecorded(
  target: DatabaseTarget,
  accountId: string,
  { done, ...change }: Statement & { readonly done: OperatorDone },
): Promise<readonly Row[]> {
  const [changed = []] = await queryAll(target, [change, operatorEntry(accountId, done)]);
  return changed;
}
