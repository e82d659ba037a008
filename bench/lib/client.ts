import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";

const POLL_INTERVAL_MS = 20;
const PATIENCE_MS = 120_000;
const FINAL = new Set(["completed", "failed", "quota_exceeded"]);

const mediaSchema = z.object({ id: z.string(), status: z.string() });

/** The address of the API and a key for it. */
export interface ApiAccess {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** Uploads a file and returns the id of its media item. Throws unless the API accepts it. */
export async function upload(
  { baseUrl, apiKey }: ApiAccess,
  {
    file,
    filename = "photo.jpg",
    categories,
    fields = {},
  }: {
    file: Uint8Array<ArrayBuffer>;
    filename?: string;
    categories: readonly string[];
    fields?: Readonly<Record<string, string>>;
  },
): Promise<string> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const category of categories) form.append("categories[]", category);
  form.append("file", new Blob([file]), filename);
  const response = await fetch(`${baseUrl}/media/redact`, {
    method: "POST",
    headers: { Authorization: `Bearer ${apiKey}` },
    body: form,
  });
  const body = await response.text();
  if (response.status !== 201) throw new Error(`The upload was answered ${response.status}: ${body}`);
  return mediaSchema.parse(JSON.parse(body)).id;
}

/** Reads what the API says about a media item at a path below `/media`. Throws unless the API answers with success. */
export async function readMedia<T>(
  { baseUrl, apiKey }: ApiAccess,
  path: string,
  schema: z.ZodType<T>,
): Promise<T> {
  const response = await fetch(`${baseUrl}/media/${path}`, {
    headers: { Authorization: `Bearer ${apiKey}` },
  });
  if (!response.ok) throw new Error(`${path} was answered ${response.status}.`);
  return schema.parse(await response.json());
}

/** Requests a revision of a media item and returns the id of the new item. Throws unless the API accepts it. */
export async function revise(
  { baseUrl, apiKey }: ApiAccess,
  mediaId: string,
  order: object,
): Promise<string> {
  const response = await fetch(`${baseUrl}/media/${mediaId}/revisions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
    body: JSON.stringify(order),
  });
  const body = await response.text();
  if (response.status !== 201) throw new Error(`The revision was answered ${response.status}: ${body}`);
  return mediaSchema.parse(JSON.parse(body)).id;
}

/**
 * Waits until the status of a media item is final, and returns that status. It asks with `wait`, so that many that wait at the same time
 * cost the service little.
 */
export async function untilEnded(
  { baseUrl, apiKey }: ApiAccess,
  mediaId: string,
  patienceMs: number,
): Promise<string> {
  const until = Date.now() + patienceMs;
  while (Date.now() < until) {
    const response = await fetch(`${baseUrl}/media/${mediaId}?wait=20`, {
      headers: { Authorization: `Bearer ${apiKey}` },
    });
    const body = await response.text();
    if (!response.ok) throw new Error(`The poll was answered ${response.status}: ${body}`);
    const { status } = mediaSchema.parse(JSON.parse(body));
    if (FINAL.has(status)) return status;
  }
  throw new Error(`The media ${mediaId} was not final within ${patienceMs / 1000} s.`);
}

/** Polls a media item until its status is final, and returns that status. */
export async function untilFinal(
  { baseUrl, apiKey }: ApiAccess,
  mediaId: string,
  patienceMs = PATIENCE_MS,
): Promise<string> {
  const until = Date.now() + patienceMs;
  while (Date.now() < until) {
    const response = await fetch(`${baseUrl}/media/${mediaId}`, {
      headers: { Authorization: `Bearer ${apiKey}` },
    });
    const body = await response.text();
    if (!response.ok) throw new Error(`The poll was answered ${response.status}: ${body}`);
    const { status } = mediaSchema.parse(JSON.parse(body));
    if (FINAL.has(status)) return status;
    await delay(POLL_INTERVAL_MS);
  }
  throw new Error(`The media ${mediaId} was not final within ${patienceMs / 1000} s.`);
}
