import { Hono } from "hono";
import { z } from "zod";
import { nowMs } from "../../../ground/platform/clock.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import { notFound } from "../../../ground/platform/errors.ts";
import { sha256Hex } from "../../../ground/platform/ids.ts";
import { acceptInvitation, findInvitation } from "../../../records/accounts/invitations.repository.ts";
import { createTeam } from "../../../records/accounts/teams.service.ts";
import {
  DASHBOARD_PATH,
  forbidden,
  formOf,
  parameterOf,
  textField,
  viewerOf,
  type DashboardEnv,
} from "../request/dashboard.http.ts";
import { takeThumbnailPass } from "../request/thumbnail-pass.ts";
import { withNotice } from "../request/notices.ts";
import { WelcomePage } from "./welcome.pages.tsx";
import { passCookies, switchTeam } from "../request/viewer.ts";

const teamForm = z.object({ name: textField("The name", 100) });
const activeForm = z.object({ accountId: z.string().max(100) });

/** Pages for a signed-in user without a team. */
export const welcomeRoutes = new Hono<DashboardEnv>();

welcomeRoutes.post("/sign-out", async (c) => {
  const { headers } = await c.get("auth").api.signOut({ headers: c.req.raw.headers, returnHeaders: true });
  passCookies(c, headers);
  takeThumbnailPass(c);
  return c.redirect(withNotice(`${DASHBOARD_PATH}/sign-in`, "signed_out"), 303);
});

welcomeRoutes.get("/welcome", (c) => {
  const viewer = viewerOf(c);
  if (viewer.team !== undefined) return c.redirect(DASHBOARD_PATH, 303);
  return c.html(<WelcomePage viewer={viewer} canMake={c.get("config").SIGN_UP === "open"} />);
});

welcomeRoutes.post("/teams", async (c) => {
  const viewer = viewerOf(c);
  if (c.get("config").SIGN_UP !== "open")
    throw forbidden("Only the operator of this service can create teams.");
  const form = await formOf(c, teamForm);
  if (form.faults !== undefined)
    return c.html(<WelcomePage viewer={viewer} canMake faults={form.faults} />, 422);
  const accountId = await createTeam(c.get("config"), { name: form.data.name, ownerId: viewer.userId });
  if (accountId === undefined) throw forbidden("You already own a team.");
  await switchTeam(c, accountId);
  return c.redirect(DASHBOARD_PATH, 303);
});

welcomeRoutes.post("/teams/active", async (c) => {
  const form = await formOf(c, activeForm);
  const wanted = form.data?.accountId;
  if (wanted === undefined || !viewerOf(c).teams.some(({ accountId }) => accountId === wanted)) {
    throw notFound("You are not a member of this team.");
  }
  await switchTeam(c, wanted);
  return c.redirect(DASHBOARD_PATH, 303);
});

welcomeRoutes.post("/invitations/:token", async (c) => {
  const { userId, email } = viewerOf(c);
  const database = openDatabase(c.get("config").MAIN_DB, "primary");
  const tokenSha256 = await sha256Hex(parameterOf(c, "token"));
  const now = nowMs();
  const invitation = await findInvitation(database, tokenSha256, now);
  const isJoined =
    invitation !== undefined &&
    (await acceptInvitation(
      database,
      { tokenSha256, email, userId },
      {
        accountId: invitation.accountId,
        actor: { kind: "user", id: userId },
        requestId: c.get("requestId"),
        nowMs: now,
      },
    ));
  if (!isJoined) {
    throw notFound("This invitation is for someone else. Ask the owner of the team for a new one.");
  }
  await switchTeam(c, invitation.accountId);
  return c.redirect(withNotice(DASHBOARD_PATH, "joined"), 303);
});
