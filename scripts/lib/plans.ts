import { billingPeriod } from "../../src/usage/billing-period.ts";
import { UNITS_A_MINUTE } from "../../src/usage/quota-units.ts";
import { PLANS, effectiveLimits, type PlanLimits } from "../../src/vocabulary/plans.ts";
import { requireAccount } from "./accounts.ts";
import { query, type DatabaseTarget } from "./database.ts";
import { listMembers } from "./people.ts";
import type { Row } from "./sql-statements.ts";

/** The plans and what each allows; null is no limit. */
export function listPlans(): Row[] {
  return Object.entries(PLANS).map(([plan, limits]) => {
    const { requestsPerMinute, imagesPerPeriod, videoMinutesPerPeriod } = limits;
    return { plan, requestsPerMinute, imagesPerPeriod, videoMinutesPerPeriod };
  });
}

/** What an account may, and which of it holds for this account alone. */
export async function showPlan(target: DatabaseTarget, accountId: string): Promise<Row> {
  const account = await requireAccount(target, accountId);
  const { plan, requestsPerMinute, imagesPerPeriod, videoMinutesPerPeriod } = account;
  const own = { requestsPerMinute, imagesPerPeriod, videoMinutesPerPeriod };
  const ownNames = Object.entries(own).flatMap(([name, limit]) => (limit === null ? [] : [name]));
  return {
    accountId,
    name: account.name,
    plan,
    ...effectiveLimits(plan, own),
    ...retentionOf(account),
    setOnTheAccount: [...ownNames, ...ownRetention(account)],
  };
}

/** An account's plan, limits, state, members, and numbers of keys and endpoints. */
export async function showAccount(target: DatabaseTarget, accountId: string): Promise<Row> {
  const plan = await showPlan(target, accountId);
  const [state = {}] = await query(
    target,
    `SELECT created_at AS createdAt, suspended_at AS suspendedAt, suspended_reason AS suspendedReason,
       deletion_requested_at AS deletionRequestedAt,
       (SELECT count(*) FROM api_keys WHERE account_id = ?1 AND revoked_at IS NULL
         AND (expires_at IS NULL OR expires_at > ?2)) AS keys,
       (SELECT count(*) FROM webhook_endpoints WHERE account_id = ?1) AS endpoints
     FROM accounts WHERE id = ?1`,
    [accountId, Date.now()],
  );
  const { createdAt, keys, endpoints, ...others } = state;
  return {
    ...plan,
    state: stateOf(state),
    createdAt,
    ...others,
    keys,
    endpoints,
    members: await listMembers(target, accountId),
  };
}

function stateOf(state: Row): string {
  if (state["deletionRequestedAt"] !== null) return "being deleted";
  return state["suspendedAt"] === null ? "active" : "suspended";
}

type Account = Awaited<ReturnType<typeof requireAccount>>;

/** The service's own times are variables of its Workers, which the database does not know. */
function retentionOf({ sourceRetentionHours, outputRetentionDays }: Account): Row {
  return {
    sourceRetentionHours: sourceRetentionHours ?? "the service's",
    outputRetentionDays: outputRetentionDays ?? "the service's",
  };
}

function ownRetention({ sourceRetentionHours, outputRetentionDays }: Account): string[] {
  return Object.entries({ sourceRetentionHours, outputRetentionDays }).flatMap(([name, value]) =>
    value === null ? [] : [name],
  );
}

/** What an account has used, has reserved for files under way and has left of its quotas in the period of now. */
export async function showUsage(target: DatabaseTarget, accountId: string): Promise<Row> {
  const account = await requireAccount(target, accountId);
  const limits = effectiveLimits(account.plan, account);
  const period = billingPeriod(Date.now(), account.anchorDay);
  const rows = await query(
    target,
    `SELECT media_type AS mediaType, used_units AS usedUnits, reserved_units AS reservedUnits
     FROM usage WHERE account_id = ? AND period_start = ?`,
    [accountId, period.start],
  );
  return {
    accountId,
    plan: account.plan,
    periodStart: period.start,
    periodEnd: period.end,
    quotas: [
      quotaOf({ quota: "images", row: rowOf(rows, "image"), unitsEach: 1, limit: limits.imagesPerPeriod }),
      quotaOf({
        quota: "video minutes",
        row: rowOf(rows, "video"),
        unitsEach: UNITS_A_MINUTE,
        limit: limits.videoMinutesPerPeriod,
      }),
    ],
  };
}

function rowOf(rows: readonly Row[], mediaType: string): Row | undefined {
  return rows.find((row) => row["mediaType"] === mediaType);
}

function quotaOf({
  quota,
  row,
  unitsEach,
  limit,
}: {
  quota: string;
  row: Row | undefined;
  unitsEach: number;
  limit: PlanLimits["imagesPerPeriod"];
}): Row {
  const usedUnits = Number(row?.["usedUnits"] ?? 0);
  const reservedUnits = Number(row?.["reservedUnits"] ?? 0);
  // Subtracted in whole units: hundredths of a minute are no binary fractions.
  const left = limit === null ? null : Math.max(0, limit * unitsEach - usedUnits - reservedUnits) / unitsEach;
  return { quota, used: usedUnits / unitsEach, reserved: reservedUnits / unitsEach, left, limit };
}
