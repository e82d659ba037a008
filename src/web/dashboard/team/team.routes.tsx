import { Hono } from "hono";
import { z } from "zod";
import { nowMs } from "../../../ground/platform/clock.ts";
import { openDatabase, type Database } from "../../../ground/platform/database.ts";
import { notFound } from "../../../ground/platform/errors.ts";
import { originOf } from "../../../ground/platform/http.ts";
import { openInvitations, revokeInvitation } from "../../../records/accounts/invitations.repository.ts";
import {
  changeRole,
  deleteMembership,
  membersOf,
  renameTeam,
  setVerification,
} from "../../../records/accounts/teams.repository.ts";
import { invite } from "../../../records/accounts/teams.service.ts";
import { ROLES } from "../../../records/accounts/teams.table.ts";
import {
  DASHBOARD_PATH,
  deedBy,
  emailField,
  forbidden,
  formOf,
  ownersOnly,
  parameterOf,
  teamOf,
  textField,
  viewerOf,
  type DashboardContext,
  type DashboardEnv,
} from "../request/dashboard.http.ts";
import { noticeOf, withNotice } from "../request/notices.ts";
import { TeamPage, type TeamPageData } from "./team.pages.tsx";

const PATH = `${DASHBOARD_PATH}/team`;
const role = z.enum(ROLES, { error: "The role must be owner or member." });
const inviteForm = z.object({ email: emailField, role });
const roleForm = z.object({ role });
const nameForm = z.object({ name: textField("The name", 100) });

export const teamRoutes = new Hono<DashboardEnv>();

teamRoutes.get("/", async (c) =>
  c.html(<TeamPage viewer={viewerOf(c)} data={await dataOf(c)} notice={noticeOf(c.req.query("notice"))} />),
);

teamRoutes.post("/invitations", ownersOnly, async (c) => {
  const form = await formOf(c, inviteForm);
  if (form.faults !== undefined) {
    return c.html(<TeamPage viewer={viewerOf(c)} data={await dataOf(c)} faults={form.faults} />, 422);
  }
  const order = { ...form.data, teamName: teamOf(c).name, origin: originOf(c) };
  const newLink = await invite(c.get("config"), order, deedBy(c));
  return c.html(<TeamPage viewer={viewerOf(c)} data={await dataOf(c)} newLink={newLink} />);
});

teamRoutes.post("/invitations/:invitationId/revoke", ownersOnly, async (c) => {
  const isRevoked = await revokeInvitation(databaseOf(c), parameterOf(c, "invitationId"), deedBy(c));
  if (!isRevoked) throw notFound("There is no such open invitation.");
  return c.redirect(withNotice(PATH, "invitation_revoked"), 303);
});

teamRoutes.post("/members/:userId/role", ownersOnly, async (c) => {
  const form = await formOf(c, roleForm);
  if (form.faults !== undefined) throw notFound(form.faults["role"] ?? "The role is missing.");
  const userId = parameterOf(c, "userId");
  await mustBeMember(c, userId);
  if (!(await changeRole(databaseOf(c), { userId, role: form.data.role }, deedBy(c)))) throw lastOwner();
  return c.redirect(withNotice(PATH, "role_changed"), 303);
});

teamRoutes.post("/members/:userId/remove", async (c) => {
  const userId = parameterOf(c, "userId");
  const isSelf = userId === viewerOf(c).userId;
  if (!isSelf && teamOf(c).role !== "owner") throw forbidden("Only owners of the team can do this.");
  await mustBeMember(c, userId);
  if (!(await deleteMembership(databaseOf(c), userId, deedBy(c)))) throw lastOwner();
  return c.redirect(isSelf ? DASHBOARD_PATH : withNotice(PATH, "member_removed"), 303);
});

teamRoutes.post("/name", ownersOnly, async (c) => {
  const form = await formOf(c, nameForm);
  if (form.faults !== undefined) {
    return c.html(<TeamPage viewer={viewerOf(c)} data={await dataOf(c)} faults={form.faults} />, 422);
  }
  await renameTeam(databaseOf(c), form.data.name, deedBy(c));
  return c.redirect(withNotice(PATH, "team_renamed"), 303);
});

teamRoutes.post("/verification", ownersOnly, async (c) => {
  // Browsers send only checked boxes.
  const body = await c.req.parseBody();
  const setting = { photos: body["photos"] === "on", videos: body["videos"] === "on" };
  await setVerification(databaseOf(c), setting, deedBy(c));
  return c.redirect(withNotice(PATH, "verification_changed"), 303);
});

function databaseOf(c: DashboardContext): Database {
  return openDatabase(c.get("config").MAIN_DB, "primary");
}

async function dataOf(c: DashboardContext): Promise<TeamPageData> {
  const { accountId, role: ownRole } = teamOf(c);
  const [members, invitations] = await Promise.all([
    membersOf(databaseOf(c), accountId),
    ownRole === "owner" ? openInvitations(databaseOf(c), accountId, nowMs()) : [],
  ]);
  return { members, invitations };
}

async function mustBeMember(c: DashboardContext, userId: string): Promise<void> {
  const members = await membersOf(databaseOf(c), teamOf(c).accountId);
  if (!members.some((member) => member.userId === userId)) throw notFound("This team has no such member.");
}

function lastOwner(): Error {
  return forbidden("A team needs an owner. Make someone else an owner first.");
}
