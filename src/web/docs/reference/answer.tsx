import type { Content, Operation } from "./document.ts";
import { Code, Prose, TypeName } from "./prose.tsx";

/** One answer with its examples, which open when it is selected. */
export function AnswerExample({
  status,
  answer: { description, content },
  isOpen,
}: {
  status: string;
  answer: Operation["responses"][string];
  isOpen: boolean;
}) {
  const examples = Object.values(content?.["application/json"]?.examples ?? {});
  return (
    <details class="example" open={isOpen}>
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
}

function contentSentence(content: Content | undefined): string {
  return content === undefined ? "No body." : `The file: ${Object.keys(content).join(", ")}.`;
}

/** A value as JSON in a code block. */
export function Json({ value }: { value: unknown }) {
  return (
    <pre tabindex={0}>
      <Code text={JSON.stringify(value, null, 2)} />
    </pre>
  );
}

/** The body of an answer. */
export function BodyType({ content }: { content: Content | undefined }) {
  const types = Object.keys(content ?? {});
  const schema = content?.["application/json"]?.schema;
  if (schema !== undefined) return <TypeName schema={schema} />;
  return <>{types.length === 0 ? "none" : types.join(", ")}</>;
}
