import { z } from "zod";
import { newId, randomToken, sha256Hex } from "../../src/platform/ids.ts";
import { ROLES } from "../../src/teams/teams.table.ts";
import { query, type DatabaseTarget } from "./database.ts";

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
  const made = await query(
    target,
    `INSERT INTO invitations (id, account_id, email, role, token_sha256, created_at, expires_at)
     SELECT ?, id, ?, ?, ?, ?, ? FROM accounts WHERE id = ? RETURNING id`,
    [invitationId, address.data, wanted.data, await sha256Hex(token), now, now + INVITATION_MS, accountId],
  );
  if (made.length === 0) throw new Error(`There is no account ${accountId}.`);
  return { invitationId, email: address.data, role: wanted.data, path: `/dashboard/invitations/${token}` };
}
