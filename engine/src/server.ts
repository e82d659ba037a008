import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { VideoEngine } from "../../src/video/engine/engine.ts";
import { errorFields, type LogLevel } from "../../src/platform/log.ts";
import type { Abilities } from "../../src/video/engine/run-stream.ts";
import { answerRun, RequestError } from "./run.ts";
import { Slots } from "./slots.ts";

interface ServerOptions {
  readonly engine: VideoEngine;
  readonly abilities: Abilities;
  readonly token: string;
  /** The most concurrent runs. Others wait, and their requests are read only as far as the system buffers them. */
  readonly parallelRuns: number;
  readonly log: (level: LogLevel, event: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** The most runs, including waiting ones. Each waiting run holds a connection. */
const MOST_RUNS = 1000;
/** Clients give up a run within fifteen minutes (Cloudflare Queues' limits). */
const MOST_RUN_MS = 15 * 60 * 1000;
/** Time after which a silently disconnected peer is noticed. */
const PEER_CHECK_MS = 30_000;

/** The service's HTTP interface: `POST /v1/run`, `GET /v1/abilities`, and `GET /healthz`. */
export function createEngineServer(options: ServerOptions): Server {
  const isAllowed = bearerCheck(options.token);
  const slots = new Slots(options.parallelRuns);
  let runs = 0;
  const server = createServer(
    { keepAlive: true, keepAliveInitialDelay: PEER_CHECK_MS },
    (request, response) => {
      const asked = `${request.method ?? ""} ${request.url ?? ""}`;
      if (asked === "GET /healthz") return end(response, 200);
      if (asked !== "POST /v1/run" && asked !== "GET /v1/abilities") return end(response, 404);
      if (!isAllowed(request.headers.authorization)) return end(response, 401);
      if (asked === "GET /v1/abilities") return endWithJson(response, options.abilities);
      if (runs >= MOST_RUNS) return end(response, 503, { "retry-after": "1" });
      runs += 1;
      void serveRun(options, { request, response, slots }).finally(() => {
        runs -= 1;
      });
    },
  );
  // A run takes minutes, and its request declares how many.
  server.requestTimeout = 0;
  return server;
}

async function serveRun(
  { engine, log }: ServerOptions,
  { request, response, slots }: { request: IncomingMessage; response: ServerResponse; slots: Slots },
): Promise<void> {
  const startedAtMs = performance.now();
  const job = { requestId: idIn(request, "x-request-id"), mediaId: idIn(request, "x-media-id") };
  const gone = new AbortController();
  response.once("close", () => {
    gone.abort(new Error("Nobody waits for the answer any more."));
  });
  let leave: (() => void) | undefined;
  try {
    leave = await slots.take(gone.signal);
    const waitedMs = Math.round(performance.now() - startedAtMs);
    const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(MOST_RUN_MS)]);
    signal.addEventListener("abort", () => {
      // Without this, the server would wait for the rest of the request body.
      request.destroy();
    });
    const write = async (bytes: Uint8Array): Promise<void> => {
      signal.throwIfAborted();
      if (!response.write(bytes)) await once(response, "drain", { signal });
    };
    await answerRun(engine, request, { answer: { write }, signal });
    response.end();
    const durationMs = Math.round(performance.now() - startedAtMs);
    log("info", "run", { ...job, outcome: "answered", waitedMs, durationMs });
  } catch (error) {
    const isRequest = error instanceof RequestError || error instanceof RangeError;
    const durationMs = Math.round(performance.now() - startedAtMs);
    log("warn", "run", {
      ...job,
      outcome: isRequest ? "refused" : "broken",
      durationMs,
      ...errorFields(error),
    });
    if (response.headersSent) response.destroy();
    else end(response, isRequest ? 400 : 500);
  } finally {
    leave?.();
  }
}

/** An ID that the Worker sends along; undefined where it is none to be trusted in a log. */
function idIn({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && /^[\w-]{1,128}$/.test(value) ? value : undefined;
}

function end(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  // The rest of the request is not read.
  response.writeHead(status, { ...headers, ...(status >= 400 && { connection: "close" }) }).end();
}

function endWithJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** Compares digests, so that timing reveals nothing about the token. */
function bearerCheck(token: string): (header: string | undefined) => boolean {
  const expected = digest(`Bearer ${token}`);
  return (header) => timingSafeEqual(digest(header ?? ""), expected);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
