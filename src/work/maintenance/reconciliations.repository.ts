import { asc, desc, eq, isNotNull } from "drizzle-orm";
import type { Database } from "../../ground/platform/database.ts";
import { reconciliationFindings, reconciliations } from "./storage-reconciliation.table.ts";

/** A finished comparison of files and records. */
export type FinishedReconciliation = typeof reconciliations.$inferSelect & { readonly finishedAt: number };

/** The last finished comparison of files and records; undefined before the first. */
export async function lastReconciliation({ orm }: Database): Promise<FinishedReconciliation | undefined> {
  const [last] = await orm
    .select()
    .from(reconciliations)
    .where(isNotNull(reconciliations.finishedAt))
    .orderBy(desc(reconciliations.startedAt))
    .limit(1);
  if (last === undefined || last.finishedAt === null) return undefined;
  return { ...last, finishedAt: last.finishedAt };
}

/** The findings of a comparison, sorted by kind and key, at most `limit`. */
export async function listFindings({ orm }: Database, reconciliationId: string, limit: number) {
  const { kind, objectKey } = reconciliationFindings;
  return await orm
    .select({ kind, objectKey })
    .from(reconciliationFindings)
    .where(eq(reconciliationFindings.reconciliationId, reconciliationId))
    .orderBy(asc(kind), asc(objectKey))
    .limit(limit);
}
