import { authSecretOf } from "../../../records/accounts/auth.ts";
import type { ApiEnv } from "../../../ground/platform/env.ts";
import { signHex } from "../../../ground/platform/hmac.ts";
import { originOf } from "../../../ground/platform/http.ts";
import { forbidden, viewerOf, type DashboardContext, type DashboardMiddleware } from "./dashboard.http.ts";

export const CSRF_FIELD = "csrf";
const CSRF_HEADER = "X-CSRF-Token";
const SAFE_METHODS = new Set(["GET", "HEAD"]);

/** The token of a session: HMAC-SHA256 of its ID with AUTH_SECRET. It is valid only for that session. */
export async function csrfTokenOf(config: ApiEnv, sessionId: string): Promise<string> {
  return await signHex(authSecretOf(config), new TextEncoder().encode(`csrf:${sessionId}`));
}

/** Compares two texts in a time that does not depend on where they differ. */
export function isSameSecret(a: string, b: string): boolean {
  const encoder = new TextEncoder();
  const [first, second] = [encoder.encode(a), encoder.encode(b)];
  return first.byteLength === second.byteLength && crypto.subtle.timingSafeEqual(first, second);
}

/**
 * Accepts changes only from pages of this service. Browsers send the page's origin with every POST (Fetch §3.2), and other pages cannot
 * forge it.
 */
export const sameOriginOnly: DashboardMiddleware = async function sameOriginOnly(c, next) {
  if (!SAFE_METHODS.has(c.req.method)) {
    if (c.req.header("Origin") !== new URL(originOf(c)).origin) {
      throw forbidden("The request does not come from a page of this dashboard.");
    }
  }
  await next();
};

/** Accepts changes of a signed-in user only with the token of that session, in the form or a header. */
export const csrfProtected: DashboardMiddleware = async function csrfProtected(c, next) {
  if (!SAFE_METHODS.has(c.req.method)) {
    const token =
      c.req.header(CSRF_HEADER) ?? (isForm(c) ? (await c.req.parseBody())[CSRF_FIELD] : undefined);
    if (typeof token !== "string" || !isSameSecret(token, viewerOf(c).csrfToken)) {
      throw forbidden("The page has expired. Reload it and try again.");
    }
  }
  await next();
};

/** Uploads send the token in the header, because their bodies are never read into memory. */
function isForm(c: DashboardContext): boolean {
  return c.req.header("Content-Type")?.startsWith("application/x-www-form-urlencoded") === true;
}
