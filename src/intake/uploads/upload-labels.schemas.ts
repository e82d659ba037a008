import { z } from "@hono/zod-openapi";
import { shownValue } from "../../records/media/media.schemas.ts";
import { folderFault, MAX_FOLDER_CHARACTERS } from "../../records/media/folder.ts";
import { MAX_EXTERNAL_ID_CHARACTERS } from "../../records/media-api/media-query.schemas.ts";
import { parseJson } from "../../ground/platform/json-text.ts";
import type { FormFields } from "./body/form-fields.ts";

const MAX_KEYS = 20;
const MAX_KEY_CHARACTERS = 40;
const MAX_VALUE_CHARACTERS = 500;

/** Text fields by which the client identifies a media item, with the maximum bytes of each. */
export const LABEL_FIELDS: ReadonlyMap<string, number> = new Map([
  ["folder", 4 * 1024],
  ["metadata", 128 * 1024],
]);

/** Labels by which a client identifies its media items. They do not affect the redaction. */
export interface UploadLabels {
  readonly folder: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  /** `external_id` of the metadata. */
  readonly externalId: string | null;
}

const folderSchema = z.string().max(MAX_FOLDER_CHARACTERS).optional().openapi({
  description:
    "Extension: the folder that the file came from, with its parts separated by `/`. `GET /media` can filter by it, and ZIP archives keep it.",
  example: "2026/case 17/photos",
});

/** The labels of a form in the OpenAPI document. */
export const labelFieldSchemas = {
  folder: folderSchema,
  metadata: z
    .string()
    .optional()
    .openapi({
      description: `Extension: a JSON object of up to ${MAX_KEYS} strings that are stored with the media. Keys have up to ${MAX_KEY_CHARACTERS} characters and values up to ${MAX_VALUE_CHARACTERS}. \`GET /media\` can filter by the key \`external_id\`, which has up to ${MAX_EXTERNAL_ID_CHARACTERS}.`,
      example: '{"external_id": "ticket-4711"}',
    }),
};

/** The labels of a JSON body in the OpenAPI document. */
export const jsonLabelSchemas = {
  folder: folderSchema,
  metadata: z
    .record(z.string().min(1).max(MAX_KEY_CHARACTERS), z.string().max(MAX_VALUE_CHARACTERS))
    .optional()
    .openapi({
      description: `Extension: up to ${MAX_KEYS} strings that are stored with the media. \`GET /media\` can filter by the key \`external_id\`, which has up to ${MAX_EXTERNAL_ID_CHARACTERS} characters.`,
      example: { external_id: "ticket-4711" },
    }),
};

/** The labels of a form, or error sentences by field. */
export function checkLabels(
  fields: FormFields,
): { readonly value: UploadLabels } | { readonly faults: ReadonlyMap<string, string[]> } {
  const faults = new Map<string, string[]>();
  for (const field of LABEL_FIELDS.keys()) {
    const count = fields.get(field)?.length ?? 0;
    if (count > 1) faults.set(field, [`\`${field}\` is sent ${count} times; send it once.`]);
  }
  if (faults.size > 0) return { faults };
  const folder = fields.get("folder")?.[0] ?? "";
  const fault = folder === "" ? undefined : folderFault(folder);
  if (fault !== undefined) faults.set("folder", [fault]);
  const metadata = readMetadata(fields.get("metadata")?.[0]);
  if ("faults" in metadata) faults.set("metadata", metadata.faults);
  if (faults.size > 0 || "faults" in metadata) return { faults };
  return {
    value: {
      folder: folder === "" ? null : folder.normalize("NFC"),
      metadata: metadata.value,
      externalId: metadata.value?.["external_id"] ?? null,
    },
  };
}

function readMetadata(
  text: string | undefined,
): { value: Record<string, string> | null } | { faults: string[] } {
  if (text === undefined) return { value: null };
  const parsed = parseJson(text);
  if (parsed === undefined) return { faults: [`\`metadata\` is ${shownValue(text)}; expected JSON.`] };
  if (!("value" in parsed)) return { faults: [parsed.fault.sentence("metadata")] };
  const { value } = parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { faults: [`\`metadata\` is ${shownValue(value)}; expected a JSON object of texts.`] };
  const entries = Object.entries(value) as [string, unknown][];
  if (entries.length > MAX_KEYS)
    return { faults: [`\`metadata\` has ${entries.length} keys; the limit is ${MAX_KEYS}.`] };
  const faults = entries.flatMap(([key, given]) => faultOfEntry(key, given) ?? []);
  if (faults.length > 0) return { faults };
  return { value: entries.length === 0 ? null : (value as Record<string, string>) };
}

function faultOfEntry(key: string, given: unknown): string | undefined {
  if (key === "" || key.length > MAX_KEY_CHARACTERS)
    return `The key ${shownValue(key)} of \`metadata\` has ${key.length} characters; expected 1 to ${MAX_KEY_CHARACTERS}.`;
  const name = `\`metadata.${key}\``;
  if (typeof given !== "string") return `${name} is ${shownValue(given)}; expected text.`;
  const isExternalId = key === "external_id";
  const limit = isExternalId ? MAX_EXTERNAL_ID_CHARACTERS : MAX_VALUE_CHARACTERS;
  if (given.length > limit || (isExternalId && given === ""))
    return `${name} has ${given.length} characters; expected ${isExternalId ? "1 to" : "at most"} ${limit}.`;
  return undefined;
}
