import { Hono } from "hono";
import { getCookie } from "hono/cookie";
import { z } from "zod";
import { PASSWORD_CHARACTERS, socialProvidersOf } from "../../../records/accounts/auth.ts";
import { dropSession, spendCode } from "../../../records/accounts/users.repository.ts";
import { nowMs } from "../../../ground/platform/clock.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import { signUpRefusal } from "../../../records/accounts/teams.service.ts";
import { countAttempt } from "../request/attempts.ts";
import { refusalCode, refusalFaults } from "./auth-faults.ts";
import {
  DASHBOARD_PATH,
  emailField,
  formOf,
  nextPath,
  textField,
  type DashboardContext,
  type DashboardEnv,
} from "../request/dashboard.http.ts";
import { noticeOf, withNotice } from "../request/notices.ts";
import {
  ForgotPasswordPage,
  MailSentPage,
  ResetPasswordPage,
  SecondFactorPage,
  SignInPage,
  SignUpPage,
  onTo,
} from "./sign-in.pages.tsx";
import { admit, noteRefusal, noteSession, noteWrongPassword } from "./sign-ins.ts";
import { linkToShow } from "../request/request-auth.ts";
import { passCookies } from "../request/viewer.ts";

const { min, max } = PASSWORD_CHARACTERS;

/** A new password. */
export const newPasswordField = z
  .string({ error: "The password is missing." })
  .min(min, `The password is too short; use ${min} to ${max} characters.`)
  .max(max, `The password is too long; use ${min} to ${max} characters.`);

const signInForm = z.object({
  email: emailField,
  password: z.string().min(1, "The password is missing.").max(max),
});
const signUpForm = z.object({
  name: textField("The name", 100),
  email: emailField,
  newPassword: newPasswordField,
});
const emailForm = z.object({ email: emailField });
const resetForm = z.object({ token: z.string().min(1).max(200), newPassword: newPasswordField });
const codeForm = z.object({ code: textField("The code", 32) });
const providerSchema = z.enum(["github", "google"]);

const SPENT_CODE = { code: "The code was used before. Sign in again, with the next one that the app shows." };

export const signInRoutes = new Hono<DashboardEnv>();

function nextOf(c: DashboardContext): string {
  return nextPath(c.req.query("next"));
}

signInRoutes.get("/sign-in", (c) => {
  if (c.get("viewer") !== undefined) return c.redirect(nextOf(c), 303);
  const notice = noticeOf(
    c.req.query("notice") ?? (c.req.query("error") === undefined ? undefined : "provider_failed"),
  );
  return c.html(<SignInPage {...signInState(c)} notice={notice} />);
});

function signInState(c: DashboardContext) {
  const config = c.get("config");
  return { next: nextOf(c), providers: socialProvidersOf(config), canSignUp: config.SIGN_UP !== "closed" };
}

signInRoutes.post("/sign-in", async (c) => {
  const form = await formOf(c, signInForm);
  if (form.faults !== undefined) return c.html(<SignInPage {...signInState(c)} faults={form.faults} />, 422);
  const { email, password } = form.data;
  await countAttempt(c, "sign_in", email);
  try {
    const { response, headers } = await c.get("auth").api.signInEmail({
      body: { email, password },
      headers: c.req.raw.headers,
      returnHeaders: true,
    });
    await admit(c, "password", headers);
    const isHalfWay = "twoFactorRedirect" in response;
    return c.redirect(isHalfWay ? onTo(`${DASHBOARD_PATH}/second-factor`, nextOf(c)) : nextOf(c), 303);
  } catch (error) {
    const code = refusalCode(error);
    if (code === "EMAIL_NOT_VERIFIED") return confirmAddress(c);
    if (code === "INVALID_EMAIL_OR_PASSWORD") noteWrongPassword(c, email);
    return c.html(<SignInPage {...signInState(c)} email={email} faults={refusalFaults(error)} />, 422);
  }
});

signInRoutes.get("/second-factor", (c) => c.html(<SecondFactorPage next={nextOf(c)} />));

signInRoutes.post("/second-factor", async (c) => {
  const form = await formOf(c, codeForm);
  if (form.faults !== undefined)
    return c.html(<SecondFactorPage next={nextOf(c)} faults={form.faults} />, 422);
  const code = form.data.code.replaceAll(" ", "");
  await countAttempt(c, "second_factor", getCookie(c, "veil.two_factor", "secure") ?? "");
  const options = { body: { code }, headers: c.req.raw.headers, returnHeaders: true } as const;
  try {
    const { api } = c.get("auth");
    if (!/^\d{6}$/.test(code)) await admit(c, "second_factor", (await api.verifyBackupCode(options)).headers);
    else if (!(await openWithCode(c, code)))
      return await c.html(<SecondFactorPage next={nextOf(c)} faults={SPENT_CODE} />, 422);
    return c.redirect(nextOf(c), 303);
  } catch (error) {
    return c.html(<SecondFactorPage next={nextOf(c)} faults={refusalFaults(error)} />, 422);
  }
});

/** Signs in with a code of the authenticator app. If the code was used before, no session cookie is sent. */
async function openWithCode(c: DashboardContext, code: string): Promise<boolean> {
  const { response, headers } = await c
    .get("auth")
    .api.verifyTOTP({ body: { code }, headers: c.req.raw.headers, returnHeaders: true });
  const database = openDatabase(c.get("config").MAIN_DB, "primary");
  const isFirst = await spendCode(database, { userId: response.user.id, code, nowMs: nowMs() });
  if (isFirst) await admit(c, "second_factor", headers);
  else {
    await dropSession(database, response.token);
    await noteRefusal(c, response.user.id, "second_factor");
  }
  return isFirst;
}

signInRoutes.get("/sign-up", (c) => {
  const { SIGN_UP } = c.get("config");
  if (SIGN_UP === "closed") return c.notFound();
  return c.html(<SignUpPage next={nextOf(c)} isOpen={SIGN_UP === "open"} />);
});

signInRoutes.post("/sign-up", async (c) => {
  const config = c.get("config");
  if (config.SIGN_UP === "closed") return c.notFound();
  const state = { next: nextOf(c), isOpen: config.SIGN_UP === "open" };
  const form = await formOf(c, signUpForm);
  if (form.faults !== undefined) return c.html(<SignUpPage {...state} faults={form.faults} />, 422);
  const { name, email, newPassword } = form.data;
  await countAttempt(c, "sign_up", email);
  const entered = { ...state, name, email };
  const refusal = await signUpRefusal(config, email);
  if (refusal !== undefined) return c.html(<SignUpPage {...entered} faults={{ form: refusal }} />, 422);
  try {
    await c.get("auth").api.signUpEmail({ body: { name, email, password: newPassword } });
    return await confirmAddress(c);
  } catch (error) {
    return c.html(<SignUpPage {...entered} faults={refusalFaults(error)} />, 422);
  }
});

function confirmAddress(c: DashboardContext) {
  return c.html(
    <MailSentPage
      title="Confirm your address"
      text="We sent you an email with a link. Open it to continue."
      link={linkToShow(c)}
    />,
  );
}

signInRoutes.get("/verify-email", async (c) => {
  try {
    const { headers } = await c.get("auth").api.verifyEmail({
      query: { token: c.req.query("token") ?? "" },
      headers: c.req.raw.headers,
      returnHeaders: true,
    });
    await admit(c, "email_link", headers);
    const isSignedIn = headers.getSetCookie().length > 0;
    return c.redirect(isSignedIn ? nextOf(c) : withNotice(`${DASHBOARD_PATH}/sign-in`, "verified"), 303);
  } catch (error) {
    return c.html(<SignInPage {...signInState(c)} faults={refusalFaults(error)} />, 422);
  }
});

signInRoutes.get("/forgot-password", (c) => c.html(<ForgotPasswordPage />));

signInRoutes.post("/forgot-password", async (c) => {
  const form = await formOf(c, emailForm);
  if (form.faults !== undefined) return c.html(<ForgotPasswordPage faults={form.faults} />, 422);
  await countAttempt(c, "reset", form.data.email);
  await c.get("auth").api.requestPasswordReset({ body: form.data });
  return c.html(
    <MailSentPage
      title="Check your email"
      text="If there is a user with this address, we sent a link to it."
      link={linkToShow(c)}
    />,
  );
});

signInRoutes.get("/reset-password", (c) => c.html(<ResetPasswordPage token={c.req.query("token") ?? ""} />));

signInRoutes.post("/reset-password", async (c) => {
  const form = await formOf(c, resetForm);
  if (form.faults !== undefined) {
    const { token } = await c.req.parseBody();
    return c.html(
      <ResetPasswordPage token={typeof token === "string" ? token : ""} faults={form.faults} />,
      422,
    );
  }
  try {
    await c.get("auth").api.resetPassword({ body: form.data });
    return c.redirect(withNotice(`${DASHBOARD_PATH}/sign-in`, "password_changed"), 303);
  } catch (error) {
    return c.html(<ResetPasswordPage token={form.data.token} faults={refusalFaults(error)} />, 422);
  }
});

signInRoutes.post("/sign-in/:provider", async (c) => {
  const provider = providerSchema.safeParse(c.req.param("provider"));
  if (!provider.success || !socialProvidersOf(c.get("config")).includes(provider.data)) return c.notFound();
  const { response, headers } = await c.get("auth").api.signInSocial({
    body: {
      provider: provider.data,
      callbackURL: nextOf(c),
      errorCallbackURL: withNotice(`${DASHBOARD_PATH}/sign-in`, "provider_failed"),
    },
    headers: c.req.raw.headers,
    returnHeaders: true,
  });
  passCookies(c, headers);
  return c.redirect(response.url ?? `${DASHBOARD_PATH}/sign-in`, 303);
});

// The provider redirects the browser here. The library checks the state and the code.
signInRoutes.get("/auth/callback/:provider", async (c) => {
  const provider = providerSchema.safeParse(c.req.param("provider"));
  if (!provider.success || !socialProvidersOf(c.get("config")).includes(provider.data)) return c.notFound();
  const answer = await c.get("auth").handler(c.req.raw);
  await noteSession(c, provider.data, answer.headers);
  return answer;
});
