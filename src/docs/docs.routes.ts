import { createRouter, originOf } from "../platform/http.ts";
import { REFERENCE_STYLE } from "./reference-style.ts";
import { referencePage } from "./reference-page.ts";

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The OpenAPI document and a page that shows it. Neither needs a key, and the page needs no other host. */
export function docsRoutes(documentOf: (origin: string) => object) {
  const routes = createRouter();
  routes.get("/openapi/v1.json", (c) => c.json(documentOf(originOf(c))));
  routes.get("/docs", async (c) => {
    c.header("Content-Security-Policy", CONTENT_SECURITY_POLICY);
    return await c.html(referencePage(documentOf(originOf(c))));
  });
  routes.get("/docs/style.css", (c) => {
    c.header("Content-Type", "text/css; charset=utf-8");
    c.header("Cache-Control", "public, max-age=300");
    return c.body(REFERENCE_STYLE);
  });
  return routes;
}
