import { etag } from "hono/etag";
import { GUIDES } from "./guides/guides.ts";
import { PICTURES } from "./guides/pictures.ts";
import { readSections } from "./guides/render-guide.ts";
import { GuidePage } from "./pages/guide.page.tsx";
import type { Site } from "./pages/layout.tsx";
import { NotFoundPage } from "./pages/not-found.page.tsx";
import { SEARCH_KEYWORDS } from "./guides/search-keywords.ts";
import { ReferencePage, navigationOf } from "./pages/reference.page.tsx";
import { SchemasPage } from "./pages/schemas.page.tsx";
import { FILES } from "./pages/files.generated.ts";
import { operationsByTag, readDocument, type ApiDocument } from "./reference/document.ts";
import { TRY_IT_PATH, TryItForm } from "./reference/try-it.tsx";
import { notFound } from "../../ground/platform/errors.ts";
import { originOf, type HttpContext } from "../../ground/platform/http.ts";
import { findBrowserFile } from "../style/browser-files.ts";

/** The page's own script sends forms, so the browser must not submit any. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const ASSETS_PATH = "/docs/assets/";

const answerUnchanged = etag();

/** Answers a request below `/docs`: the reference, a guide, or the files that they load. @throws VeilError 404 if there is no such page */
export async function answerAsDocs(c: HttpContext, openApiDocument: object): Promise<Response> {
  const answer = await answerTo(c, openApiDocument);
  c.res = answer;
  await answerUnchanged(c, () => Promise.resolve());
  return c.res;
}

async function answerTo(c: HttpContext, openApiDocument: object): Promise<Response> {
  c.header("Cache-Control", "public, max-age=0, must-revalidate");
  const path = c.req.path;
  if (path.startsWith(ASSETS_PATH)) {
    const file = findBrowserFile(FILES, path.slice(ASSETS_PATH.length));
    if (file !== undefined) return c.body(file.text, 200, file.headers);
  }
  const picture = PICTURES.get(path.slice(1));
  if (picture !== undefined) return c.body(picture, 200, { "Content-Type": "image/webp" });
  const document = readDocument(openApiDocument);
  if (path === "/docs/search.json") return c.json(searchEntries(document));
  const site: Site = {
    hasDashboard: c.get("config").AUTH_SECRET !== undefined,
    groups: navigationOf(document),
  };
  const page = pageAt(path, { site, document, origin: originOf(c) });
  const isForPerson = c.req.header("Accept")?.includes("text/html") === true;
  if (page === undefined && !isForPerson) throw notFound("There is nothing at this address.");
  c.header("Content-Security-Policy", CONTENT_SECURITY_POLICY);
  if (page === undefined) return await c.html(<NotFoundPage site={site} path={path} />, 404);
  return await c.html(page);
}

function pageAt(
  path: string,
  { site, document, origin }: { site: Site; document: ApiDocument; origin: string },
) {
  if (path === "/docs") return <ReferencePage site={site} document={document} />;
  if (path === "/docs/schemas") return <SchemasPage site={site} document={document} />;
  if (path.startsWith(`${TRY_IT_PATH}/`)) {
    const operationId = path.slice(TRY_IT_PATH.length + 1);
    const operation = operationsByTag(document)
      .flatMap(({ operations }) => operations)
      .find((one) => one.operationId === operationId && !one.isWebhook);
    if (operation === undefined) return undefined;
    return <TryItForm operation={operation} schemas={document.components.schemas} />;
  }
  const guide = GUIDES.find(({ slug }) => path === `/docs/${slug}`);
  return guide === undefined ? undefined : <GuidePage site={site} guide={guide} origin={origin} />;
}

/** The search index: sections of guides, operations and schemas. */
function searchEntries(document: ApiDocument): readonly object[] {
  const guides = GUIDES.flatMap((guide) =>
    readSections(guide).map(({ id, title, depth, text }) => ({
      title: depth === 1 ? guide.title : title,
      page: guide.title,
      address: `/docs/${guide.slug}#${id}`,
      text,
    })),
  );
  const operations = operationsByTag(document)
    .flatMap((group) => group.operations)
    .map(({ operationId, summary, method, path, description = "" }) => ({
      title: summary,
      page: "API reference",
      address: `/docs#${operationId}`,
      text: `${method} ${path} ${operationId} ${description}`,
    }));
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => ({
    title: name,
    page: "Schemas",
    address: `/docs/schemas#${name}`,
    text: [schema.description ?? "", ...Object.keys(schema.properties ?? {}), ...(schema.enum ?? [])].join(
      " ",
    ),
  }));
  return [...operations, ...schemas, ...guides].map(({ title, page, address, text }) => ({
    title,
    page,
    address,
    keywords: SEARCH_KEYWORDS[address] ?? "",
    text,
  }));
}
