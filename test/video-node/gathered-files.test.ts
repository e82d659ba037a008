import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const FILE = join(import.meta.dirname, "../../src/web/dashboard/assets/gathered-files.ts");
const { gathered, unzipped } = (await import(pathToFileURL(FILE).href)) as {
  gathered: (urls: string[], onBytes: (bytes: number) => void, signal: AbortSignal) => Promise<Blob>;
  unzipped: (zipped: Blob, type: string) => Promise<Blob>;
};

const CONTENT = "what the file holds, ".repeat(50_000);
const ZIPPED = await new Response(
  new Blob([CONTENT]).stream().pipeThrough(new CompressionStream("gzip")),
).bytes();
const MIDDLE = Math.floor(ZIPPED.length / 2);

let server: Server;
let origin: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === "/first") response.end(ZIPPED.subarray(0, MIDDLE));
    else if (request.url === "/second") response.end(ZIPPED.subarray(MIDDLE));
    else if (request.url === "/breaks") {
      response.writeHead(200, { "Content-Length": 1000 });
      response.write("too little", () => response.destroy());
    } else if (request.url === "/hangs") response.write("a little");
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test("parts are joined and unzipped, and their bytes are counted", async () => {
  const counts: number[] = [];
  const { signal } = new AbortController();
  const zipped = await gathered(
    [`${origin}/first`, `${origin}/second`],
    (bytes) => counts.push(bytes),
    signal,
  );
  expect(counts.at(-1)).toBe(ZIPPED.length);
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  const blob = await unzipped(zipped, "application/wasm");
  expect(blob.type).toBe("application/wasm");
  expect(await blob.text()).toBe(CONTENT);
});

test.for(["/missing", "/breaks"])("%s is a failed download", async (path) => {
  const { signal } = new AbortController();
  await expect(gathered([`${origin}/first`, `${origin}${path}`], () => undefined, signal)).rejects.toThrow(
    expect.objectContaining({ name: "DownloadError" }) as Error,
  );
});

test("a download that is canceled ends with that", async () => {
  const controller = new AbortController();
  const ended = gathered([`${origin}/hangs`], () => controller.abort(), controller.signal);
  await expect(ended).rejects.toThrow(expect.objectContaining({ name: "AbortError" }) as Error);
});
