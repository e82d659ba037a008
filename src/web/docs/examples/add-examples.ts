import { z } from "zod";
import { answerExamples, bodyExamples, type Examples } from "./answers.ts";
import { faultExamples } from "./faults.ts";

const contentObject = z.record(z.string(), z.looseObject({}));
const operationObject = z.looseObject({
  operationId: z.string(),
  requestBody: z.looseObject({ content: contentObject }).optional(),
  responses: z.record(z.string(), z.looseObject({ content: contentObject.optional() })),
});
const pathItems = z.record(z.string(), z.record(z.string(), operationObject));
const documentObject = z.object({ paths: pathItems, webhooks: pathItems });

type Operation = z.output<typeof operationObject>;

/** Adds examples of all JSON answers and JSON request bodies to the operations of an OpenAPI document. */
export function withExamples(document: object, baseUrl: string): z.output<typeof documentObject> {
  const { paths, webhooks } = documentObject.parse(document);
  const answers = answerExamples(baseUrl);
  const bodies = bodyExamples(baseUrl);
  function addTo(operation: Operation): Operation {
    const { operationId, requestBody, responses } = operation;
    const entries = Object.entries(responses).map(([status, response]) => {
      const examples = answers[operationId]?.[status] ?? faultExamples(operationId, status);
      return [status, { ...response, ...withJson(response.content, examples) }] as const;
    });
    return {
      ...operation,
      ...(requestBody !== undefined && {
        requestBody: { ...requestBody, content: addJson(requestBody.content, bodies[operationId]) },
      }),
      responses: Object.fromEntries(entries),
    };
  }
  return { paths: mapOperations(paths, addTo), webhooks: mapOperations(webhooks, addTo) };
}

function mapOperations(
  items: z.output<typeof pathItems>,
  change: (operation: Operation) => Operation,
): z.output<typeof pathItems> {
  const entries = Object.entries(items).map(
    ([path, methods]) =>
      [
        path,
        Object.fromEntries(Object.entries(methods).map(([method, one]) => [method, change(one)] as const)),
      ] as const,
  );
  return Object.fromEntries(entries);
}

type Content = z.output<typeof contentObject>;

function withJson(content: Content | undefined, examples: Examples | undefined): { content?: Content } {
  return content === undefined ? {} : { content: addJson(content, examples) };
}

function addJson(content: Content, examples: Examples | undefined): Content {
  const json = content["application/json"];
  if (json === undefined || examples === undefined) return content;
  const named = Object.entries(examples).map(([summary, value]) => [keyOf(summary), { summary, value }]);
  return { ...content, "application/json": { ...json, examples: Object.fromEntries(named) } };
}

/** OpenAPI names examples by keys without spaces. */
function keyOf(summary: string): string {
  return summary.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_");
}
