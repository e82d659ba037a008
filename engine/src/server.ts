import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { VideoEngine } from "../../src/video/engine/engine.ts";
import { answerRun, RequestError } from "./run.ts";

interface ServerOptions {
  readonly engine: VideoEngine;
  readonly token: string;
  /** So many runs are taken in at once; what the engine has no room for waits. */
  readonly mostRuns: number;
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** The service's HTTP interface: `POST /v1/run`, and `GET /healthz`. */
export function createEngineServer(options: ServerOptions): Server {
  const isAllowed = bearerCheck(options.token);
  let runs = 0;
  const server = createServer((request, response) => {
    if (request.method === "GET" && request.url === "/healthz") return end(response, 200);
    if (request.method !== "POST" || request.url !== "/v1/run") return end(response, 404);
    if (!isAllowed(request.headers.authorization)) return end(response, 401);
    if (runs >= options.mostRuns) return end(response, 503, { "retry-after": "1" });
    runs += 1;
    void serveRun(options, request, response).finally(() => {
      runs -= 1;
    });
  });
  // A run takes minutes; who asked for it says how many.
  server.requestTimeout = 0;
  return server;
}

async function serveRun(
  { engine, log }: ServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const startedAtMs = performance.now();
  const gone = new AbortController();
  response.once("close", () => {
    gone.abort();
  });
  const write = async (bytes: Uint8Array): Promise<void> => {
    if (gone.signal.aborted) throw new Error("Nobody waits for the answer any more.");
    // The engine writes over what it has handed out.
    if (!response.write(bytes.slice())) await once(response, "drain", { signal: gone.signal });
  };
  try {
    await answerRun(engine, request, { answer: { write }, signal: gone.signal });
    response.end();
    log("run", { outcome: "answered", durationMs: Math.round(performance.now() - startedAtMs) });
  } catch (error) {
    const isRequest = error instanceof RequestError || error instanceof RangeError;
    const message = error instanceof Error ? error.message : "A fault.";
    log("run", { outcome: isRequest ? "refused" : "broken", message });
    if (response.headersSent) response.destroy();
    else end(response, isRequest ? 400 : 500);
  }
}

function end(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  // What is still coming is not read.
  response.writeHead(status, { ...headers, ...(status >= 400 && { connection: "close" }) }).end();
}

/** Compares digests, so that the time tells nothing of the token. */
function bearerCheck(token: string): (header: string | undefined) => boolean {
  const expected = digest(`Bearer ${token}`);
  return (header) => timingSafeEqual(digest(header ?? ""), expected);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
