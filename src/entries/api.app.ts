import { cors } from "hono/cors";
import { secureHeaders } from "hono/secure-headers";
import { authenticate } from "../records/accounts/authentication.ts";
import { openDashboard } from "../web/dashboard/open-dashboard.ts";
import { withExamples } from "../web/docs/examples/add-examples.ts";
import { docsRoutes } from "../web/docs/docs.routes.ts";
import { openDocs } from "../web/docs/open-docs.ts";
import { healthRoutes } from "./health.routes.ts";
import { countEarly, rateLimit } from "../intake/limits/rate-limit.middleware.ts";
import { deletionsRoutes } from "../records/deletions/deletions.routes.ts";
import { mediaKeyFinder, mediaRoutes } from "../records/media-api/media.routes.ts";
import { parseApiEnv } from "../ground/platform/env.ts";
import {
  API_BASE_PATH,
  createRouter,
  handleError,
  handleNotFound,
  originOf,
  requestLog,
  type HttpMiddleware,
} from "../ground/platform/http.ts";
import { ownAddressOnly } from "../ground/platform/own-address.ts";
import { withDefaultsInWords } from "../ground/platform/openapi-defaults.ts";
import { OPENAPI_INFO } from "../ground/platform/openapi.ts";
import { leaveUnreadBody } from "../ground/platform/unread-body.ts";
import { jwksRoutes } from "../records/report/jwks.routes.ts";
import { reportRoutes } from "../records/report/report.routes.ts";
import { detectionsRoutes } from "../records/media-api/detections.routes.ts";
import { retryRoutes } from "../intake/revisions/retry.routes.ts";
import { revisionRoutes } from "../intake/revisions/revision.routes.ts";
import { statusRoutes } from "../records/media-api/status-details.routes.ts";
import { tusCreationRoutes, tusDiscoveryRoutes, tusRoutes } from "../intake/uploads/resumable/tus.routes.ts";
import { uploadRoutes } from "../intake/uploads/upload.routes.ts";
import { usageRoutes } from "../records/usage/usage.routes.ts";
import { verificationRoutes } from "../records/verification/verification.routes.ts";
import { describeWebhooks } from "../work/webhooks/webhooks.openapi.ts";

const PREFLIGHT_SECONDS = 7200;

const configure: HttpMiddleware = async function configure(c, next) {
  c.set("config", parseApiEnv(c.env));
  await next();
};

const allowOrigins: HttpMiddleware = async function allowOrigins(c, next) {
  const origins = c.get("config").CORS_ORIGINS;
  if (origins.length === 0) return await next();
  return await cors({
    origin: origins.includes("*") ? "*" : origins,
    // OPTIONS asks for what of the tus protocol is offered.
    allowMethods: ["GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS"],
    // Of a file in hundreds of parts each would be asked for twice; browsers remember for no longer than that.
    maxAge: PREFLIGHT_SECONDS,
    exposeHeaders: [
      "X-Request-Id",
      "X-RateLimit-Limit",
      "X-RateLimit-Remaining",
      "X-RateLimit-Reset",
      "Retry-After",
      "Idempotency-Replayed",
      "Content-Disposition",
      "Content-Range",
      "Accept-Ranges",
      "ETag",
      "Link",
      "Location",
      "Tus-Resumable",
      "Tus-Version",
      "Tus-Extension",
      "Tus-Max-Size",
      "Tus-Checksum-Algorithm",
      "Upload-Offset",
      "Upload-Length",
      "Upload-Metadata",
      "Upload-Expires",
    ],
  })(c, next);
};

const protect = secureHeaders({
  strictTransportSecurity: "max-age=31536000; includeSubDomains",
  xFrameOptions: "DENY",
  // Of no use to browsers of today, and each costs every answer a little.
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
});

/** Headers that keep browsers from guessing types, framing and telling where a link was followed from. */
const protectAnswer: HttpMiddleware = async function protectAnswer(c, next) {
  // The dashboard has its own headers, because its forms need an Origin header.
  if (/^\/dashboard(?:\/|$)/.test(c.req.path)) return await next();
  return await protect(c, next);
};

/** The API Worker's routes. */
export const app = createRouter();

app.onError(handleError);
app.notFound(async (c) => {
  const isForPerson = c.req.method === "GET" && c.req.header("Accept")?.includes("text/html") === true;
  const isPage = isForPerson && !c.req.path.startsWith("/api/");
  return isPage ? await openDocs(c, openApiDocument(originOf(c))) : await handleNotFound(c);
});
app.use(requestLog());
app.use(protectAnswer);
app.use(configure, ownAddressOnly);
// Before what is meant for the API alone.
app.all("/dashboard", openDashboard);
app.all("/dashboard/*", openDashboard);
app.use(leaveUnreadBody());
app.route(API_BASE_PATH, tusDiscoveryRoutes);
app.use(allowOrigins);
// An upload's address is its secret: it needs no API key.
app.route(API_BASE_PATH, tusRoutes);
app.use(
  `${API_BASE_PATH}/*`,
  authenticate({ keyFinderOf: mediaKeyFinder, watcher: countEarly }),
  rateLimit(),
);
app.route(API_BASE_PATH, uploadRoutes);
app.route(API_BASE_PATH, tusCreationRoutes);
app.route(API_BASE_PATH, mediaRoutes);
app.route(API_BASE_PATH, deletionsRoutes);
app.route(API_BASE_PATH, statusRoutes);
app.route(API_BASE_PATH, detectionsRoutes);
app.route(API_BASE_PATH, reportRoutes);
app.route(API_BASE_PATH, verificationRoutes);
app.route(API_BASE_PATH, revisionRoutes);
app.route(API_BASE_PATH, retryRoutes);
app.route(API_BASE_PATH, usageRoutes);

app.openAPIRegistry.registerComponent("securitySchemes", "apiKey", {
  type: "http",
  scheme: "bearer",
  description:
    "An API key, created in the dashboard or by the operator. Extension: a key can be limited to scopes, `read` (GET except downloads), `write` (upload, revise, retry and download; includes `read`) and `delete`, and can expire. A request that needs another scope is answered with 401, and the message names that scope.",
});
describeWebhooks(app.openAPIRegistry);

/** The OpenAPI 3.1 document of the API, from the schemas that validate it. Its server is `{base_url}`, version included. */
export function openApiDocument(origin: string) {
  const baseUrl = `${origin}${API_BASE_PATH}`;
  const document = app.getOpenAPI31Document({ ...OPENAPI_INFO, servers: [{ url: baseUrl }] });
  const { paths, webhooks } = withExamples(document, baseUrl);
  const components = {
    ...document.components,
    schemas: withDefaultsInWords(document.components?.schemas ?? {}),
  };
  const entries = Object.entries(paths).map(([path, item]) => [path.slice(API_BASE_PATH.length), item]);
  return { ...document, components, paths: Object.fromEntries(entries) as typeof paths, webhooks };
}

app.route("/", docsRoutes(openApiDocument));
app.route("/", healthRoutes);
app.route("/", jwksRoutes);
