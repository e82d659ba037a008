import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  VeilApiError,
  VeilClient,
  VeilConnectionError,
  VeilTimeoutError,
  type Download,
  type VeilClientOptions,
} from "../../packages/client/src/index.ts";
import {
  ScriptedService,
  answers,
  hangsUp,
  mediaItem,
  refusal,
  type Handler,
} from "./support/scripted-service.ts";

const MEDIA = mediaItem();
const ETAG = '"a1"';
const content = randomBytes(1_000_000);
const SIZE = content.length;

let service: ScriptedService;

beforeEach(async () => {
  service = new ScriptedService();
  await service.start();
});

afterEach(() => service.stop());

async function begin(options: Partial<VeilClientOptions> = {}, signal?: AbortSignal): Promise<Download> {
  const retry = { firstDelayMs: 5, longestDelayMs: 3_000 };
  const client = new VeilClient({ baseUrl: service.baseUrl, apiKey: "veil_k", retry, ...options });
  return await client.download(MEDIA.id, { signal });
}

async function bytesOf({ body }: Download): Promise<Buffer> {
  return Buffer.from(await new Response(body).arrayBuffer());
}

function hangUp(response: ServerResponse): void {
  response.socket?.destroy();
}

/** Sends a part of the file, and ends at `untilByte` as `end` says. */
function sends(
  fromByte: number,
  untilByte: number,
  end: (response: ServerResponse) => void,
  headers: Record<string, string> = { ETag: ETAG },
): Handler {
  return (_request, response) => {
    const isRest = fromByte > 0;
    response.writeHead(isRest ? 206 : 200, {
      "Content-Length": SIZE - fromByte,
      ...(isRest && { "Content-Range": `bytes ${fromByte}-${SIZE - 1}/${SIZE}` }),
      ...headers,
    });
    response.write(content.subarray(fromByte, untilByte));
    setTimeout(() => end(response), 50);
  };
}

/** The ranges that the requests after the first one asked for. */
function asked(): unknown[] {
  return service.requests.slice(1).map(({ headers }) => [headers.range, headers["if-range"]]);
}

test("streams the file with its type and size", async () => {
  service.script.push((_request, response) => {
    response.writeHead(200, { "Content-Type": "image/png", "Content-Length": SIZE }).end(content);
  });
  const download = await begin();
  expect([download.contentType, download.sizeBytes]).toEqual(["image/png", SIZE]);
  expect((await bytesOf(download)).equals(content)).toBe(true);
  expect(asked()).toEqual([]);
});

test("waits for a reader that takes its time", async () => {
  service.script.push(sends(0, SIZE, (response) => response.end()));
  const download = await begin({ idleTimeoutMs: 200 });
  await delay(500);
  expect((await bytesOf(download)).length).toBe(SIZE);
});

describe("when it breaks off", () => {
  test("goes on where it was, again and again", async () => {
    service.script.push(sends(0, 400_000, hangUp));
    service.script.push(sends(400_000, 900_000, hangUp));
    service.script.push(hangsUp, answers(503, "", { "Retry-After": "0" }));
    service.script.push(sends(900_000, SIZE, (response) => response.end()));
    expect((await bytesOf(await begin())).equals(content)).toBe(true);
    const last = ["bytes=900000-", ETAG];
    expect(asked()).toEqual([["bytes=400000-", ETAG], last, last, last]);
  });

  test("goes on when nothing moves any more", async () => {
    service.script.push(sends(0, 500_000, () => undefined));
    service.script.push(sends(500_000, SIZE, (response) => response.end()));
    expect((await bytesOf(await begin({ idleTimeoutMs: 300 }))).equals(content)).toBe(true);
  });

  test.for<[string, Handler]>([
    ["the file is another now", sends(0, SIZE, (response) => response.end(), { ETag: '"b2"' })],
    ["the rest begins elsewhere", sends(400_000, SIZE, (response) => response.end())],
  ])("never mixes two files: %s", async ([, answer]) => {
    service.script.push(sends(0, 500_000, hangUp), answer);
    await expect(bytesOf(await begin())).rejects.toBeInstanceOf(VeilConnectionError);
    expect(service.requests).toHaveLength(2);
  });

  test("says so when the file is gone meanwhile", async () => {
    service.script.push(sends(0, 500_000, hangUp), answers(404, refusal("not_found")));
    await expect(bytesOf(await begin())).rejects.toBeInstanceOf(VeilApiError);
  });

  test("is given up after as many tries as are allowed", async () => {
    for (let at = 0; at < 900_000; at += 100_000) service.script.push(sends(at, at + 100_000, hangUp));
    const retry = { firstDelayMs: 5, longestDelayMs: 3_000, retries: 3 };
    await expect(bytesOf(await begin({ retry }))).rejects.toBeInstanceOf(VeilConnectionError);
    expect(service.requests).toHaveLength(4);
  });

  test("is never mistaken for a complete file if the file has no tag", async () => {
    service.script.push(sends(0, 500_000, hangUp, {}));
    await expect(bytesOf(await begin())).rejects.toBeInstanceOf(VeilConnectionError);
    service.script.push(sends(0, 500_000, () => undefined, {}));
    await expect(bytesOf(await begin({ idleTimeoutMs: 200 }))).rejects.toBeInstanceOf(VeilTimeoutError);
    expect(service.requests).toHaveLength(2);
  });

  test("is not taken up again once it is stopped", async () => {
    const stop = new AbortController();
    service.script.push(sends(0, 500_000, () => stop.abort()));
    await expect(bytesOf(await begin({}, stop.signal))).rejects.toMatchObject({ name: "AbortError" });
    expect(service.requests).toHaveLength(1);
  });
});
