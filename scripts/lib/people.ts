import { requireAccount } from "./accounts.ts";
import { query, queryAll, type DatabaseTarget } from "./database.ts";
import { changeRecorded, operatorEntry } from "./operator-deeds.ts";
import type { Row } from "./sql-statements.ts";

/** The members of an account, the oldest first. */
export async function listMembers(target: DatabaseTarget, accountId: string): Promise<Row[]> {
  await requireAccount(target, accountId);
  const members = await query(
    target,
    `SELECT users.email, users.name, membership.role, users.id AS userId,
       coalesce(users.two_factor_enabled, 0) AS hasSecondFactor, membership.created_at AS joinedAt
     FROM memberships AS membership JOIN users ON users.id = membership.user_id
     WHERE membership.account_id = ? ORDER BY membership.created_at, users.id`,
    [accountId],
  );
  return Array.from(members, (member) => ({
    ...member,
    hasSecondFactor: member["hasSecondFactor"] === 1,
  }));
}

/** Ends a membership but keeps the user. Throws if the membership does not exist or belongs to the last owner. */
export async function removeMember(
  target: DatabaseTarget,
  { accountId, email }: { accountId: string; email: string },
): Promise<{ accountId: string; email: string; removed: true }> {
  const members = await listMembers(target, accountId);
  const member = members.find((one) => one["email"] === normalized(email));
  if (member === undefined)
    throw new Error(`The account ${accountId} has no member ${JSON.stringify(email)}.`);
  const userId = String(member["userId"]);
  const removed = await changeRecorded(target, accountId, {
    text: `DELETE FROM memberships WHERE account_id = ?1 AND user_id = ?2 AND (role <> 'owner' OR EXISTS
      (SELECT 1 FROM memberships WHERE account_id = ?1 AND role = 'owner' AND user_id <> ?2)) RETURNING user_id`,
    values: [accountId, userId],
    done: { kind: "member.removed", subjectId: userId },
  });
  if (removed.length === 0)
    throw new Error(
      `${String(member["email"])} is the last owner of ${accountId}; invite another owner first, or delete the account.`,
    );
  return { accountId, email: String(member["email"]), removed: true };
}

/** The sign-in data removed along with the second factor. */
export interface SecondFactorReset {
  readonly userId: string;
  readonly email: string;
  readonly reset: true;
  readonly sessionsEnded: number;
}

/**
 * Takes a user's second factor and backup codes away and ends all sessions: the password alone signs in, until the user sets a second
 * factor up again. Recorded in every account that the user belongs to. Throws if the user or the second factor does not exist.
 */
export async function resetSecondFactor(target: DatabaseTarget, email: string): Promise<SecondFactorReset> {
  const [user] = await query(
    target,
    `SELECT id, email, coalesce(two_factor_enabled, 0) OR EXISTS
       (SELECT 1 FROM two_factors WHERE two_factors.user_id = users.id) AS hasSecondFactor,
       (SELECT count(*) FROM sessions WHERE sessions.user_id = users.id) AS sessions
     FROM users WHERE email = ?`,
    [normalized(email)],
  );
  if (user === undefined) throw new Error(`There is no user ${JSON.stringify(email)}.`);
  if (user["hasSecondFactor"] !== 1) throw new Error(`${String(user["email"])} has no second factor.`);
  const userId = String(user["id"]);
  const memberships = await query(
    target,
    "SELECT account_id AS accountId FROM memberships WHERE user_id = ? ORDER BY account_id",
    [userId],
  );
  const done = { kind: "user.second_factor_reset", subjectId: userId } as const;
  await queryAll(target, [
    { text: "DELETE FROM two_factors WHERE user_id = ?", values: [userId] },
    { text: "DELETE FROM sessions WHERE user_id = ?", values: [userId] },
    {
      text: "UPDATE users SET two_factor_enabled = 0, updated_at = ? WHERE id = ?",
      values: [Date.now(), userId],
    },
    // Each entry is written only where the statement before it changed a row; an entry before it counts as one.
    ...memberships.map((membership) => operatorEntry(String(membership["accountId"]), done)),
  ]);
  return { userId, email: String(user["email"]), reset: true, sessionsEnded: Number(user["sessions"]) };
}

/** Addresses are stored in lower case. */
function normalized(email: string): string {
  return email.trim().toLowerCase();
}
