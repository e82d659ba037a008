import { shownValue } from "../../../records/media/media.schemas.ts";
import { validationFailed } from "../../../ground/platform/errors.ts";
import { parseJson } from "../../../ground/platform/json-text.ts";
import type { HttpExchange } from "../../../ground/platform/http.ts";
import { bodyChunks, uploadPaceOf } from "./body-chunks.ts";
import { MultipartError } from "./multipart.ts";

/** Enough for 500 regions with 64 corners each and for as many IDs as there can be. */
const MAX_BYTES = 4 * 1024 * 1024;
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;
const UTF_8 = /^utf-?8$/i;

/** Whether a request declares its body as JSON. */
export function isJson(contentType: string | undefined): boolean {
  return JSON_TYPE.test(contentType ?? "");
}

/** Reads the JSON value of a request at the pace of uploads. @throws VeilError 422 if there is none */
export async function readJsonBody(c: HttpExchange): Promise<unknown> {
  const contentType = c.req.header("Content-Type");
  const body: ReadableStream<Uint8Array> | null = c.req.raw.body;
  if (body === null || !isJson(contentType))
    throw refuse(`The Content-Type is ${shownValue(contentType)}; expected application/json with a body.`);
  const charset = CHARSET.exec(contentType ?? "")?.[1];
  if (charset !== undefined && !UTF_8.test(charset))
    throw refuse(`The charset in the Content-Type is ${shownValue(charset)}; expected utf-8.`);
  const parsed = parseJson(await readText(c, body));
  if (parsed === undefined) throw refuse("The body is not JSON; expected a JSON object.");
  if ("value" in parsed) return parsed.value;
  const { field = "body" } = parsed.fault;
  throw validationFailed({ [field]: [parsed.fault.sentence()] });
}

/**
 * Refuses any body except an empty object, so that settings that would be ignored do not go unnoticed.
 *
 * @param why a sentence that says why there is nothing to send
 * @throws VeilError 422
 */
export async function refuseBody(c: HttpExchange, why: string): Promise<void> {
  const body: ReadableStream<Uint8Array> | null = c.req.raw.body;
  const text = body === null ? "" : (await readText(c, body)).trim();
  if (!/^(?:\{\s*\})?$/.test(text)) throw refuse(`The request has a body; expected none. ${why}`);
}

async function readText(c: HttpExchange, body: ReadableStream<Uint8Array>): Promise<string> {
  const config = c.get("config");
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  let text = "";
  const chunks = bodyChunks(body, {
    pace: uploadPaceOf(config),
    maxBytes: MAX_BYTES,
    tooLarge: `The body is larger than ${MAX_BYTES} bytes, the most that is accepted.`,
    onChunk: async () => undefined,
  });
  try {
    for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof MultipartError) throw refuse(error.message);
    if (error instanceof TypeError) throw refuse("The body is not UTF-8; expected JSON in UTF-8.");
    throw error;
  }
}

function refuse(sentence: string): Error {
  return validationFailed({ body: [sentence] });
}
