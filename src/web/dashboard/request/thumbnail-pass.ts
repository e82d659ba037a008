import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { authSecretOf } from "../../../records/accounts/auth.ts";
import { SECOND_MS, nowMs } from "../../../ground/platform/clock.ts";
import type { ApiEnv } from "../../../ground/platform/env.ts";
import { signHex } from "../../../ground/platform/hmac.ts";
import { isSameSecret } from "./csrf.ts";
import { DASHBOARD_PATH, teamOf, type DashboardContext, type DashboardMiddleware } from "./dashboard.http.ts";

const COOKIE = "veil_thumbnails";
const PATH = `${DASHBOARD_PATH}/media`;
/** Long enough for the thumbnails of one page, and short enough that a removed member sees no new ones. */
const PASS_SECONDS = 60;

/**
 * Sets a pass to the team's thumbnails with a page that lists media. A hundred thumbnails then do not need a hundred reads of sessions and
 * memberships, which took ten times as long as the thumbnails. The pass is a signed account ID with an expiry. Without it, a thumbnail
 * needs the session.
 */
export const giveThumbnailPass: DashboardMiddleware = async function giveThumbnailPass(c, next) {
  const pass = `${teamOf(c).accountId}.${nowMs() + PASS_SECONDS * SECOND_MS}`;
  setCookie(c, COOKIE, `${pass}.${await signed(c.get("config"), pass)}`, {
    httpOnly: true,
    secure: true,
    sameSite: "Strict",
    path: PATH,
    maxAge: PASS_SECONDS,
  });
  await next();
};

/** Removes the pass when a browser signs out. */
export function takeThumbnailPass(c: DashboardContext): void {
  deleteCookie(c, COOKIE, { secure: true, path: PATH });
}

/** The account whose thumbnails a request may read by its pass, without a database read. */
export async function passedAccountOf(c: DashboardContext): Promise<string | undefined> {
  const cookie = getCookie(c, COOKIE) ?? "";
  const [, accountId, until, signature] = /^([\w-]+)\.(\d+)\.([0-9a-f]{64})$/.exec(cookie) ?? [];
  if (accountId === undefined || signature === undefined || Number(until) <= nowMs()) return undefined;
  const expected = await signed(c.get("config"), `${accountId}.${until}`);
  return isSameSecret(signature, expected) ? accountId : undefined;
}

async function signed(config: ApiEnv, pass: string): Promise<string> {
  return await signHex(authSecretOf(config), new TextEncoder().encode(`thumbnails:${pass}`));
}
