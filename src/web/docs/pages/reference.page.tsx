import { operationsByTag, type ApiDocument } from "../reference/document.ts";
import { AnswerExample } from "../reference/answer.tsx";
import { commonAnswersOf } from "../reference/common-answers.ts";
import { OperationSection } from "../reference/operation.tsx";
import { Code, Paragraphs, Prose } from "../reference/prose.tsx";
import { DocsPage, type Site } from "./layout.tsx";

/** Titles of the document's tags. */
const TITLES: Readonly<Record<string, string>> = { extension: "Extensions" };

/** Every operation with its parameters, code, answers and a form to try it. */
export function ReferencePage({ site, document }: { site: Site; document: ApiDocument }) {
  const { info, components, servers } = document;
  const groups = operationsByTag(document);
  const commonAnswers = commonAnswersOf(groups.flatMap(({ operations }) => operations));
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
      <p>The examples expect the service's address and your key in two variables:</p>
      <pre tabindex={0}>
        <Code text={`export VEIL_BASE_URL=${servers[0]?.url ?? ""}\nexport VEIL_API_KEY=veil_…`} />
      </pre>
      {groups.map(({ name, description, operations }) => (
        <>
          <h2 id={`tag-${name.toLowerCase()}`}>{titleOf(name)}</h2>
          <p>{description}</p>
          {operations.map((operation) => (
            <OperationSection
              operation={operation}
              schemas={components.schemas}
              commonAnswers={commonAnswers}
            />
          ))}
        </>
      ))}
      <h2 id="errors">Errors of many operations</h2>
      <p>
        All errors have the same shape, and <a href="/docs/errors">their guide</a> says what to do about each.
      </p>
      {[...commonAnswers.values()].map(({ id, status, answer }) => (
        <>
          <h3 id={id}>
            <code>{status}</code>
          </h3>
          <p>
            <Prose text={answer.description} />
          </p>
          <AnswerExample status={status} answer={answer} isOpen />
        </>
      ))}
      <p>
        The shape of every body is in <a href="/docs/schemas">schemas</a>.
      </p>
    </DocsPage>
  );
}

/** The operations as the navigation lists them. */
export function navigationOf(document: ApiDocument): Site["groups"] {
  const operations = operationsByTag(document).map(({ name, operations: ofTag }) => ({
    name: titleOf(name),
    links: ofTag.map(({ operationId, summary, method, isWebhook }) => ({
      address: `/docs#${operationId}`,
      title: summary,
      ...(!isWebhook && { method }),
    })),
  }));
  return [...operations, { name: "Schemas", links: [{ address: "/docs/schemas", title: "All schemas" }] }];
}

function titleOf(tag: string): string {
  return TITLES[tag] ?? tag;
}
