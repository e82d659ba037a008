interface SchemaObject {
  readonly properties?: Readonly<Record<string, object>>;
}

/**
 * Moves default values into the descriptions of schemas. With the keyword `default`, client generators treat a field of a
 * shared schema as always present and require it in requests too.
 */
export function withDefaultsInWords<Schemas extends Readonly<Record<string, object>>>(
  schemas: Schemas,
): Schemas {
  const entries = Object.entries(schemas).map(([name, schema]) => [name, inWords(schema)]);
  return Object.fromEntries(entries) as Schemas;
}

function inWords(schema: object & SchemaObject): object {
  if (schema.properties === undefined) return schema;
  const properties = Object.entries(schema.properties).map(([name, property]): [string, object] => {
    if (!("default" in property)) return [name, property];
    const { default: value, ...rest } = property;
    const description = "description" in rest ? `${String(rest.description)} ` : "";
    const shown = typeof value === "string" ? value : JSON.stringify(value);
    return [name, { ...rest, description: `${description}\`${shown}\` unless given.` }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}
