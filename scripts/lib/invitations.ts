import { z } from "zod";
import { newId, randomToken, sha256Hex } from "../../src/platform/ids.ts";
import { ROLES } from "../../src/teams/teams.table.ts";
import { requireAccount } from "./accounts.ts";
import { query, type DatabaseTarget } from "./database.ts";
import { changeRecorded } from "./operator-deeds.ts";
import type { Row } from "./sql-statements.ts";

const INVITATION_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Invites somebody to an account: the way to its first owner. The path of the link is returned here and nowhere else;
 * it stands after the address of the service.
 */
export async function createInvitation(
  target: DatabaseTarget,
  { accountId, email, role }: { accountId: string; email: string; role: string },
): Promise<{ invitationId: string; email: string; role: string; path: string }> {
  const address = z.email().safeParse(email.trim().toLowerCase());
  if (!address.success) throw new Error(`--email is ${JSON.stringify(email)}; expected an email address.`);
  const wanted = z.enum(ROLES).safeParse(role.toLowerCase());
  if (!wanted.success)
    throw new Error(`--role is ${JSON.stringify(role)}; expected one of ${ROLES.join(", ")}.`);
  const invitationId = newId("invitation");
  const token = randomToken();
  const now = Date.now();
  const made = await changeRecorded(target, accountId, {
    text: `INSERT INTO invitations (id, account_id, email, role, token_sha256, created_at, expires_at)
      SELECT ?, id, ?, ?, ?, ?, ? FROM accounts WHERE id = ? RETURNING id`,
    values: [
      invitationId,
      address.data,
      wanted.data,
      await sha256Hex(token),
      now,
      now + INVITATION_MS,
      accountId,
    ],
    done: { kind: "member.invited", subjectId: invitationId, detail: wanted.data },
  });
  if (made.length === 0) throw new Error(`There is no account ${accountId}.`);
  return { invitationId, email: address.data, role: wanted.data, path: `/dashboard/invitations/${token}` };
}

/** An account's open invitations, newest first. Only digests of their links are stored. */
export async function listInvitations(target: DatabaseTarget, accountId: string): Promise<Row[]> {
  await requireAccount(target, accountId);
  return await query(
    target,
    `SELECT id AS invitationId, email, role, created_at AS createdAt, expires_at AS expiresAt FROM invitations
     WHERE account_id = ? AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > ?
     ORDER BY created_at DESC, id DESC`,
    [accountId, Date.now()],
  );
}

/** Revokes an open invitation, so that its link no longer works. Throws if there is no such invitation. */
export async function revokeInvitation(
  target: DatabaseTarget,
  invitationId: string,
): Promise<{ invitationId: string; accountId: string; email: string; revoked: true }> {
  const [found] = await query(
    target,
    `SELECT account_id AS accountId, email FROM invitations
     WHERE id = ? AND accepted_at IS NULL AND revoked_at IS NULL`,
    [invitationId],
  );
  if (found === undefined) throw new Error(`There is no open invitation ${invitationId}.`);
  const accountId = String(found["accountId"]);
  await changeRecorded(target, accountId, {
    text: `UPDATE invitations SET revoked_at = ?
      WHERE account_id = ? AND id = ? AND accepted_at IS NULL AND revoked_at IS NULL`,
    values: [Date.now(), accountId, invitationId],
    done: { kind: "member.invitation_revoked", subjectId: invitationId },
  });
  return { invitationId, accountId, email: String(found["email"]), revoked: true };
}
