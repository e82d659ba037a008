import { raw } from "hono/html";
import type { Guide } from "../guides/guides.ts";
import { renderGuide } from "../guides/render-guide.ts";
import { DocsPage, type Site } from "./layout.tsx";
import type { ApiDocument } from "../reference/document.ts";
import { Fields } from "../reference/fields.tsx";

/** A guide of the repository as a page of the site at an origin. */
export function GuidePage({ site, guide, origin }: { site: Site; guide: Guide; origin: string }) {
  return (
    <DocsPage site={site} title={guide.title} path={`/docs/${guide.slug}`}>
      <article class="guide">{raw(renderGuide(guide, origin))}</article>
    </DocsPage>
  );
}

/** All schemas of the API, as targets of links from operations and other schemas. */
export function SchemasPage({ site, document }: { site: Site; document: ApiDocument }) {
  return (
    <DocsPage site={site} title="Schemas" path="/docs/schemas">
      <h1>Schemas</h1>
      <p class="soft">
        What bodies of the <a href="/docs">API reference</a> are made of.
      </p>
      {Object.entries(document.components.schemas).map(([name, schema]) => (
        <>
          <h2 id={name}>
            <code>{name}</code>
          </h2>
          <Fields schema={schema} />
        </>
      ))}
    </DocsPage>
  );
}

/** For visitors who follow an old link. The contents are beside it and the search is above. */
export function NotFoundPage({ site, path }: { site: Site; path: string }) {
  return (
    <DocsPage site={site} title="Not found" path={path}>
      <h1>Not found</h1>
      <p>There is no page at this address. Search above, or choose one of the contents.</p>
      <p>
        <a href="/docs/quick-start">Quick start</a> · <a href="/docs">API reference</a>
      </p>
    </DocsPage>
  );
}
