import { createAuth, type Auth } from "../../../records/accounts/auth.ts";
import { sendMail, type LinkMail } from "../../../records/accounts/mail.ts";
import { originOf } from "../../../ground/platform/http.ts";
import { signUpRefusal } from "../../../records/accounts/teams.service.ts";
import { DASHBOARD_PATH, type DashboardContext, type DashboardMiddleware } from "./dashboard.http.ts";

const links = new WeakMap<Request, string>();

/** The link that a request created, if it may be shown on screen. Only local mode, which sends no mail, shows it. */
export function linkToShow(c: DashboardContext): string | undefined {
  return links.get(c.req.raw);
}

/** Creates authentication for one request, with the request's own database session. */
export const requestAuth: DashboardMiddleware = async function requestAuth(c, next) {
  c.set("auth", authFor(c));
  await next();
};

function authFor(c: DashboardContext): Auth {
  const config = c.get("config");
  const origin = originOf(c);
  const page = `${origin}${DASHBOARD_PATH}`;
  const deliver = async (mail: LinkMail): Promise<void> => {
    if (config.LOCAL_DEVELOPMENT) links.set(c.req.raw, mail.link);
    // If the answer waited for the mail, its timing would reveal whether the address is known.
    const sent = sendMail(config, mail);
    c.executionCtx.waitUntil(sent.catch(() => undefined));
  };
  const next =
    (c.req.query("next") ?? "") === "" ? "" : `&next=${encodeURIComponent(c.req.query("next") ?? "")}`;
  return createAuth(config, origin, {
    refuseSignUp: async (email) => await signUpRefusal(config, email),
    deliverVerification: async (email, token) => {
      await deliver({
        kind: "verify_email",
        to: email,
        subject: "Confirm your address for Veil",
        text: "Confirm your email address to finish signing up. The link works for an hour. If you did not sign up, do not open it:",
        link: `${page}/verify-email?token=${token}${next}`,
      });
    },
    deliverReset: async (email, token) => {
      await deliver({
        kind: "reset_password",
        to: email,
        subject: "A new password for Veil",
        text: "Choose a new password. The link works for an hour. If you did not ask for it, ignore this email:",
        link: `${page}/reset-password?token=${token}`,
      });
    },
    deliverAlreadyRegistered: async (email) => {
      await deliver({
        kind: "already_registered",
        to: email,
        subject: "You already have a Veil user",
        text: "Someone, maybe you, tried to sign up for Veil with this address, which already belongs to a user. Sign in here:",
        link: `${page}/sign-in`,
      });
    },
  });
}
