import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./openapi.generated.ts";

/** A client of the Veil API: a method for each HTTP verb, typed by path. */
export type VeilClient = Client<paths>;

export type Media = components["schemas"]["Media"];
export type MediaCollection = components["schemas"]["MediaCollection"];
export type MediaStatus = components["schemas"]["MediaStatus"];
export type RedactionCategory = components["schemas"]["RedactionCategory"];
export type RedactionMethod = components["schemas"]["RedactionMethod"];
export type Usage = components["schemas"]["Usage"];
export type VeilErrorBody = components["schemas"]["Error"];

/** How a client reaches the service. */
export interface VeilClientOptions {
  /** The address with its version, such as `https://veil.example.com/api/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Sends the requests; the global `fetch` unless given. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** What to upload and what must disappear in it. */
export interface UploadRequest {
  readonly file: File;
  readonly categories: readonly RedactionCategory[];
  readonly method?: RedactionMethod;
  /** The same key on a retry of the same upload answers as the first time. */
  readonly idempotencyKey?: string;
}

/**
 * Makes a client of the API.
 *
 * ```ts
 * const veil = createVeilClient({ baseUrl: "https://veil.example.com/api/v1", apiKey });
 * const { data } = await veil.GET("/media/{mediaId}", { params: { path: { mediaId } } });
 * ```
 */
export function createVeilClient({ baseUrl, apiKey, fetch }: VeilClientOptions): VeilClient {
  return createClient<paths>({
    baseUrl,
    headers: { Authorization: `Bearer ${apiKey}` },
    ...(fetch === undefined ? {} : { fetch }),
  });
}

/** Uploads a file and queues its redaction. The answer holds `data` or `error`, as every call of the client. */
export async function uploadMedia(client: VeilClient, request: UploadRequest) {
  const { file, categories, method, idempotencyKey } = request;
  return await client.POST("/media/redact", {
    params: { header: idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey } },
    body: {
      // The document describes a binary part as a string; the serializer sends the file itself.
      file: file as unknown as string,
      "categories[]": [...categories],
      ...(method === undefined ? {} : { redaction_method: method }),
    },
    bodySerializer: (body) => {
      const form = new FormData();
      form.append("file", file);
      for (const category of body["categories[]"]) form.append("categories[]", category);
      if (body.redaction_method !== undefined) form.append("redaction_method", body.redaction_method);
      return form;
    },
  });
}
