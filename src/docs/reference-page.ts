import { html } from "hono/html";
import { z } from "zod";

type Html = ReturnType<typeof html>;

const schemaObject = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  get properties() {
    return z.record(z.string(), schemaObject).optional();
  },
  get items() {
    return schemaObject.optional();
  },
  get anyOf() {
    return z.array(schemaObject).optional();
  },
});

const contentObject = z.record(z.string(), z.object({ schema: schemaObject.optional() }));

const operationObject = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().optional(),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.string(),
        required: z.boolean().optional(),
        description: z.string().optional(),
        schema: schemaObject,
      }),
    )
    .optional(),
  requestBody: z.object({ content: contentObject }).optional(),
  responses: z.record(z.string(), z.object({ description: z.string(), content: contentObject.optional() })),
});

const pathItems = z.record(z.string(), z.record(z.string(), operationObject));

const documentObject = z.object({
  info: z.object({ title: z.string(), version: z.string(), description: z.string() }),
  servers: z.array(z.object({ url: z.string() })),
  paths: pathItems,
  webhooks: pathItems,
  components: z.object({ schemas: z.record(z.string(), schemaObject) }),
});

type Schema = z.output<typeof schemaObject>;
type Operation = z.output<typeof operationObject>;

/** A readable page of an OpenAPI document: every operation with its parameters, body and answers, and every schema. */
export function referencePage(document: object): Html {
  const { info, servers, paths, webhooks, components } = documentObject.parse(document);
  const operations = [paths, webhooks]
    .flatMap((items) => Object.entries(items))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        path,
        method: method.toUpperCase(),
        operation,
      })),
    );
  const baseUrl = servers[0]?.url ?? "";
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${info.title} API reference</title>
        <link rel="icon" type="image/svg+xml" href="/icon.svg" />
        <link rel="stylesheet" href="/docs/style.css" />
      </head>
      <body>
        <main>
          <h1>${info.title} API</h1>
          <p class="soft">Version ${info.version} · <a href="/openapi/v1.json">OpenAPI document</a></p>
          ${paragraphs(info.description)}
          <p>
            Every request carries an API key in the header <code>Authorization: Bearer &lt;API_KEY&gt;</code>.
          </p>
          <pre><code>curl -H "Authorization: Bearer $VEIL_API_KEY" -F file=@photo.jpg -F "categories[]=heads" ${baseUrl}/media/redact</code></pre>
          <nav aria-label="Contents">
            <ul>
              ${operations.map(
                ({ path, method, operation }) =>
                  html`<li>
                    <a href="#${operation.operationId}">${operation.summary}</a>
                    <code class="soft">${method} ${path}</code>
                  </li>`,
              )}
            </ul>
          </nav>
          ${operations.map(operationSection)}
          <h2 id="schemas">Schemas</h2>
          ${Object.entries(components.schemas).map(([name, schema]) => schemaSection(name, schema))}
        </main>
      </body>
    </html>`;
}

function operationSection({
  path,
  method,
  operation,
}: {
  path: string;
  method: string;
  operation: Operation;
}): Html {
  const parameters = operation.parameters ?? [];
  const body = Object.entries(operation.requestBody?.content ?? {});
  return html`<section>
    <h2 id="${operation.operationId}">${operation.summary}</h2>
    <p>
      <code><span class="method">${method}</span>${path}</code>
    </p>
    ${paragraphs(operation.description)}
    ${
      parameters.length === 0
        ? ""
        : html`<h3>Parameters</h3>
            ${table(
              ["Name", "Where", "Type", "Meaning"],
              parameters.map((parameter) => [
                html`<code>${parameter.name}</code>${parameter.required === true ? " (required)" : ""}`,
                parameter.in,
                typeOf(parameter.schema),
                prose(parameter.description),
              ]),
            )}`
    }
    ${body.map(
      ([contentType, { schema }]) =>
        html`<h3>Body</h3>
          <p><code>${contentType}</code> ${schema === undefined ? "" : typeOf(schema)}</p>`,
    )}
    <h3>Answers</h3>
    ${table(
      ["Status", "Body", "Meaning"],
      Object.entries(operation.responses).map(([status, response]) => [
        html`<code>${status}</code>`,
        bodyOf(response.content),
        prose(response.description),
      ]),
    )}
  </section>`;
}

function bodyOf(content: z.output<typeof contentObject> | undefined): Html | string {
  const entries = Object.entries(content ?? {});
  const [first] = entries;
  if (first === undefined) return "none";
  if (first[0] === "application/json" && first[1].schema !== undefined) return typeOf(first[1].schema);
  return entries.map(([type]) => type).join(", ");
}

function schemaSection(name: string, schema: Schema): Html {
  const properties = Object.entries(schema.properties ?? {});
  const required = new Set(schema.required);
  return html`<h3 id="schema-${name}"><code>${name}</code></h3>
    ${
      properties.length === 0
        ? html`<p>${typeOf(schema)}</p>`
        : table(
            ["Field", "Type", "Meaning"],
            properties.map(([field, property]) => [
              html`<code>${field}</code>${required.has(field) ? "" : " (optional)"}`,
              typeOf(property),
              prose(property.description),
            ]),
          )
    }`;
}

function typeOf(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1) ?? "";
    return html`<a href="#schema-${name}"><code>${name}</code></a>`;
  }
  if (schema.enum !== undefined) return html`${schema.enum.map((value) => html`<code>${value}</code> `)}`;
  if (schema.items !== undefined) return html`list of ${typeOf(schema.items)}`;
  if (schema.anyOf !== undefined) {
    return html`${schema.anyOf.map((one, index) => html`${index > 0 ? " or " : ""}${typeOf(one)}`)}`;
  }
  const types = [schema.type ?? "object"].flat().join(" or ");
  return html`${schema.format === undefined ? types : `${types}, ${schema.format}`}`;
}

/** A description whose paragraphs are parted by empty lines. */
function paragraphs(text = ""): Html {
  return html`${text.split("\n\n").map((paragraph) => html`<p>${prose(paragraph)}</p>`)}`;
}

/** A description with its `code` in backticks set as code. */
function prose(text = ""): Html {
  return html`${text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

function table(heads: readonly string[], rows: readonly (readonly (Html | string)[])[]): Html {
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
