import { operationsByTag, type ApiDocument } from "../reference/document.ts";
import { Fields } from "../reference/fields.tsx";
import { OperationSection } from "../reference/operation.tsx";
import { Paragraphs } from "../reference/prose.tsx";
import { DocsPage, type Site } from "./layout.tsx";

/** How tags of the document are titled. */
const TITLES: Readonly<Record<string, string>> = { extension: "Extensions" };

/** Every operation with its parameters, code, answers and a form to try it, and every schema. */
export function ReferencePage({ site, document }: { site: Site; document: ApiDocument }) {
  const { info, components, servers } = document;
  return (
    <DocsPage site={site} title="API reference" path="/docs">
      <h1>{info.title} API reference</h1>
      <p class="soft">
        Version {info.version} · at <code>{servers[0]?.url}</code> ·{" "}
        <a href="/openapi/v1.json">OpenAPI document</a>
      </p>
      <Paragraphs text={info.description} />
      <p>
        Every request carries an API key in the header <code>Authorization: Bearer &lt;API_KEY&gt;</code>. New
        here? Begin with the <a href="/docs/quick-start">quick start</a>.
      </p>
      {operationsByTag(document).map(({ name, description, operations }) => (
        <>
          <h2 id={`tag-${name.toLowerCase()}`}>{titleOf(name)}</h2>
          <p>{description}</p>
          {operations.map((operation) => (
            <OperationSection operation={operation} schemas={components.schemas} />
          ))}
        </>
      ))}
      <h2 id="schemas">Schemas</h2>
      {Object.entries(components.schemas).map(([name, schema]) => (
        <>
          <h3 id={`schema-${name}`}>
            <code>{name}</code>
          </h3>
          <Fields schema={schema} />
        </>
      ))}
    </DocsPage>
  );
}

/** The operations as the navigation lists them. */
export function navigationOf(document: ApiDocument): Site["groups"] {
  return operationsByTag(document).map(({ name, operations }) => ({
    name: titleOf(name),
    links: operations.map(({ operationId, summary, method, isWebhook }) => ({
      address: `/docs#${operationId}`,
      title: summary,
      ...(!isWebhook && { method }),
    })),
  }));
}

function titleOf(tag: string): string {
  return TITLES[tag] ?? tag;
}
