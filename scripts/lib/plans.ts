import { billingPeriod } from "../../src/usage/billing-period.ts";
import { UNITS_A_MINUTE } from "../../src/usage/quota-units.ts";
import { PLANS, effectiveLimits, type PlanLimits } from "../../src/vocabulary/plans.ts";
import { requireAccount } from "./accounts.ts";
import { query, type DatabaseTarget } from "./database.ts";
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
  return { accountId, name: account.name, plan, ...effectiveLimits(plan, own), setOnTheAccount: ownNames };
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
