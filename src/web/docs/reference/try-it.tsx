import type { Operation, Schema } from "./document.ts";
import { resolve } from "./fields.tsx";

type Schemas = Readonly<Record<string, Schema>>;

/** The path of the forms that send requests. */
export const TRY_IT_PATH = "/docs/try-it";

/** The section of a form that sends a real request to this service. Scripts show it and load the form when it is opened. */
export function TryIt({ operationId }: { operationId: string }) {
  return (
    <details class="try" data-try={`${TRY_IT_PATH}/${operationId}`} hidden>
      <summary>Try it</summary>
    </details>
  );
}

/** The form itself. */
export function TryItForm({ operation, schemas }: { operation: Operation; schemas: Schemas }) {
  const { operationId, path, method, parameters = [], requestBody } = operation;
  const [body] = Object.entries(requestBody?.content ?? {});
  return (
    <form data-path={path} data-method={method} data-body={body?.[0]}>
      <p class="soft">
        The request goes to this service and acts on your account. A key that you type stays in this page
        until you close it.
      </p>
      <label>
        API key
        <input type="password" data-in="key" data-key autocomplete="off" required />
      </label>
      {parameters.map((parameter) => (
        <Field name={parameter.name} where={parameter.in} schema={parameter.schema} schemas={schemas} />
      ))}
      {body !== undefined && <Body type={body[0]} content={body[1]} schemas={schemas} />}
      <button aria-label={`Send ${method} ${path}`}>Send {method}</button>
      <div data-answer class="answer" role="status" id={`answer-${operationId}`}></div>
    </form>
  );
}

function Body({
  type,
  content,
  schemas,
}: {
  type: string;
  content: NonNullable<Operation["requestBody"]>["content"][string];
  schemas: Schemas;
}) {
  if (type === "multipart/form-data") {
    const { properties = {} } = formSchema(content.schema ?? {}, schemas);
    return (
      <>
        {Object.entries(properties).map(([name, schema]) => (
          <Field name={name} where="form" schema={schema} schemas={schemas} />
        ))}
      </>
    );
  }
  const [example] = Object.values(content.examples ?? {});
  return (
    <label>
      Body
      <textarea data-in="body" rows={8}>
        {JSON.stringify(example?.value ?? {}, null, 2)}
      </textarea>
    </label>
  );
}

/** The fields of a form; if a body has several media types, those of the first. */
function formSchema(schema: Schema, schemas: Schemas): Schema {
  const resolved = resolve(schema, schemas);
  const [first] = resolved.anyOf ?? [];
  return first === undefined ? resolved : formSchema(first, schemas);
}

function Field({
  name,
  where,
  schema,
  schemas,
}: {
  name: string;
  where: string;
  schema: Schema;
  schemas: Schemas;
}) {
  const { format, items, enum: values } = resolve(schema, schemas);
  const choices = items === undefined ? undefined : resolve(items, schemas).enum;
  if (choices !== undefined) {
    return (
      <fieldset>
        <legend>{name}</legend>
        {choices.map((value, index) => (
          <label>
            <input type="checkbox" name={name} value={String(value)} data-in={where} checked={index === 0} />
            {String(value)}
          </label>
        ))}
      </fieldset>
    );
  }
  return (
    <label>
      {name}
      {values !== undefined ? (
        <select name={name} data-in={where}>
          <option value="">not sent</option>
          {values.map((value) => (
            <option>{String(value)}</option>
          ))}
        </select>
      ) : (
        <input
          type={format === "binary" ? "file" : "text"}
          name={name}
          data-in={where}
          autocomplete="off"
          required={where === "path" || format === "binary"}
        />
      )}
    </label>
  );
}
