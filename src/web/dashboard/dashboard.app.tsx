import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { secureHeaders } from "hono/secure-headers";
import { socialProvidersOf } from "../../records/accounts/auth.ts";
import { VeilError } from "../../ground/platform/errors.ts";
import { asVeilError, errorResponse, type HttpContext } from "../../ground/platform/http.ts";
import { requestAuth } from "./request/request-auth.ts";
import { assetRoutes } from "./assets.routes.ts";
import { auditRoutes } from "./audit/audit.routes.tsx";
import { csrfProtected, sameOriginOnly } from "./request/csrf.ts";
import { DASHBOARD_PATH, type DashboardEnv, type DashboardMiddleware } from "./request/dashboard.http.ts";
import { docsKeyRoutes } from "./keys/docs-key.routes.ts";
import { deletionRoutes } from "./media/deletions.routes.tsx";
import { editorRoutes } from "./editor/editor.routes.tsx";
import { MAX_KEYS, keyRoutes } from "./keys/keys.routes.tsx";
import { linkRoutes } from "./sign-in/link.routes.tsx";
import { batchRoutes } from "./media/batches.routes.tsx";
import { archiveRoutes } from "./media/archive.routes.ts";
import { mediaListRoutes } from "./media/media-list.routes.tsx";
import { mediaRoutes } from "./media/media.routes.tsx";
import { overviewRoutes, planRoutes } from "./overview/overview.routes.tsx";
import { ErrorPage } from "./parts/error.page.tsx";
import { reasonRoutes } from "./reasons/reasons.routes.tsx";
import { reportRoutes } from "./report/report.routes.tsx";
import { retryRoutes } from "./media/retry.routes.ts";
import { reviewRoutes } from "./review/review.routes.tsx";
import { securityRoutes } from "./sign-in/security.routes.tsx";
import { signInRoutes } from "./sign-in/sign-in.routes.tsx";
import { systemRoutes } from "./system/system.routes.tsx";
import { teamRoutes } from "./team/team.routes.tsx";
import { loadViewer, signedInOnly, withTeamOnly } from "./request/viewer.ts";
import { passedThumbnailRoutes, thumbnailRoutes } from "./media/thumbnails.routes.ts";
import { uploadPageRoutes } from "./upload/upload.routes.tsx";
import { versionRoutes } from "./versions/versions.routes.tsx";
import { webhookRoutes } from "./webhooks/webhooks.routes.tsx";
import { welcomeRoutes } from "./sign-in/welcome.routes.tsx";

const FORM_MAX_BYTES = 64 * 1024;
const UPLOAD_PATH = `${DASHBOARD_PATH}/media`;
const REVISION_PATH = new RegExp(`^${DASHBOARD_PATH}/(?:media|review)/[^/]+/revisions$`);
const PROVIDER_ORIGINS = { github: "https://github.com", google: "https://accounts.google.com" } as const;

/** The data of a request that the outer app has and the dashboard's own context lacks. */
const outer = new WeakMap<Request, HttpContext>();

/** The dashboard's routes. */
const dashboard = new Hono<DashboardEnv>().basePath(DASHBOARD_PATH);

const takeOver: DashboardMiddleware = async function takeOver(c, next) {
  const from = outer.get(c.req.raw);
  if (from === undefined) throw new Error("The dashboard is asked through the API's app alone.");
  c.set("config", from.get("config"));
  c.set("requestId", from.get("requestId"));
  c.set("notes", from.get("notes"));
  await next();
  const identity = c.get("identity");
  if (identity !== undefined) from.set("identity", identity);
};

/** Only this service's own files may run, and no site may frame it. Forms may be sent to a configured provider. */
const protectPage: DashboardMiddleware = async function protectPage(c, next) {
  await next();
  const providers = socialProvidersOf(c.get("config")).map((name) => PROVIDER_ORIGINS[name]);
  const policy = c.get("policy");
  const ofPage = {
    connectSrc: ["'self'"],
    formAction: ["'self'", ...providers],
    imgSrc: ["'self'", "data:"],
    mediaSrc: policy === "film" ? ["'self'", "blob:"] : ["'self'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
  };
  const ofEngine = {
    connectSrc: ["blob:"],
    formAction: ["'none'"],
    scriptSrc: ["'self'", "'wasm-unsafe-eval'"],
  };
  await secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
      ...(policy === "engine" ? ofEngine : ofPage),
    },
    referrerPolicy: "same-origin",
    strictTransportSecurity: "max-age=31536000; includeSubDomains",
    xFrameOptions: "DENY",
  })(c, async () => undefined);
};

const neverStored: DashboardMiddleware = async function neverStored(c, next) {
  await next();
  c.header("Cache-Control", "private, no-store");
};

const smallBodies = bodyLimit({
  maxSize: FORM_MAX_BYTES,
  onError: () => {
    throw new VeilError({ code: "validation_failed", message: "The form is too large (limit 64 KB)." });
  },
});

dashboard.use(takeOver, protectPage);
dashboard.route("/assets", assetRoutes);
dashboard.use(neverStored, sameOriginOnly);
dashboard.use(async function limitBody(c, next) {
  // The upload route reads its body as a stream, and the revision route has its own limit.
  if (c.req.path === UPLOAD_PATH || REVISION_PATH.test(c.req.path)) return await next();
  return await smallBodies(c, next);
});
dashboard.route("/media", passedThumbnailRoutes);
dashboard.use(requestAuth, loadViewer);
dashboard.route("/", signInRoutes);
dashboard.route("/", linkRoutes);
dashboard.route("/docs-key", docsKeyRoutes(MAX_KEYS));
dashboard.use(signedInOnly, csrfProtected);
dashboard.route("/", welcomeRoutes);
dashboard.route("/security", securityRoutes);
// Operators need no team.
dashboard.route("/system", systemRoutes);
dashboard.use(withTeamOnly);
dashboard.route("/", overviewRoutes);
dashboard.route("/upload", uploadPageRoutes);
dashboard.route("/media", editorRoutes);
dashboard.route("/media", mediaListRoutes);
dashboard.route("/media", archiveRoutes);
dashboard.route("/media", reportRoutes);
dashboard.route("/media", retryRoutes);
dashboard.route("/media", versionRoutes);
dashboard.route("/media", thumbnailRoutes);
dashboard.route("/media", mediaRoutes);
dashboard.route("/batches", batchRoutes);
dashboard.route("/deletions", deletionRoutes);
dashboard.route("/review", reviewRoutes);
dashboard.route("/keys", keyRoutes);
dashboard.route("/webhooks", webhookRoutes);
dashboard.route("/team", teamRoutes);
dashboard.route("/reasons", reasonRoutes);
dashboard.route("/audit", auditRoutes);
dashboard.route("/plan", planRoutes);

dashboard.notFound((c) => {
  const error = new VeilError({ code: "not_found", message: "There is nothing at this address." });
  return c.html(<ErrorPage error={error} requestId={c.get("requestId")} viewer={c.get("viewer")} />, 404);
});

dashboard.onError((thrown, c) => {
  const error = asVeilError(thrown, c.get("requestId"));
  for (const [name, value] of Object.entries(error.headers)) c.header(name, value);
  if (c.req.header("Accept")?.includes("application/json") === true) {
    return errorResponse(c, error);
  }
  return c.html(
    <ErrorPage error={error} requestId={c.get("requestId")} viewer={c.get("viewer")} />,
    error.status,
  );
});

/** Every route of the dashboard, such as `GET /dashboard/keys`, for a test that calls them all. */
export const DASHBOARD_ROUTES: ReadonlySet<string> = new Set(
  dashboard.routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${method} ${path}`),
);

/** Answers a request with the configuration and the request ID of the outer app. */
export async function answerAsDashboard(c: HttpContext): Promise<Response> {
  outer.set(c.req.raw, c);
  return await dashboard.fetch(c.req.raw, c.env, c.executionCtx);
}
