import { env } from "cloudflare:workers";
import { newApiKey } from "../../src/records/accounts/api-keys.ts";
import type { PlanName } from "../../src/ground/vocabulary/plans.ts";
import { newId } from "../../src/ground/platform/ids.ts";

export interface TestAccount {
  readonly accountId: string;
  readonly keyId: string;
  readonly apiKey: string;
}

/** Creates an account with a key directly in the database. */
export async function createAccount(
  options: { plan?: PlanName; requestsPerMinute?: number; imagesPerPeriod?: number; anchorDay?: number } = {},
): Promise<TestAccount> {
  const accountId = newId("account");
  const { plan = "Enterprise", requestsPerMinute = null, imagesPerPeriod = null, anchorDay = 1 } = options;
  await env.DB.prepare(
    `INSERT INTO accounts (id, name, plan, anchor_day, requests_per_minute, images_per_period, created_at)
     VALUES (?, 'Test', ?, ?, ?, ?, ?)`,
  )
    .bind(accountId, plan, anchorDay, requestsPerMinute, imagesPerPeriod, Date.now())
    .run();
  return { accountId, ...(await createKey(accountId)) };
}

/** Creates another key of an account. */
export async function createKey(accountId: string): Promise<{ keyId: string; apiKey: string }> {
  const keyId = newId("apiKey");
  const { secret, prefix, sha256 } = await newApiKey();
  await env.DB.prepare(
    "INSERT INTO api_keys (id, account_id, name, prefix, sha256, created_at) VALUES (?, ?, 'Test', ?, ?, ?)",
  )
    .bind(keyId, accountId, prefix, sha256, Date.now())
    .run();
  return { keyId, apiKey: secret };
}

/** Revokes a key, as the operator's command does. */
export async function revokeKey(keyId: string): Promise<void> {
  await env.DB.prepare("UPDATE api_keys SET revoked_at = ? WHERE id = ?").bind(Date.now(), keyId).run();
}

/** Suspends an account, or requests its deletion, as the operator's commands do. */
export async function suspendAccount(
  accountId: string,
  { reason = null, isDeleted = false }: { reason?: string | null; isDeleted?: boolean } = {},
): Promise<void> {
  await env.DB.prepare(
    "UPDATE accounts SET suspended_at = ?2, suspended_reason = ?3, deletion_requested_at = ?4 WHERE id = ?1",
  )
    .bind(accountId, Date.now(), reason, isDeleted ? Date.now() : null)
    .run();
}

/** Ends a suspension, as the operator's command does. */
export async function resumeAccount(accountId: string): Promise<void> {
  await env.DB.prepare("UPDATE accounts SET suspended_at = NULL, suspended_reason = NULL WHERE id = ?")
    .bind(accountId)
    .run();
}
