import type { z } from "@hono/zod-openapi";
import { callerOf } from "../accounts/caller.ts";
import type { HttpExchange } from "../../ground/platform/http.ts";
import { sha256Hex } from "../../ground/platform/ids.ts";
import { COMMON_HEADERS, jsonResponse } from "../../ground/platform/openapi.ts";
import { matchesTag } from "../../ground/platform/preconditions.ts";

const TAG_CHARACTERS = 32;

/** The header of a conditional read, for the OpenAPI document. Nothing validates it: every value is accepted. */
export const TAG_PARAMETERS = [
  {
    name: "If-None-Match",
    in: "header" as const,
    required: false,
    description: "Extension: the `ETag` of an earlier answer. 304 if it would be the same.",
    schema: { type: "string" as const },
  },
];

const TAG_HEADERS = {
  ...COMMON_HEADERS,
  ETag: {
    description: "Extension: changes whenever the answer does.",
    schema: { type: "string" as const },
  },
};

/** The successful responses of a conditional read, for the OpenAPI document. */
export function taggedResponses<T extends z.ZodType>(schema: T, description: string) {
  return {
    200: { ...jsonResponse(schema, description), headers: TAG_HEADERS },
    304: { description: "Extension: the answer still has the `ETag` that you sent.", headers: TAG_HEADERS },
  };
}

/**
 * Answers with JSON and its `ETag`, or with 304 if `If-None-Match` lists that tag. The tag is a hash of the account and the whole
 * answer, so it changes with every part that `include` adds, and no other account has it. It is weak, because a proxy may
 * compress the answer.
 */
export async function answerTagged(c: HttpExchange, answer: object): Promise<Response> {
  const body = JSON.stringify(answer);
  const hash = await sha256Hex(`${callerOf(c).accountId} ${body}`);
  const tag = `"${hash.slice(0, TAG_CHARACTERS)}"`;
  c.header("ETag", `W/${tag}`);
  c.header("Cache-Control", "private, no-cache");
  c.header("Vary", "Authorization", { append: true });
  const ifNoneMatch = c.req.header("If-None-Match");
  if (ifNoneMatch !== undefined && matchesTag(ifNoneMatch, tag)) return c.body(null, 304);
  c.header("Content-Type", "application/json");
  return c.body(body, 200);
}
