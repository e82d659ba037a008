import { raw } from "hono/html";
import type { Child } from "hono/jsx";
import type { Schema } from "./document.ts";

/** A description, with text in backticks shown as code. */
export function Prose({ text = "" }: { text?: string | undefined }) {
  return <>{text.split("`").map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>;
}

/** Code without escaped quotes. Between tags, quotes need no escaping, and escaped ones took a tenth of the page. */
export function Code({ text }: { text: string }) {
  return <code>{raw(text.replaceAll("&", "&amp;").replaceAll("<", "&lt;"))}</code>;
}

/** A description whose paragraphs are separated by empty lines. */
export function Paragraphs({ text = "" }: { text?: string | undefined }) {
  return (
    <>
      {text.split("\n\n").map((paragraph) => (
        <p>
          <Prose text={paragraph} />
        </p>
      ))}
    </>
  );
}

/** The type of a schema in a few words, with a link to a named one. */
export function TypeName({ schema }: { schema: Schema }): Child {
  if (schema.$ref !== undefined) {
    const name = schemaName(schema.$ref);
    return (
      <a href={`/docs/schemas#${name}`}>
        <code>{name}</code>
      </a>
    );
  }
  if (schema.enum !== undefined) {
    return (
      <>
        {schema.enum.map((value) => (
          <>
            <code>{String(value)}</code>{" "}
          </>
        ))}
      </>
    );
  }
  if (schema.items !== undefined) {
    return (
      <>
        list of <TypeName schema={schema.items} />
      </>
    );
  }
  if (schema.anyOf !== undefined) {
    return (
      <>
        {schema.anyOf.map((one, index) => (
          <>
            {index > 0 ? " or " : ""}
            <TypeName schema={one} />
          </>
        ))}
      </>
    );
  }
  const types = [schema.type ?? "object"].flat().join(" or ");
  return <>{schema.format === undefined ? types : `${types}, ${schema.format}`}</>;
}

/** The name of the schema that a reference points to. */
export function schemaName(reference: string): string {
  return reference.split("/").at(-1) ?? "";
}

/** A table that scrolls separately if it is too wide. */
export function Table({ heads, rows }: { heads: readonly string[]; rows: readonly (readonly Child[])[] }) {
  return (
    <div class="scroll" tabindex={0}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th>{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr>
              {cells.map((cell) => (
                <td>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
