import { z } from "zod";
import { findAccount } from "../../src/records/accounts/account-settings.repository.ts";
import { listEntries } from "../../src/records/audit-trail/audit-trail.repository.ts";
import { exportTrail } from "../../src/records/audit-trail/audit-trail.service.ts";
import { OPERATOR } from "../../src/records/audit/audit.repository.ts";
import { DAY_MS } from "../../src/ground/platform/clock.ts";
import type { Database } from "../../src/ground/platform/database.ts";
import { newId } from "../../src/ground/platform/ids.ts";
import { noAccount } from "./accounts.ts";
import type { DatabaseTarget } from "./database.ts";
import { outsideDatabase } from "./outside-connection.ts";

/** An account's audit trail as CSV, the file that its owners get. The export adds an entry to the trail. */
export async function exportAccountTrail(
  target: DatabaseTarget,
  { accountId, from, until }: { accountId: string; from?: string | undefined; until?: string | undefined },
): Promise<ReadableStream<Uint8Array>> {
  const fromMs = dayOf("from", from);
  const untilDayMs = dayOf("until", until);
  const database = outsideDatabase(target);
  await requireTrail(database, accountId);
  return await exportTrail(
    database,
    { accountId, fromMs, untilMs: untilDayMs === undefined ? undefined : untilDayMs + DAY_MS },
    { accountId, actor: OPERATOR, requestId: newId("request"), nowMs: Date.now() },
  );
}

/** Checks that an account has a trail. The trail of a deleted account stays until its entries expire. */
async function requireTrail(database: Database, accountId: string): Promise<void> {
  const entries = await listEntries(database, { accountId }, { limit: 1 });
  if (entries.length === 0 && (await findAccount(database, accountId)) === undefined)
    throw noAccount(accountId);
}

function dayOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!z.iso.date().safeParse(text).success)
    throw new Error(`--${name} is ${JSON.stringify(text)}; expected a date like 2026-11-23.`);
  return Date.parse(text);
}
