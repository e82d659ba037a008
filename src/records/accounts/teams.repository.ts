import { and, asc, eq, sql } from "drizzle-orm";
import { makeChange, type Deed } from "../audit/audit.repository.ts";
import { suspensionColumns, verificationColumns } from "./accounts.repository.ts";
import { accounts } from "./accounts.table.ts";
import { users } from "./identity.table.ts";
import { locationColumn } from "../directory/account-locations.repository.ts";
import { accountLocations } from "../directory/directory.table.ts";
import type { Database } from "../../ground/platform/database.ts";
import { memberships, type Role } from "./teams.table.ts";

/** A team that a user belongs to, with its account. */
export type Membership = Awaited<ReturnType<typeof membershipsOf>>[number];

/** The teams of a user, the oldest membership first, and where the data of each is. */
export async function membershipsOf(database: Database, userId: string) {
  return await database.orm
    .select({
      accountId: accounts.id,
      name: accounts.name,
      role: memberships.role,
      plan: accounts.plan,
      anchorDay: accounts.anchorDay,
      requestsPerMinute: accounts.requestsPerMinute,
      imagesPerPeriod: accounts.imagesPerPeriod,
      videoMinutesPerPeriod: accounts.videoMinutesPerPeriod,
      ...verificationColumns,
      ...suspensionColumns,
      ...locationColumn,
    })
    .from(memberships)
    .innerJoin(accounts, eq(accounts.id, memberships.accountId))
    .leftJoin(accountLocations, eq(accountLocations.accountId, accounts.id))
    .where(eq(memberships.userId, userId))
    .orderBy(asc(memberships.createdAt), asc(accounts.id));
}

/** A member of a team. */
export type Member = Awaited<ReturnType<typeof membersOf>>[number];

/** The members of a team, the oldest first. */
export async function membersOf(database: Database, accountId: string) {
  return await database.orm
    .select({
      userId: users.id,
      name: users.name,
      email: users.email,
      role: memberships.role,
      hasSecondFactor: sql<boolean>`coalesce(${users.twoFactorEnabled}, 0)`.mapWith(Boolean),
      createdAt: memberships.createdAt,
    })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(eq(memberships.accountId, accountId)))
    .orderBy(asc(memberships.createdAt), asc(users.id));
}

/** Makes a team with its first owner, unless that user owns one already. @returns whether it was made */
export async function insertTeam(
  database: Database,
  team: { accountId: string; name: string; plan: string; anchorDay: number; ownerId: string; nowMs: number },
): Promise<boolean> {
  const [made] = await database.raw.batch([
    database.raw
      .prepare(
        `INSERT INTO accounts (id, name, plan, anchor_day, created_at)
         SELECT ?1, ?2, ?3, ?4, ?5
         WHERE NOT EXISTS (SELECT 1 FROM memberships WHERE user_id = ?6 AND role = 'owner')`,
      )
      .bind(team.accountId, team.name, team.plan, team.anchorDay, team.nowMs, team.ownerId),
    database.raw
      .prepare(
        `INSERT INTO memberships (account_id, user_id, role, created_at)
         SELECT id, ?2, 'owner', ?3 FROM accounts WHERE id = ?1`,
      )
      .bind(team.accountId, team.ownerId, team.nowMs),
  ]);
  return (made?.meta.changes ?? 0) > 0;
}

/** Makes a user a member of a team, as `role`; one who is a member already stays as is. */
export async function insertMembership(
  database: Database,
  { accountId, userId, role, nowMs }: { accountId: string; userId: string; role: Role; nowMs: number },
): Promise<void> {
  await database.orm
    .insert(memberships)
    .values({ accountId, userId, role, createdAt: nowMs })
    .onConflictDoNothing();
}

/** Names a team. */
export async function renameTeam(database: Database, name: string, deed: Deed): Promise<void> {
  const rename = database.raw
    .prepare("UPDATE accounts SET name = ?2 WHERE id = ?1")
    .bind(deed.accountId, name);
  await makeChange(database, rename, { deed, done: { kind: "team.renamed", subjectId: deed.accountId } });
}

/** Sets whether outputs are read again unless an upload says otherwise. It applies to uploads from now on. */
export async function setVerification(
  database: Database,
  { photos, videos }: { readonly photos: boolean; readonly videos: boolean },
  deed: Deed,
): Promise<void> {
  const change = database.raw
    .prepare("UPDATE accounts SET verify_photos = ?2, verify_videos = ?3 WHERE id = ?1")
    .bind(deed.accountId, photos ? 1 : 0, videos ? 1 : 0);
  const detail = `photos=${photos ? "on" : "off"} videos=${videos ? "on" : "off"}`;
  const done = { kind: "account.verification_changed", subjectId: deed.accountId, detail } as const;
  await makeChange(database, change, { deed, done });
}

/** True of a change that leaves a team with an owner: somebody other than the member ?2 is one. */
const ANOTHER_OWNER =
  "EXISTS (SELECT 1 FROM memberships WHERE account_id = ?1 AND role = 'owner' AND user_id <> ?2)";

/** Changes what a member may do. The last owner stays one. @returns whether it was changed */
export async function changeRole(
  database: Database,
  { userId, role }: { userId: string; role: Role },
  deed: Deed,
): Promise<boolean> {
  const change = database.raw
    .prepare(
      `UPDATE memberships SET role = ?3 WHERE account_id = ?1 AND user_id = ?2 AND (?3 = 'owner' OR ${ANOTHER_OWNER})`,
    )
    .bind(deed.accountId, userId, role);
  const result = await makeChange(database, change, {
    deed,
    done: { kind: "member.role_changed", subjectId: userId, detail: role },
  });
  return (result?.meta.changes ?? 0) > 0;
}

/** Ends a membership. The last owner stays. @returns whether it was ended */
export async function deleteMembership(database: Database, userId: string, deed: Deed): Promise<boolean> {
  const remove = database.raw
    .prepare(
      `DELETE FROM memberships WHERE account_id = ?1 AND user_id = ?2 AND (role <> 'owner' OR ${ANOTHER_OWNER})`,
    )
    .bind(deed.accountId, userId);
  const result = await makeChange(database, remove, {
    deed,
    done: { kind: "member.removed", subjectId: userId },
  });
  return (result?.meta.changes ?? 0) > 0;
}
