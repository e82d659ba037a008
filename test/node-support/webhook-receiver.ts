import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { TestProject } from "vitest/node";
import { resolverDouble } from "./resolver-double.ts";

/** One request as the receiver saw it. */
interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

const CHUNK = Buffer.alloc(65_536, "x");
const DRIP_INTERVAL_MS = 20;
const resolveName = resolverDouble();

/**
 * A real HTTP server that receives webhooks at `/<inbox>/<behaviour>/<argument>`. `/recorded/<inbox>` returns the requests of an inbox,
 * and `/dns-query` answers DNS over HTTPS.
 */
export async function startReceiver(): Promise<{ url: string; stop: () => Promise<void> }> {
  const inboxes = new Map<string, Recorded[]>();
  const sent = { hugeBytes: 0 };
  const server = createServer((request, response) => {
    void answer(request, response, { inboxes, sent });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The receiver has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

interface State {
  readonly inboxes: Map<string, Recorded[]>;
  readonly sent: { hugeBytes: number };
}

async function answer(request: IncomingMessage, response: ServerResponse, state: State): Promise<void> {
  const url = new URL(request.url ?? "/", "http://receiver");
  const [, inbox = "", behaviour = "", argument = ""] = url.pathname.split("/");
  if (inbox === "recorded") {
    response.end(JSON.stringify(state.inboxes.get(behaviour) ?? []));
    return;
  }
  if (inbox === "huge-bytes") {
    response.end(String(state.sent.hugeBytes));
    return;
  }
  if (inbox === "dns-query") {
    resolveName(url, response);
    return;
  }
  let body = "";
  request.setEncoding("utf8");
  for await (const chunk of request) body += String(chunk);
  const recorded = state.inboxes.get(inbox) ?? [];
  state.inboxes.set(inbox, recorded);
  recorded.push({ method: request.method ?? "", path: url.pathname, headers: request.headers, body });
  behave(response, { behaviour, argument, url, count: recorded.length, sent: state.sent });
}

function behave(
  response: ServerResponse,
  {
    behaviour,
    argument,
    url,
    count,
    sent,
  }: { behaviour: string; argument: string; url: URL; count: number; sent: { hugeBytes: number } },
): void {
  const retryAfter = url.searchParams.get("retry-after");
  const headers = retryAfter === null ? {} : { "Retry-After": retryAfter };
  switch (behaviour) {
    case "status":
      response.writeHead(Number(argument), headers).end(`status ${argument}`);
      return;
    case "sequence": {
      const statuses = argument.split(",");
      response.writeHead(Number(statuses[count - 1] ?? statuses.at(-1))).end();
      return;
    }
    case "redirect":
      response.writeHead(Number(argument), { Location: url.searchParams.get("to") ?? "" }).end();
      return;
    case "never":
      return;
    case "drip":
      drip(response);
      return;
    case "hang-up":
      response.socket?.destroy();
      return;
    case "half":
      response.writeHead(200, { "Content-Length": "1000" });
      response.write("half", () => setTimeout(() => response.socket?.destroy(), DRIP_INTERVAL_MS));
      return;
    case "huge":
      pour(response, sent);
      return;
    default:
      response
        .writeHead(200, { "Content-Type": "text/plain", "Set-Cookie": "session=of-the-receiver" })
        .end("ok");
  }
}

/** A body that never ends, slowly. */
function drip(response: ServerResponse): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write("."), DRIP_INTERVAL_MS);
  response.once("close", () => {
    clearInterval(timer);
  });
}

/** A body of ten gigabytes, sent as fast as it is read. */
function pour(response: ServerResponse, sent: { hugeBytes: number }): void {
  const totalBytes = 10_000_000_000;
  response.writeHead(200, { "Content-Length": String(totalBytes) });
  const write = (): void => {
    if (response.destroyed) return;
    sent.hugeBytes += CHUNK.length;
    response.write(CHUNK, (error) => {
      if (error === null || error === undefined) setImmediate(write);
    });
  };
  write();
}

/** Starts the receiver for a test project. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await startReceiver();
  project.provide("receiverUrl", url);
  return stop;
}

declare module "vitest" {
  export interface ProvidedContext {
    receiverUrl: string;
  }
}
