import type { AccountRow } from "../../src/records/accounts/account-settings.repository.ts";
import { listKeys, type KeyListing } from "../../src/records/accounts/accounts.repository.ts";
import { billingPeriod } from "../../src/records/usage/billing-period.ts";
import { UNITS_A_MINUTE } from "../../src/records/usage/quota-units.ts";
import { findConsumption, type Consumption } from "../../src/records/usage/usage.repository.ts";
import { PLANS, effectiveLimits, type PlanLimits } from "../../src/ground/vocabulary/plans.ts";
import { listEndpointRows } from "../../src/records/events/webhook-endpoints.repository.ts";
import { homeOf } from "./account-moves.ts";
import { requireAccount } from "./accounts.ts";
import type { DatabaseTarget } from "./database.ts";
import { outsideDatabase } from "./outside-connection.ts";
import { listMembers } from "./people.ts";
import type { Row } from "./sql-statements.ts";

/** The plans and their limits. Null means unlimited. */
export function listPlans(): Row[] {
  return Object.entries(PLANS).map(([plan, limits]) => {
    const { requestsPerMinute, imagesPerPeriod, videoMinutesPerPeriod } = limits;
    return { plan, requestsPerMinute, imagesPerPeriod, videoMinutesPerPeriod };
  });
}

/** An account's limits, and which of them are its own. */
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
  const database = outsideDatabase(target);
  const account = await requireAccount(target, accountId);
  const { createdAt, suspendedAt, suspendedReason, deletionRequestedAt } = account;
  const keys = await listKeys(database, accountId);
  return {
    ...(await showPlan(target, accountId)),
    state: stateOf(account),
    createdAt,
    suspendedAt,
    suspendedReason,
    deletionRequestedAt,
    keys: keys.filter(isUsable).length,
    endpoints: (await listEndpointRows(outsideDatabase(await homeOf(target, accountId)), accountId)).length,
    members: await listMembers(target, accountId),
  };
}

function isUsable({ revokedAt, expiresAt }: KeyListing): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > Date.now());
}

function stateOf({ suspendedAt, deletionRequestedAt }: AccountRow): string {
  if (deletionRequestedAt !== null) return "being deleted";
  return suspendedAt === null ? "active" : "suspended";
}

/** The service's defaults are variables of its Workers and not in the database. */
function retentionOf({ sourceRetentionHours, outputRetentionDays }: AccountRow): Row {
  return {
    sourceRetentionHours: sourceRetentionHours ?? "the service's",
    outputRetentionDays: outputRetentionDays ?? "the service's",
  };
}

function ownRetention({ sourceRetentionHours, outputRetentionDays }: AccountRow): string[] {
  return Object.entries({ sourceRetentionHours, outputRetentionDays }).flatMap(([name, value]) =>
    value === null ? [] : [name],
  );
}

/** An account's used, reserved and remaining quotas in the current period. */
export async function showUsage(target: DatabaseTarget, accountId: string): Promise<Row> {
  const account = await requireAccount(target, accountId);
  const limits = effectiveLimits(account.plan, account);
  const period = billingPeriod(Date.now(), account.anchorDay);
  const consumption = await findConsumption(outsideDatabase(target), {
    accountId,
    periodStart: period.start,
  });
  return {
    accountId,
    plan: account.plan,
    periodStart: period.start,
    periodEnd: period.end,
    quotas: [
      quotaOf({ quota: "images", used: consumption.image, unitsEach: 1, limit: limits.imagesPerPeriod }),
      quotaOf({
        quota: "video minutes",
        used: consumption.video,
        unitsEach: UNITS_A_MINUTE,
        limit: limits.videoMinutesPerPeriod,
      }),
    ],
  };
}

function quotaOf({
  quota,
  used: { usedUnits, reservedUnits },
  unitsEach,
  limit,
}: {
  quota: string;
  used: Consumption;
  unitsEach: number;
  limit: PlanLimits["imagesPerPeriod"];
}): Row {
  // Subtracted in whole units, because hundredths of a minute are not exact in binary.
  const left = limit === null ? null : Math.max(0, limit * unitsEach - usedUnits - reservedUnits) / unitsEach;
  return { quota, used: usedUnits / unitsEach, reserved: reservedUnits / unitsEach, left, limit };
}
