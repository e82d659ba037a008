import type { Schema } from "./document.ts";
import { Prose, Table, TypeName, schemaName } from "./prose.tsx";

interface Field {
  /** Names from the outer object to the field, such as `links.next` or `keyframes[].box`. */
  readonly path: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

/** The fields of an object and of its inner objects, or its type if it has none. */
export function Fields({ schema }: { schema: Schema }) {
  const fields = fieldsOf(schema, "");
  if (fields.length === 0) {
    return (
      <p>
        <TypeName schema={schema} />
      </p>
    );
  }
  return (
    <Table
      heads={["Field", "Type", "Meaning"]}
      rows={fields.map(({ path, isRequired, schema: field }) => [
        <>
          <code>{path}</code>
          {isRequired ? "" : " (optional)"}
        </>,
        <TypeName schema={field} />,
        <Prose text={field.description} />,
      ])}
    />
  );
}

function fieldsOf(schema: Schema, parent: string): Field[] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${parent}${name}`;
    const own = { path, isRequired: required.has(name), schema: field };
    return [own].concat(innerFieldsOf(field, path));
  });
}

/** The fields of an object or of a list of objects. Fields without any description, such as one for each category, are left out. */
function innerFieldsOf(schema: Schema, path: string): Field[] {
  const inner =
    schema.items === undefined ? fieldsOf(schema, `${path}.`) : fieldsOf(schema.items, `${path}[].`);
  const more = schema.anyOf?.flatMap((one) => fieldsOf(one, `${path}.`)) ?? [];
  return [...inner, ...more].filter(({ schema: field }) => field.description !== undefined);
}

/** The schema that a reference names. */
export function resolve(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  return schema.$ref === undefined ? schema : (schemas[schemaName(schema.$ref)] ?? schema);
}
