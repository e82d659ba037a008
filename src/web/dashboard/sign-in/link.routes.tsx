import { Hono } from "hono";
import { nowMs } from "../../../ground/platform/clock.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import { notFound } from "../../../ground/platform/errors.ts";
import { sha256Hex } from "../../../ground/platform/ids.ts";
import { LOCAL_USER } from "../../../records/accounts/local-sign-in.ts";
import { ensureUser } from "../../../records/accounts/users.repository.ts";
import { findInvitation } from "../../../records/accounts/invitations.repository.ts";
import { insertMembership } from "../../../records/accounts/teams.repository.ts";
import { isSameSecret } from "../request/csrf.ts";
import { DASHBOARD_PATH, parameterOf, type DashboardEnv } from "../request/dashboard.http.ts";
import { withNotice } from "../request/notices.ts";
import { InvitationPage } from "./welcome.pages.tsx";
import { admit } from "./sign-ins.ts";

/** Routes that anyone with a link may use. */
export const linkRoutes = new Hono<DashboardEnv>();

linkRoutes.get("/invitations/:token", async (c) => {
  const tokenSha256 = await sha256Hex(parameterOf(c, "token"));
  const invitation = await findInvitation(
    openDatabase(c.get("config").MAIN_DB, "primary"),
    tokenSha256,
    nowMs(),
  );
  if (invitation === undefined) {
    throw notFound("This invitation is no longer valid. Ask the owner of the team for a new one.");
  }
  return c.html(
    <InvitationPage
      invitation={invitation}
      path={c.req.path}
      viewer={c.get("viewer")}
      canSignUp={c.get("config").SIGN_UP !== "closed"}
    />,
  );
});

// The link that a local start prints. Its token is valid until the service stops.
linkRoutes.get("/enter", async (c) => {
  const {
    LOCAL_DEVELOPMENT,
    LOCAL_ACCOUNT_ID: accountId,
    LOCAL_SIGN_IN_TOKEN: token,
    MAIN_DB,
  } = c.get("config");
  const isValid = LOCAL_DEVELOPMENT && token !== undefined && isSameSecret(c.req.query("token") ?? "", token);
  if (!isValid || accountId === undefined) {
    throw notFound("The link is not valid. A local start prints a new one each time.");
  }
  const database = openDatabase(MAIN_DB, "primary");
  const now = nowMs();
  const userId = await ensureUser(database, { ...LOCAL_USER, nowMs: now });
  await insertMembership(database, { accountId, userId, role: "owner", nowMs: now });
  const { headers } = await c
    .get("auth")
    .api.signInLocally({ body: { userId }, headers: c.req.raw.headers, returnHeaders: true });
  await admit(c, "local_link", headers);
  return c.redirect(`${DASHBOARD_PATH}/entered`, 303);
});

linkRoutes.get("/entered", (c) =>
  c.redirect(
    c.get("viewer") === undefined
      ? withNotice(`${DASHBOARD_PATH}/sign-in`, "cookie_refused")
      : DASHBOARD_PATH,
    303,
  ),
);
