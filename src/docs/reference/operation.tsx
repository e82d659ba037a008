import type { Content, Operation, Schema } from "./document.ts";
import { Fields, resolve } from "./fields.tsx";
import { Paragraphs, Prose, Table, TypeName } from "./prose.tsx";
import { SNIPPETS } from "./snippets.ts";
import { TryIt } from "./try-it.tsx";

type Schemas = Readonly<Record<string, Schema>>;

/** All about one operation: what it takes on one side, code and examples on the other. */
export function OperationSection({ operation, schemas }: { operation: Operation; schemas: Schemas }) {
  const { operationId, summary, method, path, description, isWebhook } = operation;
  return (
    <section class="operation" aria-labelledby={operationId}>
      <div>
        <h3 id={operationId}>
          <a href={`#${operationId}`}>{summary}</a>
        </h3>
        <p>
          <code>
            <span class="method">{method}</span>
            {path}
          </code>
        </p>
        <Paragraphs text={description} />
        <Takes operation={operation} schemas={schemas} />
        <h4>{isWebhook ? "What your server may answer" : "Answers"}</h4>
        <Table
          heads={["Status", "Body", "Meaning"]}
          rows={Object.entries(operation.responses).map(([status, answer]) => [
            <code>{status}</code>,
            <BodyType content={answer.content} />,
            <Prose text={answer.description} />,
          ])}
        />
        {!isWebhook && <TryIt operation={operation} schemas={schemas} />}
      </div>
      <div class="code">
        <Request operation={operation} />
        {!isWebhook && <AnswerExamples operation={operation} />}
      </div>
    </section>
  );
}

function Takes({ operation, schemas }: { operation: Operation; schemas: Schemas }) {
  const { parameters = [], requestBody } = operation;
  return (
    <>
      {parameters.length > 0 && (
        <>
          <h4>Parameters</h4>
          <Table
            heads={["Name", "Where", "Type", "Meaning"]}
            rows={parameters.map((parameter) => [
              <>
                <code>{parameter.name}</code>
                {parameter.required === true ? " (required)" : ""}
              </>,
              parameter.in,
              <TypeName schema={parameter.schema} />,
              <Prose text={parameter.description} />,
            ])}
          />
        </>
      )}
      {Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => (
        <>
          <h4>Body</h4>
          <p>
            <code>{type}</code>
          </p>
          {schema !== undefined && <Fields schema={resolve(schema, schemas)} />}
        </>
      ))}
    </>
  );
}

function Request({ operation: { operationId, requestBody } }: { operation: Operation }) {
  const snippets = Object.entries(SNIPPETS[operationId] ?? {});
  return (
    <>
      {snippets.length > 0 && (
        <div class="tabs" data-tabs>
          {snippets.map(([language, text]: [string, string]) => (
            <div data-language={language}>
              <h4>{language}</h4>
              <pre tabindex={0}>
                <code>{text}</code>
              </pre>
            </div>
          ))}
        </div>
      )}
      {Object.values(requestBody?.content ?? {}).flatMap(({ examples = {} }) =>
        Object.values(examples).map(({ summary, value }) => (
          <>
            <h4>Body: {summary}</h4>
            <Json value={value} />
          </>
        )),
      )}
    </>
  );
}

function AnswerExamples({ operation }: { operation: Operation }) {
  return (
    <>
      <h4>Answers</h4>
      {Object.entries(operation.responses).map(([status, { description, content }], index) => {
        const examples = Object.values(content?.["application/json"]?.examples ?? {});
        return (
          <details class="example" open={index === 0}>
            <summary>
              <code>{status}</code>{" "}
              {examples.map(({ summary }) => summary).join(", ") || <Prose text={description} />}
            </summary>
            {examples.length === 0 && <p class="soft">{contentSentence(content)}</p>}
            {examples.map(({ summary, value }) => (
              <>
                {examples.length > 1 && <h5>{summary}</h5>}
                <Json value={value} />
              </>
            ))}
          </details>
        );
      })}
    </>
  );
}

function contentSentence(content: Content | undefined): string {
  return content === undefined ? "No body." : `The file: ${Object.keys(content).join(", ")}.`;
}

function Json({ value }: { value: unknown }) {
  return (
    <pre tabindex={0}>
      <code>{JSON.stringify(value, null, 2)}</code>
    </pre>
  );
}

function BodyType({ content }: { content: Content | undefined }) {
  const types = Object.keys(content ?? {});
  const schema = content?.["application/json"]?.schema;
  if (schema !== undefined) return <TypeName schema={schema} />;
  return <>{types.length === 0 ? "none" : types.join(", ")}</>;
}
