import { Hono } from "hono";
import { z } from "zod";
import {
  endSession,
  hasPassword,
  sessionsOf,
  spendCode,
} from "../../../records/accounts/users.repository.ts";
import { nowMs } from "../../../ground/platform/clock.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import { notFound } from "../../../ground/platform/errors.ts";
import { countAttempt } from "../request/attempts.ts";
import { refusalFaults } from "./auth-faults.ts";
import {
  DASHBOARD_PATH,
  formOf,
  parameterOf,
  textField,
  viewerOf,
  type DashboardContext,
  type DashboardEnv,
  type FormFaults,
} from "../request/dashboard.http.ts";
import { noticeOf, withNotice } from "../request/notices.ts";
import {
  SecondFactorConfirmPage,
  SecondFactorSetUpPage,
  SecurityPage,
  type SecurityForm,
} from "./security.pages.tsx";
import { newPasswordField } from "./sign-in.routes.tsx";
import { passCookies } from "../request/viewer.ts";

const PATH = `${DASHBOARD_PATH}/security`;
const password = z.string({ error: "The password is missing." }).min(1, "The password is missing.").max(128);
const passwordForm = z.object({ password });
const changeForm = z.object({ currentPassword: password, newPassword: newPasswordField });
const codeForm = z.object({ code: textField("The code", 10) });

export const securityRoutes = new Hono<DashboardEnv>();

securityRoutes.get("/", async (c) => await securityPage(c, undefined));

securityRoutes.post("/password", async (c) => {
  const form = await formOf(c, changeForm);
  if (form.faults !== undefined) return await securityPage(c, { form: "password", faults: form.faults });
  await countAttempt(c, "sign_in", viewerOf(c).email);
  try {
    const { headers } = await c.get("auth").api.changePassword({
      body: { ...form.data, revokeOtherSessions: true },
      headers: c.req.raw.headers,
      returnHeaders: true,
    });
    passCookies(c, headers);
    return c.redirect(withNotice(PATH, "password_changed"), 303);
  } catch (error) {
    const { password: wrong, ...faults } = refusalFaults(error);
    return await securityPage(c, {
      form: "password",
      faults: wrong === undefined ? faults : { ...faults, currentPassword: wrong },
    });
  }
});

securityRoutes.post("/second-factor/enable", async (c) => {
  const form = await formOf(c, passwordForm);
  if (form.faults !== undefined) return await securityPage(c, { form: "second-factor", faults: form.faults });
  await countAttempt(c, "sign_in", viewerOf(c).email);
  try {
    const made = await c
      .get("auth")
      .api.enableTwoFactor({ body: { ...form.data, method: "totp" }, headers: c.req.raw.headers });
    if (made.method !== "totp") throw new Error("Another kind of second factor was set up.");
    return await c.html(
      <SecondFactorSetUpPage viewer={viewerOf(c)} totpUri={made.totpURI} backupCodes={made.backupCodes} />,
    );
  } catch (error) {
    return await securityPage(c, { form: "second-factor", faults: refusalFaults(error) });
  }
});

securityRoutes.post("/second-factor/confirm", async (c) => {
  const viewer = viewerOf(c);
  const form = await formOf(c, codeForm);
  if (form.faults !== undefined) {
    return c.html(<SecondFactorConfirmPage viewer={viewer} faults={form.faults} />, 422);
  }
  await countAttempt(c, "second_factor", viewer.userId);
  const code = form.data.code.replaceAll(" ", "");
  try {
    const { headers } = await c
      .get("auth")
      .api.verifyTOTP({ body: { code }, headers: c.req.raw.headers, returnHeaders: true });
    await spendCode(openDatabase(c.get("config").MAIN_DB, "primary"), {
      userId: viewer.userId,
      code,
      nowMs: nowMs(),
    });
    passCookies(c, headers);
    return c.redirect(withNotice(PATH, "second_factor_on"), 303);
  } catch (error) {
    return c.html(<SecondFactorConfirmPage viewer={viewer} faults={refusalFaults(error)} />, 422);
  }
});

securityRoutes.post("/second-factor/disable", async (c) => {
  const form = await formOf(c, passwordForm);
  if (form.faults !== undefined) return await securityPage(c, { form: "second-factor", faults: form.faults });
  await countAttempt(c, "sign_in", viewerOf(c).email);
  try {
    const { headers } = await c
      .get("auth")
      .api.disableTwoFactor({ body: form.data, headers: c.req.raw.headers, returnHeaders: true });
    passCookies(c, headers);
    return c.redirect(withNotice(PATH, "second_factor_off"), 303);
  } catch (error) {
    return await securityPage(c, { form: "second-factor", faults: refusalFaults(error) });
  }
});

securityRoutes.post("/sessions/:sessionId/end", async (c) => {
  const isEnded = await endSession(openDatabase(c.get("config").MAIN_DB, "primary"), {
    userId: viewerOf(c).userId,
    sessionId: parameterOf(c, "sessionId"),
  });
  if (!isEnded) throw notFound("No such browser is signed in.");
  return c.redirect(withNotice(PATH, "sessions_ended"), 303);
});

async function securityPage(
  c: DashboardContext,
  fault: { form: SecurityForm; faults: FormFaults } | undefined,
): Promise<Response> {
  const viewer = viewerOf(c);
  const database = openDatabase(c.get("config").MAIN_DB, "primary");
  const [sessions, isPasswordSet] = await Promise.all([
    sessionsOf(database, viewer.userId, nowMs()),
    hasPassword(database, viewer.userId),
  ]);
  const notice = noticeOf(c.req.query("notice"));
  return c.html(
    <SecurityPage
      viewer={viewer}
      sessions={sessions}
      hasPassword={isPasswordSet}
      fault={fault}
      notice={notice}
    />,
    fault === undefined ? 200 : 422,
  );
}
