import { findUserByEmail } from "../../../records/accounts/users.repository.ts";
import { nowMs } from "../../../ground/platform/clock.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import { errorFields, log } from "../../../ground/platform/log.ts";
import { insertSignIn, type SignIn, type SignInWay } from "../../../records/accounts/sign-ins.repository.ts";
import type { DashboardContext } from "../request/dashboard.http.ts";
import { passCookies } from "../request/viewer.ts";

/**
 * Sends a browser its session cookie after the sign-in is in the audit trail. If it cannot be recorded, no cookie is sent.
 *
 * @param headers the headers from authentication, with the session's cookie
 */
export async function admit(c: DashboardContext, way: SignInWay, headers: Headers): Promise<void> {
  await noteSession(c, way, headers);
  passCookies(c, headers);
}

/** Records the session that an authentication answer opens, if any, before the browser receives it. */
export async function noteSession(c: DashboardContext, way: SignInWay, headers: Headers): Promise<void> {
  const userId = await userOf(c, headers);
  if (userId !== undefined) await note(c, { userId, way, isAccepted: true });
}

/** Records that a user was refused. */
export async function noteRefusal(c: DashboardContext, userId: string, way: SignInWay): Promise<void> {
  await note(c, { userId, way, isAccepted: false });
}

/**
 * Records that a password was refused, if there is a user with that address. The answer does not wait for this, because its timing would
 * reveal whether there is.
 */
export function noteWrongPassword(c: DashboardContext, email: string): void {
  const noted = async (): Promise<void> => {
    const userId = await findUserByEmail(openDatabase(c.get("config").MAIN_DB, "primary"), email);
    if (userId !== undefined) await noteRefusal(c, userId, "password");
  };
  c.executionCtx.waitUntil(
    noted().catch((error: unknown) => {
      log("error", "sign_in.refusal_not_noted", { requestId: c.get("requestId"), ...errorFields(error) });
    }),
  );
}

async function note(c: DashboardContext, signIn: SignIn): Promise<void> {
  const database = openDatabase(c.get("config").MAIN_DB, "primary");
  await insertSignIn(database, signIn, { requestId: c.get("requestId"), nowMs: nowMs() });
}

/** The user whose session these cookies open; undefined if they open none yet, as before a second factor. */
async function userOf(c: DashboardContext, headers: Headers): Promise<string | undefined> {
  const cookies = headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0] ?? "");
  if (cookies.length === 0) return undefined;
  const found = await c.get("auth").api.getSession({ headers: new Headers({ Cookie: cookies.join("; ") }) });
  return found?.user.id;
}
