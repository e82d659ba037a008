import { OPERATOR } from "../../src/records/audit/audit.repository.ts";
import { newId } from "../../src/ground/platform/ids.ts";
import {
  findResettableUser,
  resetSecondFactorOf,
} from "../../src/records/accounts/second-factor-reset.repository.ts";
import { deleteMembership, membersOf } from "../../src/records/accounts/teams.repository.ts";
import { requireAccount } from "./accounts.ts";
import type { DatabaseTarget } from "./database.ts";
import { deedOn, outsideDatabase } from "./outside-connection.ts";
import type { Row } from "./sql-statements.ts";

/** The members of an account, the oldest first. */
export async function listMembers(target: DatabaseTarget, accountId: string): Promise<Row[]> {
  await requireAccount(target, accountId);
  const members = await membersOf(outsideDatabase(target), accountId);
  return members.map(({ email, name, role, userId, hasSecondFactor, createdAt }) => {
    return { email, name, role, userId, hasSecondFactor, joinedAt: createdAt };
  });
}

/** Ends a membership but keeps the user. Throws if the membership does not exist or belongs to the last owner. */
export async function removeMember(
  target: DatabaseTarget,
  { accountId, email }: { accountId: string; email: string },
): Promise<{ accountId: string; email: string; removed: true }> {
  await requireAccount(target, accountId);
  const database = outsideDatabase(target);
  const members = await membersOf(database, accountId);
  const member = members.find((one) => one.email === normalized(email));
  if (member === undefined)
    throw new Error(`The account ${accountId} has no member ${JSON.stringify(email)}.`);
  if (!(await deleteMembership(database, member.userId, deedOn(accountId))))
    throw new Error(
      `${member.email} is the last owner of ${accountId}; invite another owner first, or delete the account.`,
    );
  return { accountId, email: member.email, removed: true };
}

/** The sign-in data removed along with the second factor. */
export interface SecondFactorReset {
  readonly userId: string;
  readonly email: string;
  readonly reset: true;
  readonly sessionsEnded: number;
}

/**
 * Removes a user's second factor and backup codes and ends all sessions. The password is then enough to sign in until the user sets up a
 * second factor again. The reset is recorded in every account that the user belongs to. Throws if the user or the second factor does not
 * exist.
 */
export async function resetSecondFactor(target: DatabaseTarget, email: string): Promise<SecondFactorReset> {
  const database = outsideDatabase(target);
  const user = await findResettableUser(database, normalized(email));
  if (user === undefined) throw new Error(`There is no user ${JSON.stringify(email)}.`);
  if (!user.hasSecondFactor) throw new Error(`${user.email} has no second factor.`);
  const deed = { actor: OPERATOR, requestId: newId("request"), nowMs: Date.now() };
  await resetSecondFactorOf(database, user.id, deed);
  return { userId: user.id, email: user.email, reset: true, sessionsEnded: user.sessions };
}

/** Addresses are stored in lower case. */
function normalized(email: string): string {
  return email.trim().toLowerCase();
}
