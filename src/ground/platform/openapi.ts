import { z } from "@hono/zod-openapi";
import { ERROR_STATUS } from "./errors.ts";

type ContractCode = keyof typeof ERROR_STATUS;

const CODES = Object.keys(ERROR_STATUS) as [ContractCode, ...ContractCode[]];

/** The error envelope of the contract. */
export const errorSchema = z
  .strictObject({
    error: z
      .strictObject({
        code: z.enum(CODES).openapi({ description: "Machine-readable code.", example: "not_found" }),
        message: z.string().openapi({ description: "Human-readable text." }),
        details: z.record(z.string(), z.unknown()).openapi({
          description:
            "Further information. For `validation_failed`: a list of sentences for each faulty field. For `conflict`: `reason`. For `quota_exceeded`: `metric`, `used`, `limit`, `period_end`. For `rate_limit_exceeded`: `limit`, `reset`. For `range_not_satisfiable`: `size_bytes`.",
        }),
      })
      .openapi({ description: "What went wrong." }),
    request_id: z.string().regex(/^req_/).openapi({
      description: "Identifies the request for support and logs.",
      example: "req_019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10",
    }),
  })
  .openapi("Error");

function integerHeader(description: string) {
  return { description, schema: { type: "integer" as const } };
}

const REQUEST_ID_HEADER = {
  "X-Request-Id": { description: "Identifier of the request.", schema: { type: "string" as const } },
};

const RATE_LIMIT_HEADERS = {
  "X-RateLimit-Limit": integerHeader(
    "Requests per minute that the plan allows. Absent on unlimited accounts.",
  ),
  "X-RateLimit-Remaining": integerHeader("Requests left in the current window."),
  "X-RateLimit-Reset": integerHeader("Unix time in seconds at which the window ends."),
};

const RETRY_AFTER_HEADER = { "Retry-After": integerHeader("Seconds to wait before trying again.") };

/** Headers of every authenticated response. */
export const COMMON_HEADERS = { ...REQUEST_ID_HEADER, ...RATE_LIMIT_HEADERS };

/** A JSON response of the OpenAPI document. */
export function jsonResponse<T extends z.ZodType>(schema: T, description: string) {
  return { description, headers: COMMON_HEADERS, content: { "application/json": { schema } } };
}

const FAULTS = {
  401: {
    description: "No valid API key.",
    headers: {
      ...REQUEST_ID_HEADER,
      "WWW-Authenticate": {
        description: "`Bearer`, with an error code of RFC 6750 if the key has expired or lacks a scope.",
        schema: { type: "string" as const },
      },
    },
  },
  404: { description: "Not found, or not available yet.", headers: COMMON_HEADERS },
  409: {
    description:
      "The idempotency key is in use by a running request or was used for a different one, or the media cannot be revised.",
    headers: { ...COMMON_HEADERS, ...RETRY_AFTER_HEADER },
  },
  412: {
    description: "Extension: the file does not match `If-Match`.",
    headers: COMMON_HEADERS,
  },
  416: {
    description: "Extension: the file has no bytes in the requested range.",
    headers: {
      ...COMMON_HEADERS,
      "Content-Range": {
        description: "`bytes */` and the size of the file.",
        schema: { type: "string" as const },
      },
    },
  },
  422: {
    description: "The request is not valid. `details` names every invalid field.",
    headers: COMMON_HEADERS,
  },
  429: {
    description: "Too many requests in this minute, or the quota of the period is used up.",
    headers: { ...COMMON_HEADERS, ...RETRY_AFTER_HEADER },
  },
  500: { description: "An error on our side.", headers: COMMON_HEADERS },
  503: {
    description: "Extension: something that the service depends on is unreachable, or too many jobs wait.",
    headers: { ...COMMON_HEADERS, ...RETRY_AFTER_HEADER },
  },
} as const;

type FaultStatus = keyof typeof FAULTS;
type FaultResponses<S extends FaultStatus> = {
  [K in S]: (typeof FAULTS)[K] & { content: { "application/json": { schema: typeof errorSchema } } };
};

/** The error responses of a route in the OpenAPI document, by status. */
export function responsesOf<S extends FaultStatus>(...statuses: S[]): FaultResponses<S> {
  const entries = statuses.map((status) => [
    status,
    { ...FAULTS[status], content: { "application/json": { schema: errorSchema } } },
  ]);
  return Object.fromEntries(entries) as FaultResponses<S>;
}

/** The general part of the OpenAPI document. */
export const OPENAPI_INFO = {
  openapi: "3.1.0",
  info: {
    title: "Veil",
    version: "1.0.0",
    description: [
      "Asynchronous media redaction: upload a file, say what to redact, poll until it is done, download the result.",
      "Every response carries `X-Request-Id`. Requests are limited per account and clock minute. Every authenticated response says how many are left; past the limit, the answer is 429 with `Retry-After`.",
      "A request is checked in this order: its key (401), the rate limit (429), its fields (422, with all errors at once), the resource (404, 409), the quota (429). An unknown address, an unsupported method, a malformed identifier and another account's media are all 404.",
      "Form fields and query parameters that this document does not name are refused with 422.",
      "HEAD works wherever GET does.",
      "“Extension” marks what goes beyond the basic contract. A client that does not use it sees no difference.",
    ].join("\n\n"),
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  },
  security: [{ apiKey: [] }],
  tags: [
    { name: "Media", description: "Upload, follow, download and delete media." },
    { name: "Usage", description: "Usage in the billing period." },
    {
      name: "extension",
      description:
        "Features beyond the basic contract. Clients that use only the basic contract can ignore them.",
    },
    { name: "Webhooks", description: "Events sent to the customer's server." },
  ],
};
