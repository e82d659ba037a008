import type { ApiDocument } from "../reference/document.ts";
import { Fields } from "../reference/fields.tsx";
import { DocsPage, type Site } from "./layout.tsx";

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
