import { LOCAL_USER } from "../../../records/accounts/local-sign-in.ts";
import { setActiveTeam } from "../../../records/accounts/users.repository.ts";
import { effectiveLimits } from "../../../ground/vocabulary/plans.ts";
import { configOf } from "../../../ground/platform/databases.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import type { ApiEnv } from "../../../ground/platform/env.ts";
import { identityOf, type Caller } from "../../../records/accounts/caller.ts";
import { accountSuspended } from "../../../records/accounts/suspension.ts";
import { membershipsOf, type Membership } from "../../../records/accounts/teams.repository.ts";
import { csrfTokenOf } from "./csrf.ts";
import {
  DASHBOARD_PATH,
  viewerOf,
  type DashboardContext,
  type DashboardMiddleware,
} from "./dashboard.http.ts";

/**
 * Reads the signed-in user and the selected team, and makes the configuration that of the team's database. They are read from the database each time, so that a removal takes effect at
 * once.
 */
export const loadViewer: DashboardMiddleware = async function loadViewer(c, next) {
  const { response: found, headers } = await c
    .get("auth")
    .api.getSession({ headers: c.req.raw.headers, returnHeaders: true });
  passCookies(c, headers);
  if (found !== null) {
    const { user, session } = found;
    const teams = await membershipsOf(openDatabase(c.get("config").MAIN_DB, "primary"), user.id);
    const team =
      teams.find(({ accountId }) => accountId === session.activeAccountId) ??
      teams.find(({ suspendedAt }) => suspendedAt === null) ??
      teams[0];
    c.set("viewer", {
      userId: user.id,
      name: user.name,
      email: user.email,
      isOperator: isOperator(c.get("config"), user),
      hasSecondFactor: user.twoFactorEnabled === true,
      sessionId: session.id,
      csrfToken: await csrfTokenOf(c.get("config"), session.id),
      teams,
      team,
    });
    if (team !== undefined && team.suspendedAt === null) {
      const caller = callerFor(user.id, team);
      c.set("config", configOf(c.get("config"), team.databaseName));
      c.set("caller", caller);
      c.set("identity", identityOf(caller));
    }
  }
  await next();
};

/** Redirects to the sign-in page if nobody is signed in. */
export const signedInOnly: DashboardMiddleware = async function signedInOnly(c, next) {
  if (c.get("viewer") !== undefined) return await next();
  if (c.req.header("Accept")?.includes("application/json") === true) {
    return c.json({ error: { code: "unauthorized", message: "Sign in again." } }, 401);
  }
  const isPage = c.req.method === "GET" && c.req.path !== DASHBOARD_PATH;
  const query = isPage ? `?next=${encodeURIComponent(c.req.path)}` : "";
  return c.redirect(`${DASHBOARD_PATH}/sign-in${query}`, 303);
};

/** Redirects a user without a team to the page where one is created or joined. Responds with 401 if the team's account is suspended. */
export const withTeamOnly: DashboardMiddleware = async function withTeamOnly(c, next) {
  const { team } = viewerOf(c);
  if (team === undefined) return c.redirect(`${DASHBOARD_PATH}/welcome`, 303);
  if (team.suspendedAt !== null) throw accountSuspended(team);
  return await next();
};

/** Switches to another team's data. The membership is checked with every request. */
export async function switchTeam(c: DashboardContext, accountId: string): Promise<void> {
  await setActiveTeam(openDatabase(c.get("config").MAIN_DB, "primary"), viewerOf(c).sessionId, accountId);
}

/** Adds the cookies that authentication sets to the response. */
export function passCookies(c: DashboardContext, headers: Headers): void {
  for (const cookie of headers.getSetCookie()) c.header("Set-Cookie", cookie, { append: true });
}

/** Whether the user is an operator: the configuration names their confirmed address, or they run the service on their own machine. */
function isOperator(
  { OPERATOR_EMAILS, LOCAL_DEVELOPMENT, LOCAL_SIGN_IN_TOKEN }: ApiEnv,
  { email, emailVerified }: { email: string; emailVerified: boolean },
): boolean {
  if (emailVerified && OPERATOR_EMAILS.includes(email.toLowerCase())) return true;
  return LOCAL_DEVELOPMENT && LOCAL_SIGN_IN_TOKEN !== undefined && email === LOCAL_USER.email;
}

function callerFor(userId: string, team: Membership): Caller {
  const { accountId, plan, anchorDay, verifyPhotos, verifyVideos } = team;
  return { userId, accountId, plan, anchorDay, verifyPhotos, verifyVideos, ...effectiveLimits(plan, team) };
}
