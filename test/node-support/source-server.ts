import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { crc32, deflateSync, gzipSync } from "node:zlib";
import type { TestProject } from "vitest/node";
import { resolverDouble } from "./resolver-double.ts";

const DRIP_INTERVAL_MS = 20;
const BOMB_BYTES = 30_000_000;
const ENDLESS_CHUNK = Buffer.alloc(65_536);
/** A PNG of gray pixels. */
const IMAGE = makePng(64, 48);

const resolveName = resolverDouble();

/** The number of requests by path. */
const asked = new Map<string, number>();

type Behaviour = (exchange: {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly argument: string;
}) => void;

/** The server's behavior, by the first part of the path. */
const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  image: ({ response }) => response.writeHead(200, { "Content-Type": "text/html" }).end(IMAGE),
  echo: ({ request, response }) => response.end(JSON.stringify(request.headers)),
  html: ({ response }) => response.writeHead(200, { "Content-Type": "image/png" }).end("<!doctype html>"),
  // The beginning of an MP4, and no more.
  "no-video": ({ response }) => response.end(Buffer.from("\0\0\0\x14ftypisom\0\0\0\0isom")),
  empty: ({ response }) => response.writeHead(200, { "Content-Length": "0" }).end(),
  status: ({ response, argument }) => response.writeHead(Number(argument)).end(),
  "fails-once": ({ response, url }) => {
    if ((asked.get(url.pathname) ?? 0) > 1) response.end(IMAGE);
    else response.writeHead(503).end();
  },
  to: ({ response, url }) =>
    response.writeHead(302, { Location: url.searchParams.get("url") ?? "" }).end("a body of the redirect"),
  nowhere: ({ response }) => response.writeHead(302).end(),
  circle: ({ response }) => response.writeHead(307, { Location: "/circle" }).end(),
  hops: ({ response, argument }) => {
    const left = Number(argument);
    if (left === 0) response.end(IMAGE);
    else response.writeHead(301, { Location: `../hops/${left - 1}#part` }).end();
  },
  dribble: ({ response }) => {
    response.writeHead(200);
    response.write(IMAGE.subarray(0, 60));
    const timer = setInterval(() => response.write("."), DRIP_INTERVAL_MS);
    response.once("close", () => {
      clearInterval(timer);
    });
  },
  stall: ({ response }) => {
    response.writeHead(200);
    response.write(IMAGE.subarray(0, 60));
  },
  reset: ({ response }) => response.socket?.destroy(),
  "too-long-length": ({ response }) => {
    response.writeHead(200, { "Content-Length": String(IMAGE.length + 1000) });
    response.write(IMAGE, () => setTimeout(() => response.socket?.destroy(), DRIP_INTERVAL_MS));
  },
  "too-short-length": ({ response }) => {
    const head = `HTTP/1.1 200 OK\r\nContent-Length: ${IMAGE.length - 20}\r\nConnection: close\r\n\r\n`;
    response.socket?.end(Buffer.concat([Buffer.from(head), IMAGE]));
  },
  "bad-length": ({ response }) => {
    response.socket?.end("HTTP/1.1 200 OK\r\nContent-Length: -5\r\nConnection: close\r\n\r\nhello");
  },
  "not-http": ({ response }) => {
    response.socket?.end("220 mail.example.com ESMTP\r\n");
  },
  "huge-headers": ({ response }) => {
    const field = `X-Filler: ${"x".repeat(1_000)}\r\n`.repeat(5_000);
    response.socket?.end(`HTTP/1.1 200 OK\r\n${field}\r\n`);
  },
  endless: ({ response }) => {
    response.writeHead(200);
    response.write(IMAGE);
    const write = (): void => {
      if (response.destroyed) return;
      response.write(ENDLESS_CHUNK, (error) => {
        if (error === null || error === undefined) setImmediate(write);
      });
    };
    write();
  },
  gzip: ({ response }) => response.writeHead(200, { "Content-Encoding": "gzip" }).end(gzipSync(IMAGE)),
  "gzip-bomb": ({ response }) =>
    response
      .writeHead(200, { "Content-Encoding": "gzip" })
      .end(gzipSync(Buffer.concat([IMAGE, Buffer.alloc(BOMB_BYTES)]))),
  "gzip-cut": ({ response }) =>
    response.writeHead(200, { "Content-Encoding": "gzip" }).end(gzipSync(IMAGE).subarray(0, 40)),
  "gzip-lie": ({ response }) => response.writeHead(200, { "Content-Encoding": "gzip" }).end(IMAGE),
  zstd: ({ response }) => response.writeHead(200, { "Content-Encoding": "zstd" }).end(IMAGE),
};

function answer(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "/", "http://source");
  asked.set(url.pathname, (asked.get(url.pathname) ?? 0) + 1);
  const [, behaviour = "", argument = ""] = url.pathname.split("/");
  if (behaviour === "asked") {
    response.end(String(asked.get(url.searchParams.get("path") ?? "") ?? 0));
    return;
  }
  if (behaviour === "dns-query") {
    resolveName(url, response);
    return;
  }
  const behave = BEHAVIOURS[behaviour];
  if (behave === undefined) response.writeHead(404).end();
  else behave({ request, response, url, argument });
}

/** Starts the server for a test project. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  project.provide("sourceServerUrl", `http://127.0.0.1:${address.port}`);
  return async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
}

function makePng(widthPixels: number, heightPixels: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(widthPixels, 0);
  header.writeUInt32BE(heightPixels, 4);
  header.set([8, 0, 0, 0, 0], 8);
  // Noise, so that the file does not compress to almost nothing.
  const rows = Buffer.from(
    Array.from({ length: heightPixels * (widthPixels + 1) }, (_, index) =>
      index % (widthPixels + 1) === 0 ? 0 : (index * 7919) % 251,
    ),
  );
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]),
    pngChunk("IHDR", header),
    pngChunk("IDAT", deflateSync(rows)),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}

declare module "vitest" {
  export interface ProvidedContext {
    sourceServerUrl: string;
  }
}
