import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Media, StatusDetails } from "../../../packages/client/src/index.ts";

/** Handles one request. It may also leave the request unread or unanswered. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** A local server with one scripted handler per request. */
export class ScriptedService {
  /** Handlers for the next requests. */
  readonly script: Handler[] = [];
  readonly requests: IncomingMessage[] = [];
  readonly #server = createServer((request, response) => {
    this.requests.push(request);
    const handler = this.script.shift() ?? answers(404, {});
    Promise.resolve(handler(request, response)).catch(() => response.destroy());
  });

  async start(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api/v1`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Reads a request to its end and answers with JSON. `onBody` receives its body. */
export function answers(
  status: number,
  body: object | string,
  headers: Readonly<Record<string, string>> = {},
  onBody: (body: Buffer) => void = () => undefined,
): Handler {
  return async (request, response) => {
    onBody(await bodyOf(request));
    response.writeHead(status, { "Content-Type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}

/** Receives a resumable upload of this size in any parts: creates it, reports its offset and counts its bytes. */
export function takesParts(
  service: ScriptedService,
  sizeBytes: number,
  partBytes = 16 * 1024 * 1024,
): Handler[] {
  let arrivedBytes = 0;
  const at: Handler = async (request, response) => {
    for await (const piece of request) arrivedBytes += (piece as Buffer).length;
    response.writeHead(204, { "Upload-Offset": String(arrivedBytes) }).end();
  };
  const begin: Handler = async (request, response) => {
    const upload = { upload_id: "upl_1", upload_url: `${service.baseUrl}/uploads/upl_1`, expires_at: "" };
    await answers(201, upload)(request, response);
  };
  return [begin, at, ...Array.from({ length: Math.ceil(sizeBytes / partBytes) }, () => at)];
}

/** Reads a request to its end and hangs up. */
export const hangsUp: Handler = async (request) => {
  await bodyOf(request);
  request.socket.destroy();
};

/** Never answers, and reads nothing. */
export const staysSilent: Handler = () => undefined;

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

/** The service's answer to a request that is refused. */
export function refusal(code: string, details: object = {}): object {
  return { error: { code, message: `It is ${code}.`, details }, request_id: "req_1" };
}

/** A media item as the service shows it. */
export function mediaItem(fields: Partial<Media> = {}): Media {
  return {
    id: "019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10",
    status: "queued",
    filename: "a.jpg",
    media_type: "image",
    categories: ["heads"],
    redaction_method: "blur",
    file_size_bytes: 1,
    duration_seconds: null,
    created_at: "2026-11-20T13:37:00.000Z",
    processed_at: null,
    failed_at: null,
    ...fields,
  };
}

/** The status details of that media item. */
export function statusDetails(fields: Partial<StatusDetails> = {}): StatusDetails {
  return {
    media_id: mediaItem().id,
    status: "queued",
    progress: null,
    step: null,
    failure: null,
    source_expires_at: null,
    output_expires_at: null,
    ...fields,
  };
}
