import { setTimeout as delay } from "node:timers/promises";
import { inject } from "vitest";

export interface Media {
  readonly id: string;
  readonly status: string;
  readonly download_url?: string;
}

const FINAL = new Set(["completed", "failed", "quota_exceeded"]);
const WAIT_MS = 180_000;
/** Jobs take a second and more; each poll takes time from the processors that they need. */
const POLL_INTERVAL_MS = 150;

/** The service and key for requests; the suite's own service by default. */
export interface Access {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** One request to the running service. */
export async function call(
  path: string,
  init: RequestInit = {},
  access: Access = inject("service"),
): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("Authorization", `Bearer ${access.apiKey}`);
  // The service may close a kept-alive connection while this process is blocked, and the next request would fail.
  headers.set("Connection", "close");
  return await fetch(`${access.baseUrl}${path}`, { ...init, headers });
}

/** Further fields of an upload. */
interface UploadOptions {
  readonly filename: string;
  readonly categories: readonly string[];
  readonly method?: string;
  readonly regions?: readonly object[];
}

/** Uploads a file and expects it to be accepted. */
export async function upload(
  file: Uint8Array<ArrayBuffer>,
  options: UploadOptions,
  access: Access = inject("service"),
): Promise<Media> {
  const form = new FormData();
  form.append("file", new Blob([file]), options.filename);
  for (const category of options.categories) form.append("categories[]", category);
  if (options.method !== undefined) form.append("redaction_method", options.method);
  if (options.regions !== undefined) form.append("regions", JSON.stringify(options.regions));
  const response = await call("/media/redact", { method: "POST", body: form }, access);
  if (response.status !== 201)
    throw new Error(`The upload answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Media;
}

/** Creates a revision of a media item and waits until it has ended. */
export async function revise(media: Media, order: object): Promise<Media> {
  const response = await call(`/media/${media.id}/revisions`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(order),
  });
  if (response.status !== 201)
    throw new Error(`The revision answered ${response.status}: ${await response.text()}`);
  return await ended((await response.json()) as Media);
}

/** Polls until a media item has ended. */
export async function ended(media: Media, access: Access = inject("service")): Promise<Media> {
  const until = Date.now() + WAIT_MS;
  let current = media;
  while (!FINAL.has(current.status)) {
    if (Date.now() > until) throw new Error(`The media is still ${current.status}.`);
    await delay(POLL_INTERVAL_MS);
    current = (await (await call(`/media/${media.id}`, {}, access)).json()) as Media;
  }
  return current;
}

/** Uploads, waits for completion and downloads the redacted file with its content type. */
export async function redact(
  file: Uint8Array<ArrayBuffer>,
  options: UploadOptions,
  access: Access = inject("service"),
): Promise<{ bytes: Buffer; contentType: string | null }> {
  const media = await ended(await upload(file, options, access), access);
  if (media.download_url === undefined) throw new Error(`The media ended as ${media.status}.`);
  const response = await call(`/media/${media.id}/download`, {}, access);
  return {
    bytes: Buffer.from(await response.arrayBuffer()),
    contentType: response.headers.get("Content-Type"),
  };
}
