import { asc, eq } from "drizzle-orm";
import { entryOfChange, type Deed, type Done } from "../audit/audit.repository.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { PlanName } from "../../ground/vocabulary/plans.ts";
import { accounts } from "./accounts.table.ts";

export type AccountRow = typeof accounts.$inferSelect;

/** Adds an account. */
export async function insertAccount(
  { orm }: Database,
  account: Pick<AccountRow, "id" | "name" | "plan" | "anchorDay" | "createdAt">,
): Promise<void> {
  await orm.insert(accounts).values(account);
}

/** All accounts, oldest first. For the operator. */
export async function listAccounts({ orm }: Database): Promise<AccountRow[]> {
  return await orm.select().from(accounts).orderBy(asc(accounts.createdAt), asc(accounts.id));
}

/** An account; undefined if there is none. */
export async function findAccount({ orm }: Database, accountId: string): Promise<AccountRow | undefined> {
  const [row] = await orm.select().from(accounts).where(eq(accounts.id, accountId)).limit(1);
  return row;
}

/** An account's own values in place of its plan's or the service's. Null clears a value; undefined leaves it. */
type OwnValues<Name extends keyof AccountRow> = { readonly [Key in Name]?: number | null | undefined };

/** The limits that an account has in place of its plan's. */
export type LimitChange = OwnValues<"requestsPerMinute" | "imagesPerPeriod" | "videoMinutesPerPeriod">;

/** How long an account's files are stored, in place of the service's times. */
export type RetentionChange = OwnValues<"sourceRetentionHours" | "outputRetentionDays">;

/** Moves an account to a plan and changes its own limits. @returns whether the account exists */
export async function setPlan(
  database: Database,
  { plan, limits }: { readonly plan: PlanName; readonly limits: LimitChange },
  deed: Deed,
): Promise<boolean> {
  const detail = [plan, ...detailsOf(limits)].join(" ");
  const done = { kind: "account.plan_changed", subjectId: deed.accountId, detail } as const;
  return await changeAccount(database, { plan, ...limits }, { deed, done });
}

/** Changes how long an account's files are stored. @returns whether the account exists */
export async function setRetention(
  database: Database,
  retention: RetentionChange,
  deed: Deed,
): Promise<boolean> {
  const detail = detailsOf(retention).join(" ");
  const done = { kind: "account.retention_changed", subjectId: deed.accountId, detail } as const;
  return await changeAccount(database, retention, { deed, done });
}

async function changeAccount(
  database: Database,
  change: LimitChange & RetentionChange & { readonly plan?: PlanName },
  { deed, done }: { readonly deed: Deed; readonly done: Done },
): Promise<boolean> {
  const [{ meta }] = await database.orm.batch([
    database.orm.update(accounts).set(change).where(eq(accounts.id, deed.accountId)),
    entryOfChange(database, deed, done),
  ]);
  return meta.changes > 0;
}

/** The changed values in the form of the audit trail. */
function detailsOf(change: LimitChange & RetentionChange): string[] {
  const names = Object.keys(change) as (keyof typeof change)[];
  return names.flatMap((name) => {
    const value = change[name];
    return value === undefined ? [] : [`${accounts[name].name}=${value ?? "default"}`];
  });
}
