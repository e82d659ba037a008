import { etag } from "hono/etag";
import { GUIDES } from "./guides/guides.ts";
import { PICTURES } from "./guides/pictures.ts";
import { readSections } from "./guides/render-guide.ts";
import { GuidePage, SchemasPage, NotFoundPage } from "./pages/docs.pages.tsx";
import type { Site } from "./pages/layout.tsx";
import { ReferencePage, navigationOf } from "./pages/reference.page.tsx";
import { FILES } from "./pages/files.generated.ts";
import { operationsByTag, readDocument, type ApiDocument } from "./reference/document.ts";
import { TRY_IT_PATH, TryItForm } from "./reference/try-it.tsx";
import { notFound } from "../../ground/platform/errors.ts";
import { originOf, type HttpContext } from "../../ground/platform/http.ts";
import { findBrowserFile } from "../style/browser-files.ts";

/** Search words that a section does not contain, by its address. Sections that match them come first. */
export const SEARCH_KEYWORDS: Readonly<Record<string, string>> = {
  "/docs#deleteMedia": "delete everything, erase, remove all",
  "/docs#getStatusDetails": "stuck, hangs, slow, progress, why failed",
  "/docs/categories#categories": "accuracy, recall, precision, quality, how good",
  "/docs/corrections#cover-a-missed-face-or-remove-a-wrong-mask":
    "false positive, false negative, unblur, undo, uncover, remove blur",
  "/docs/corrections#what-a-revision-hides": "current version, revise again, lost changes",
  "/docs/errors#errors": "400, 401, 403, 404, 409, 422, 429, 500, forbidden, status codes",
  "/docs/errors#media-that-end-without-a-redacted-file": "stuck, failed, failure codes",
  "/docs/limits#limits": "max file size, maximum size, quota, plans",
  "/docs/quick-start#from-a-browser-or-a-phone": "cors, frontend, javascript in a page",
  "/docs/quick-start#install-the-clients": "sdk, library, package, npm, npx, pip, install",
  "/docs/quick-start#quick-start": "quickstart, getting started, create api key, authentication, token",
  "/docs/quick-start#what-to-expect": "replay, idempotency, changelog, versioning, retries",
  "/docs/quick-start#retry-a-file-that-failed": "try again, failed, resend, re-run, rerun",
  "/docs/webhooks#answer-quickly-and-expect-duplicates": "replay, re-send, retry",
};

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
