import { z } from "zod";
import { newId, randomToken, sha256Hex } from "../../src/ground/platform/ids.ts";
import {
  findUnanswered,
  insertInvitation,
  openInvitations,
  revokeInvitation as revoke,
} from "../../src/records/accounts/invitations.repository.ts";
import { ROLES } from "../../src/records/accounts/teams.table.ts";
import { requireAccount } from "./accounts.ts";
import type { DatabaseTarget } from "./database.ts";
import { deedOn, outsideDatabase } from "./outside-connection.ts";
import type { Row } from "./sql-statements.ts";

const INVITATION_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Invites somebody to an account, such as its first owner, and replaces an open invitation for the same address. The path of the link is
 * returned only here. It is relative to the address of the service.
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
  await requireAccount(target, accountId);
  const deed = deedOn(accountId);
  const token = randomToken();
  const invitation = {
    id: newId("invitation"),
    email: address.data,
    role: wanted.data,
    tokenSha256: await sha256Hex(token),
    expiresAtMs: deed.nowMs + INVITATION_MS,
  };
  await insertInvitation(outsideDatabase(target), invitation, { deed, limit: Number.MAX_SAFE_INTEGER });
  const { id: invitationId, email: invited } = invitation;
  return { invitationId, email: invited, role: wanted.data, path: `/dashboard/invitations/${token}` };
}

/** An account's open invitations, newest first. Only digests of their links are stored. */
export async function listInvitations(target: DatabaseTarget, accountId: string): Promise<Row[]> {
  await requireAccount(target, accountId);
  const open = await openInvitations(outsideDatabase(target), accountId, Date.now());
  return open.map(({ id: invitationId, email, role, createdAt, expiresAt }) => {
    return { invitationId, email, role, createdAt, expiresAt };
  });
}

/** Revokes an open invitation, so that its link no longer works. Throws if there is no such invitation. */
export async function revokeInvitation(
  target: DatabaseTarget,
  invitationId: string,
): Promise<{ invitationId: string; accountId: string; email: string; revoked: true }> {
  const database = outsideDatabase(target);
  const found = await findUnanswered(database, invitationId);
  if (found === undefined) throw new Error(`There is no open invitation ${invitationId}.`);
  await revoke(database, invitationId, deedOn(found.accountId));
  return { invitationId, ...found, revoked: true };
}
