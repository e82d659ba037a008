import type { Deed } from "../audit/audit.repository.ts";
import { canDeliver, sendMail } from "./mail.ts";
import { DAY_MS, nowMs } from "../../ground/platform/clock.ts";
import { openDatabase } from "../../ground/platform/database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { VeilError } from "../../ground/platform/errors.ts";
import { newId, randomToken, sha256Hex } from "../../ground/platform/ids.ts";
import { insertInvitation, isInvited } from "./invitations.repository.ts";
import { insertTeam } from "./teams.repository.ts";
import type { Role } from "./teams.table.ts";

const INVITATION_MS = 7 * DAY_MS;
const MAX_OPEN_INVITATIONS = 50;

/** The page where an invitation is accepted. */
function invitationLink(origin: string, token: string): string {
  return `${origin}/dashboard/invitations/${token}`;
}

/** Why nobody with this address may sign up now, or undefined: `SIGN_UP` says who may. */
export async function signUpRefusal(config: ApiEnv, email: string): Promise<string | undefined> {
  if (!canDeliver(config)) {
    return "This service cannot send email, so it cannot confirm new addresses. Ask its operator.";
  }
  switch (config.SIGN_UP) {
    case "open":
      return undefined;
    case "closed":
      return "This service does not accept new users.";
    case "invited":
      return (await isInvited(openDatabase(config.MAIN_DB, "primary"), email, nowMs()))
        ? undefined
        : "This service accepts invited users only. Ask the owner of a team to invite this address.";
  }
}

/** Makes a team on the Free plan. A user owns one such team at most. @returns its account id, or undefined */
export async function createTeam(
  config: ApiEnv,
  { name, ownerId }: { name: string; ownerId: string },
): Promise<string | undefined> {
  const accountId = newId("account");
  const now = nowMs();
  const isMade = await insertTeam(openDatabase(config.MAIN_DB, "primary"), {
    accountId,
    name,
    plan: "Free",
    anchorDay: new Date(now).getUTCDate(),
    ownerId,
    nowMs: now,
  });
  return isMade ? accountId : undefined;
}

/**
 * Invites an address to a team and mails the link where mail is configured.
 *
 * @returns the link, to be shown once
 * @throws VeilError when too many invitations are open
 */
export async function invite(
  config: ApiEnv,
  { teamName, email, role, origin }: { teamName: string; email: string; role: Role; origin: string },
  deed: Deed,
): Promise<{ link: string; isMailed: boolean }> {
  const token = randomToken();
  const isKept = await insertInvitation(
    openDatabase(config.MAIN_DB, "primary"),
    {
      id: newId("invitation"),
      email,
      role,
      tokenSha256: await sha256Hex(token),
      expiresAtMs: deed.nowMs + INVITATION_MS,
    },
    { deed, limit: MAX_OPEN_INVITATIONS },
  );
  if (!isKept) {
    throw new VeilError({
      code: "conflict",
      message: `${MAX_OPEN_INVITATIONS} invitations are open; revoke one before sending another.`,
    });
  }
  const link = invitationLink(origin, token);
  if (config.LOCAL_DEVELOPMENT || !canDeliver(config)) return { link, isMailed: false };
  const isMailed = await sendMail(config, {
    kind: "invitation",
    to: email,
    subject: `You are invited to ${teamName} on Veil`,
    text: `You are invited to the team ${teamName} on Veil. The link works for seven days:`,
    link,
  }).then(
    () => true,
    () => false,
  );
  return { link, isMailed };
}
