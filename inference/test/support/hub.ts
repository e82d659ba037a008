import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";

export interface TestHub {
  readonly url: string;
  /** Ranges asked for and how each request went, in order. */
  readonly requests: string[];
  readonly stop: () => Promise<void>;
}

export interface HubFile {
  /** `owner/name/resolve/revision/path`. */
  readonly place: string;
  readonly bytes: Uint8Array;
  /** What the Hub says about the stored file; its SHA-256 in truth. */
  readonly etag: string;
  /** How many whole answers break off before one succeeds. */
  readonly breaks?: number;
}

/**
 * A server that answers file requests as the Hub does: a redirect to a store for large files, `X-Linked-ETag` and
 * `X-Linked-Size` on the way, ranges, and `X-Error-Code` where a file is missing.
 */
export async function startHub(file: HubFile): Promise<TestHub> {
  const requests: string[] = [];
  let breaks = file.breaks ?? 0;
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const range = request.headers.range ?? "all";
    requests.push(`${request.url} ${range}`);
    if (request.url === `/${file.place}`) {
      response.writeHead(302, {
        location: "/store/file",
        "x-linked-etag": `"${file.etag}"`,
        "x-linked-size": String(file.bytes.length),
      });
      response.end();
    } else if (request.url !== "/store/file") {
      response.writeHead(404, { "x-error-code": "EntryNotFound", "content-type": "application/json" });
      response.end('{"error":"Entry not found"}');
    } else if (range === "bytes=0-0") {
      response.writeHead(206, {
        "content-range": `bytes 0-0/${file.bytes.length}`,
        "content-length": "1",
        etag: `"${file.etag}"`,
      });
      response.end(file.bytes.subarray(0, 1));
    } else {
      response.writeHead(200, { "content-length": String(file.bytes.length), etag: `"${file.etag}"` });
      if (breaks === 0) {
        response.end(file.bytes);
        return;
      }
      breaks -= 1;
      response.write(file.bytes.subarray(0, file.bytes.length / 2), () => response.destroy());
    }
  };
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
