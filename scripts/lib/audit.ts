import { z } from "zod";
import { exportTrail } from "../../src/audit-trail/audit-trail.service.ts";
import { OPERATOR } from "../../src/audit/audit.repository.ts";
import { DAY_MS } from "../../src/platform/clock.ts";
import { newId } from "../../src/platform/ids.ts";
import { query, type DatabaseTarget } from "./database.ts";
import { outsideDatabase } from "./outside-connection.ts";

/** An account's audit trail as CSV, the file that its owners get. That the operator took it along is an entry itself. */
export async function exportAccountTrail(
  target: DatabaseTarget,
  { accountId, from, until }: { accountId: string; from?: string | undefined; until?: string | undefined },
): Promise<ReadableStream<Uint8Array>> {
  const fromMs = dayOf("from", from);
  const untilDayMs = dayOf("until", until);
  await requireTrail(target, accountId);
  return await exportTrail(
    outsideDatabase(target),
    { accountId, fromMs, untilMs: untilDayMs === undefined ? undefined : untilDayMs + DAY_MS },
    { accountId, actor: OPERATOR, requestId: newId("request"), nowMs: Date.now() },
  );
}

/** The trail of a deleted account stays as long as its entries are kept. */
async function requireTrail(target: DatabaseTarget, accountId: string): Promise<void> {
  const found = await query(
    target,
    `SELECT id FROM accounts WHERE id = ?1
     UNION ALL SELECT account_id FROM audit_entries WHERE account_id = ?1 LIMIT 1`,
    [accountId],
  );
  if (found.length === 0) throw new Error(`There is no account ${accountId}.`);
}

function dayOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!z.iso.date().safeParse(text).success)
    throw new Error(`--${name} is ${JSON.stringify(text)}; expected a date like 2026-11-23.`);
  return Date.parse(text);
}
