import type { Schema } from "./document.ts";
import { Prose, Table, TypeName, schemaName } from "./prose.tsx";

/** The fields of an object, or its type where it has none. */
export function Fields({ schema }: { schema: Schema }) {
  const properties = Object.entries(schema.properties ?? {});
  const required = new Set(schema.required);
  if (properties.length === 0) {
    return (
      <p>
        <TypeName schema={schema} />
      </p>
    );
  }
  return (
    <Table
      heads={["Field", "Type", "Meaning"]}
      rows={properties.map(([field, property]) => [
        <>
          <code>{field}</code>
          {required.has(field) ? "" : " (optional)"}
        </>,
        <TypeName schema={property} />,
        <Prose text={property.description} />,
      ])}
    />
  );
}

/** The schema that a reference names. */
export function resolve(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  return schema.$ref === undefined ? schema : (schemas[schemaName(schema.$ref)] ?? schema);
}
