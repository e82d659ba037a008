import { API_BASE_PATH, createRouter, originOf } from "../../ground/platform/http.ts";
import { openDocs } from "./open-docs.ts";
import { ICON, welcomePage } from "./welcome-page.ts";

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The public pages: the welcome page, the OpenAPI document and the documentation. No page loads anything from another host. */
export function docsRoutes(documentOf: (origin: string) => object) {
  const routes = createRouter();
  routes.get("/", async (c) => {
    c.header("Content-Security-Policy", CONTENT_SECURITY_POLICY);
    const hasDashboard = c.get("config").AUTH_SECRET !== undefined;
    return await c.html(welcomePage({ baseUrl: `${originOf(c)}${API_BASE_PATH}`, hasDashboard }));
  });
  // Browsers request the second one if a page names no icon.
  for (const path of ["/icon.svg", "/favicon.ico"]) {
    routes.get(path, (c) => {
      c.header("Content-Type", "image/svg+xml");
      c.header("Cache-Control", "public, max-age=86400");
      return c.body(ICON);
    });
  }
  routes.get("/openapi/v1.json", (c) => c.json(documentOf(originOf(c))));
  for (const path of ["/docs", "/docs/*"]) {
    routes.get(path, (c) => openDocs(c, documentOf(originOf(c))));
  }
  return routes;
}
