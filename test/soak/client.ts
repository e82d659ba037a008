import { setTimeout as delay } from "node:timers/promises";
import type { LocalService } from "./service.ts";

const RETRY_MS = 500;
const CALL_TIMEOUT_MS = 30_000;

/** An upload of a client, and its outcome. */
export interface SoakUpload {
  readonly key: string;
  readonly filename: string;
  readonly file: Uint8Array<ArrayBuffer>;
  mediaId?: string;
  status?: string;
  /** Answers that are errors of the service. */
  readonly complaints: string[];
}

const FINAL = new Set(["completed", "failed", "quota_exceeded"]);

async function call(
  service: LocalService,
  path: string,
  init: RequestInit = {},
): Promise<Response | undefined> {
  try {
    const { baseUrl, apiKey } = await service.describe();
    const headers = new Headers(init.headers);
    headers.set("Authorization", `Bearer ${apiKey}`);
    return await fetch(`${baseUrl}${path}`, {
      ...init,
      headers,
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    });
  } catch {
    return undefined;
  }
}

/** Uploads with one idempotency key until the upload is accepted. */
export async function uploadUntilAccepted(
  service: LocalService,
  upload: SoakUpload,
  untilMs: number,
): Promise<void> {
  while (upload.mediaId === undefined && Date.now() < untilMs) {
    const form = new FormData();
    form.append("file", new Blob([upload.file]), upload.filename);
    form.append("categories[]", "qr_codes");
    const headers = { "Idempotency-Key": upload.key };
    const response = await call(service, "/media/redact", { method: "POST", headers, body: form });
    const text = await response?.text().catch(() => undefined);
    if (response?.status === 201 && text !== undefined) {
      upload.mediaId = (JSON.parse(text) as { id: string }).id;
    } else if (response?.status === 422) {
      upload.complaints.push(`The upload was refused: ${text}`);
      return;
    } else await delay(RETRY_MS);
  }
}

/** Polls until the media item has ended. A 404 is an error. */
export async function followToItsEnd(
  service: LocalService,
  upload: SoakUpload,
  untilMs: number,
): Promise<void> {
  const { mediaId } = upload;
  if (mediaId === undefined) return;
  while (!FINAL.has(upload.status ?? "") && Date.now() < untilMs) {
    const response = await call(service, `/media/${mediaId}`);
    const text = await response?.text().catch(() => undefined);
    if (response?.status === 404 || response?.status === 401) {
      upload.complaints.push(`${mediaId} answered ${response.status} after it was accepted.`);
    }
    if (response?.status === 200 && text !== undefined) {
      upload.status = (JSON.parse(text) as { status: string }).status;
    }
    if (!FINAL.has(upload.status ?? "")) await delay(RETRY_MS);
  }
}

/** The redacted file; undefined if there is none. */
export async function download(service: LocalService, mediaId: string): Promise<Buffer | undefined> {
  const response = await call(service, `/media/${mediaId}/download`);
  if (response?.status !== 200) {
    await response?.body?.cancel();
    return undefined;
  }
  return Buffer.from(await response.arrayBuffer());
}
