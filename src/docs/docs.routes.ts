import { createRouter, originOf } from "../platform/http.ts";
import { referencePage, type ApiDocument } from "./reference-page.ts";

/** The OpenAPI document and a page that shows it. Neither needs a key. */
export function docsRoutes(documentOf: (origin: string) => object) {
  const routes = createRouter();
  routes.get("/openapi/v1.json", (c) => c.json(documentOf(originOf(c))));
  routes.get("/docs", (c) => {
    c.header("Content-Security-Policy", "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'");
    return c.html(referencePage(documentOf(originOf(c)) as ApiDocument));
  });
  routes.get("/docs/style.css", (c) => {
    c.header("Content-Type", "text/css; charset=utf-8");
    return c.body(REFERENCE_STYLE);
  });
  return routes;
}
const REFERENCE_STYLE = "";
