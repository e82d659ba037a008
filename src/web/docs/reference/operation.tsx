import { AnswerExample, BodyType, Json } from "./answer.tsx";
import { splitAnswers, type CommonAnswers } from "./common-answers.ts";
import type { Operation, Schema } from "./document.ts";
import { Fields, resolve } from "./fields.tsx";
import { Code, Paragraphs, Prose, Table, TypeName } from "./prose.tsx";
import { SNIPPETS } from "./snippets.ts";
import { TryIt } from "./try-it.tsx";

type Answers = readonly (readonly [status: string, answer: Operation["responses"][string]])[];
type Schemas = Readonly<Record<string, Schema>>;

/** One operation: its parameters on one side, code and examples on the other. */
export function OperationSection({
  operation,
  schemas,
  commonAnswers,
}: {
  operation: Operation;
  schemas: Schemas;
  commonAnswers: CommonAnswers;
}) {
  const { own, common } = splitAnswers(operation, commonAnswers);
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
          rows={own.map(([status, answer]) => [
            <code>{status}</code>,
            <BodyType content={answer.content} />,
            <Prose text={answer.description} />,
          ])}
        />
        {common.length > 0 && (
          <p>
            Errors as elsewhere:
            {common.map(({ id, status }) => (
              <>
                {" "}
                <a href={`#${id}`}>
                  <code>{status}</code>
                </a>
              </>
            ))}
          </p>
        )}
        {!isWebhook && <TryIt operationId={operationId} />}
      </div>
      <div class="code">
        <Request operation={operation} />
        {!isWebhook && <AnswerExamples answers={own} />}
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
          {schema !== undefined && <BodyFields schema={resolve(schema, schemas)} schemas={schemas} />}
        </>
      ))}
    </>
  );
}

/** The fields of a body. If it has several forms, those of the first, with links to the others. */
function BodyFields({ schema, schemas }: { schema: Schema; schemas: Schemas }) {
  const [first, ...others] = schema.anyOf ?? [];
  if (first === undefined) return <Fields schema={schema} />;
  return (
    <>
      <Fields schema={resolve(first, schemas)} />
      <p>
        Or instead: <TypeName schema={{ anyOf: others }} />.
      </p>
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
                <Code text={text} />
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

function AnswerExamples({ answers }: { answers: Answers }) {
  return (
    <>
      {answers.length > 0 && <h4>Answers</h4>}
      {answers.map(([status, answer], index) => (
        <AnswerExample status={status} answer={answer} isOpen={index === 0} />
      ))}
    </>
  );
}
