import { mediaSchema, type MediaResponse } from "../../src/records/media/media.schemas.ts";
import { call, bodyOf } from "./api.ts";
import { png } from "./images.ts";

export interface UploadParts {
  readonly file?: Uint8Array<ArrayBuffer>;
  readonly filename?: string;
  readonly categories?: readonly string[];
  readonly method?: string;
}

/** The form of an upload; a small PNG and heads by default. */
export async function uploadForm(parts: UploadParts = {}): Promise<FormData> {
  const {
    file = await png({ width: 32, height: 24 }),
    filename = "photo.png",
    categories = ["heads"],
  } = parts;
  const form = new FormData();
  form.append("file", new File([file], filename));
  for (const category of categories) form.append("categories[]", category);
  if (parts.method !== undefined) form.append("redaction_method", parts.method);
  return form;
}

/** Uploads and returns the unread response. */
export async function upload(
  apiKey: string,
  parts: UploadParts = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  return await call("/media/redact", { method: "POST", apiKey, headers, body: await uploadForm(parts) });
}

/** Uploads and expects a 201. */
export async function uploaded(apiKey: string, parts: UploadParts = {}): Promise<MediaResponse> {
  const response = await upload(apiKey, parts);
  if (response.status !== 201)
    throw new Error(`The upload answered ${response.status}: ${await response.text()}`);
  return await bodyOf(response, mediaSchema);
}
