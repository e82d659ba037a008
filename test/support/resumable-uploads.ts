import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { toHex } from "../../src/ground/platform/ids.ts";
import { createAccount, type TestAccount } from "./accounts.ts";
import { BASE, call, callWith } from "./api.ts";
import { png } from "./images.ts";

/** The simulated time at which each test of uploads begins. */
export const NOW = Date.UTC(2026, 5, 1);

export const OFFSET_STREAM = "application/offset+octet-stream";
export const TUS = { "Tus-Resumable": "1.0.0" };

export type Headers = Readonly<Record<string, string>>;

/** Who uploads. */
interface Owner {
  readonly accountId: string;
  readonly apiKey: string;
}

/** Before each test, stops the clock and creates an account with a photo to upload. */
export function beforeUploads(
  use: (uploader: { owner: TestAccount; photo: Uint8Array<ArrayBuffer> }) => void,
): void {
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: NOW });
    use({ owner: await createAccount(), photo: await png({ width: 32, height: 24 }) });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

/** Begins an upload, or tries to. */
export async function create(
  { apiKey }: Owner,
  lengthBytes: number | string,
  { headers = {}, bindings = {}, body }: { headers?: Headers; bindings?: object; body?: BodyInit } = {},
): Promise<Response> {
  return await callWith(bindings, "/uploads", {
    method: "POST",
    apiKey,
    headers: { ...TUS, "Upload-Length": String(lengthBytes), ...headers },
    ...(body === undefined ? {} : { body }),
  });
}

/** Begins an upload. Returns its path below the API and its ID. */
export async function begun(
  owner: Owner,
  lengthBytes: number,
  headers: Headers = {},
): Promise<{ path: string; uploadId: string }> {
  const response = await create(owner, lengthBytes, { headers });
  expect(response.status).toBe(201);
  const location = response.headers.get("Location") ?? "";
  expect(location.startsWith(`${BASE}/uploads/upl_`)).toBe(true);
  return { path: location.slice(BASE.length), uploadId: location.split("/").at(-1) ?? "" };
}

/** Begins an upload and sends all of a file. */
export async function arrived(
  owner: Owner,
  file: Uint8Array<ArrayBuffer>,
): Promise<{ path: string; uploadId: string }> {
  const upload = await begun(owner, file.length);
  expect((await send(upload.path, { offset: 0, body: file })).status).toBe(204);
  return upload;
}

/** Sends bytes of a file. */
export async function send(
  path: string,
  {
    offset,
    body,
    headers = {},
    bindings = {},
  }: { offset: number | string; body: BodyInit; headers?: Headers; bindings?: object },
): Promise<Response> {
  return await callWith(bindings, path, {
    method: "PATCH",
    headers: { ...TUS, "Content-Type": OFFSET_STREAM, "Upload-Offset": String(offset), ...headers },
    body,
  });
}

/** Requests the offset of an upload. */
export async function ask(path: string): Promise<Response> {
  return await call(path, { method: "HEAD", headers: TUS });
}

export async function offsetOf(path: string): Promise<number> {
  return Number((await ask(path)).headers.get("Upload-Offset"));
}

/** Deletes an upload, or tries to. */
export async function terminate(path: string, bindings: object = {}): Promise<Response> {
  return await callWith(bindings, path, { method: "DELETE", headers: TUS });
}

/** Creates a media item from an upload, or tries to. */
export async function redact(
  { apiKey }: Owner,
  uploadId: string,
  { headers = {}, more = {}, bindings = {} }: { headers?: Headers; more?: object; bindings?: object } = {},
): Promise<Response> {
  return await callWith(bindings, "/media/redact", {
    method: "POST",
    apiKey,
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ upload_id: uploadId, categories: ["heads"], ...more }),
  });
}

/** The keys of all stored objects of an account. */
export async function objectsOf({ accountId }: Owner): Promise<string[]> {
  const { objects } = await env.MEDIA.list({ prefix: `${accountId}/` });
  return objects.map(({ key }) => key);
}

/** The number of an account's unfinished uploads. */
export async function uploadsLeft({ accountId }: Owner): Promise<number> {
  const row = await env.DB.prepare("SELECT count(*) AS n FROM resumable_uploads WHERE account_id = ?")
    .bind(accountId)
    .first<{ n: number }>();
  return row?.n ?? -1;
}

/** Sets the clock and runs the sweeper. */
export async function sweepAt(timeMs: number): Promise<void> {
  vi.setSystemTime(timeMs);
  await sweep(parseApiEnv({ ...env }));
}

/** A file followed by bytes that encode their own position. Readers of images ignore them. */
export function padded(file: Uint8Array, lengthBytes: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(lengthBytes);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at + 4 <= lengthBytes; at += 4) view.setUint32(at, Math.imul(at, 2_654_435_761));
  bytes.set(file);
  return bytes;
}

/** The SHA-256 of bytes in hexadecimal digits. */
export async function sha256Of(bytes: BufferSource | undefined): Promise<string> {
  return toHex(await digestOf(bytes));
}

/** The SHA-256 of bytes in the format of `Upload-Checksum`. */
export async function checksumOf(bytes: BufferSource): Promise<string> {
  return btoa(String.fromCodePoint(...(await digestOf(bytes))));
}

async function digestOf(bytes: BufferSource | undefined): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes ?? new ArrayBuffer(0)));
}
