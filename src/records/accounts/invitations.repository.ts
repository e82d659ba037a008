import { and, desc, eq, gt, isNull } from "drizzle-orm";
import { makeChange, prepareEntry, type Deed } from "../audit/audit.repository.ts";
import { accounts } from "./accounts.table.ts";
import type { Database } from "../../ground/platform/database.ts";
import { invitations, type Role } from "./teams.table.ts";

/** An invitation that may still be accepted. */
export type Invitation = Awaited<ReturnType<typeof openInvitations>>[number];

const columns = {
  id: invitations.id,
  accountId: invitations.accountId,
  email: invitations.email,
  role: invitations.role,
  createdAt: invitations.createdAt,
  expiresAt: invitations.expiresAt,
};

function isOpen(nowMs: number) {
  return and(isNull(invitations.acceptedAt), isNull(invitations.revokedAt), gt(invitations.expiresAt, nowMs));
}

/** The open invitations of a team, the newest first. */
export async function openInvitations(database: Database, accountId: string, nowMs: number) {
  return await database.orm
    .select(columns)
    .from(invitations)
    .where(and(eq(invitations.accountId, accountId), isOpen(nowMs)))
    .orderBy(desc(invitations.createdAt), desc(invitations.id));
}

/** The open invitation of a link, with the name of its team, or undefined. */
export async function findInvitation(database: Database, tokenSha256: string, nowMs: number) {
  const [found] = await database.orm
    .select({ ...columns, teamName: accounts.name })
    .from(invitations)
    .innerJoin(accounts, eq(accounts.id, invitations.accountId))
    .where(and(eq(invitations.tokenSha256, tokenSha256), isOpen(nowMs)))
    .limit(1);
  return found;
}

/**
 * An invitation that is neither accepted nor revoked, with its team; undefined if there is none. For the operator, who names the
 * invitation alone.
 */
export async function findUnanswered(
  { orm }: Database,
  invitationId: string,
): Promise<{ readonly accountId: string; readonly email: string } | undefined> {
  const [found] = await orm
    .select({ accountId: invitations.accountId, email: invitations.email })
    .from(invitations)
    .where(
      and(eq(invitations.id, invitationId), isNull(invitations.acceptedAt), isNull(invitations.revokedAt)),
    )
    .limit(1);
  return found;
}

/** Whether somebody has invited this address. */
export async function isInvited(database: Database, email: string, nowMs: number): Promise<boolean> {
  const found = await database.orm
    .select({ id: invitations.id })
    .from(invitations)
    .where(and(eq(invitations.email, email), isOpen(nowMs)))
    .limit(1);
  return found.length > 0;
}

export interface NewInvitation {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly tokenSha256: string;
  readonly expiresAtMs: number;
}

/** Stores an invitation and replaces open ones for the same team and address, unless the team has `limit` other open invitations. */
export async function insertInvitation(
  database: Database,
  invitation: NewInvitation,
  { deed, limit }: { deed: Deed; limit: number },
): Promise<boolean> {
  const { id, email, role, tokenSha256, expiresAtMs } = invitation;
  const { accountId, nowMs } = deed;
  const [, made] = await database.raw.batch([
    database.raw
      .prepare(
        `UPDATE invitations SET revoked_at = ?3
         WHERE account_id = ?1 AND email = ?2 AND accepted_at IS NULL AND revoked_at IS NULL`,
      )
      .bind(accountId, email, nowMs),
    database.raw
      .prepare(
        `INSERT INTO invitations (id, account_id, email, role, token_sha256, created_at, expires_at)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7
         WHERE (SELECT count(*) FROM invitations
           WHERE account_id = ?2 AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > ?6) < ?8`,
      )
      .bind(id, accountId, email, role, tokenSha256, nowMs, expiresAtMs, limit),
    prepareEntry(database, deed, { kind: "member.invited", subjectId: id, detail: role }),
  ]);
  return (made?.meta.changes ?? 0) > 0;
}

/** Revokes an open invitation. @returns whether there was one */
export async function revokeInvitation(
  database: Database,
  invitationId: string,
  deed: Deed,
): Promise<boolean> {
  const revoke = database.raw
    .prepare(
      `UPDATE invitations SET revoked_at = ?3
       WHERE account_id = ?1 AND id = ?2 AND accepted_at IS NULL AND revoked_at IS NULL`,
    )
    .bind(deed.accountId, invitationId, deed.nowMs);
  const result = await makeChange(database, revoke, {
    deed,
    done: { kind: "member.invitation_revoked", subjectId: invitationId },
  });
  return (result?.meta.changes ?? 0) > 0;
}

/** Makes the invited user a member and closes the invitation, in one step. @returns whether it was still open */
export async function acceptInvitation(
  database: Database,
  { tokenSha256, email, userId }: { tokenSha256: string; email: string; userId: string },
  deed: Deed,
): Promise<boolean> {
  const { nowMs } = deed;
  const open =
    "token_sha256 = ?1 AND email = ?2 AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > ?3";
  const [, closed] = await database.raw.batch([
    database.raw
      .prepare(
        `INSERT INTO memberships (account_id, user_id, role, created_at)
         SELECT account_id, ?4, role, ?3 FROM invitations WHERE ${open}
         ON CONFLICT (account_id, user_id) DO NOTHING`,
      )
      .bind(tokenSha256, email, nowMs, userId),
    database.raw
      .prepare(`UPDATE invitations SET accepted_at = ?3 WHERE ${open}`)
      .bind(tokenSha256, email, nowMs),
    prepareEntry(database, deed, { kind: "member.joined", subjectId: userId }),
  ]);
  return (closed?.meta.changes ?? 0) > 0;
}
