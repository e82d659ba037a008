import { z } from "zod";

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

const exampleObject = z.object({ summary: z.string(), value: z.unknown() });
const contentObject = z.record(
  z.string(),
  z.object({ schema: schemaObject.optional(), examples: z.record(z.string(), exampleObject).optional() }),
);

const operationObject = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().optional(),
  tags: z.array(z.string()),
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
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: pathItems,
  webhooks: pathItems,
  components: z.object({ schemas: z.record(z.string(), schemaObject) }),
});

export type Schema = z.output<typeof schemaObject>;
export type Content = z.output<typeof contentObject>;
export type ApiDocument = z.output<typeof documentObject>;

/** One operation of the API, or an event that the service sends. */
export type Operation = z.output<typeof operationObject> & {
  readonly path: string;
  readonly method: string;
  readonly isWebhook: boolean;
};

/** The parts of an OpenAPI document that the reference shows. Throws a ZodError if one is missing. */
export function readDocument(document: object): ApiDocument {
  return documentObject.parse(document);
}

/** Operations and webhooks with their tag, in the order of the tags. */
export function operationsByTag(
  document: ApiDocument,
): readonly { name: string; description: string; operations: readonly Operation[] }[] {
  const operations = [
    ...operationsOf(document.paths, { isWebhook: false }),
    ...operationsOf(document.webhooks, { isWebhook: true }),
  ];
  return document.tags.map((tag) => ({
    ...tag,
    operations: operations.filter(({ tags }) => tags.includes(tag.name)),
  }));
}

function operationsOf(items: ApiDocument["paths"], { isWebhook }: { isWebhook: boolean }): Operation[] {
  return Object.entries(items).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      Object.assign(operation, { path, method: method.toUpperCase(), isWebhook }),
    ),
  );
}
