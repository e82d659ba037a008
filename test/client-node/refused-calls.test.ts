import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  VeilClient,
  VeilConnectionError,
  VeilError,
  type UploadRequest,
} from "../../packages/client/src/index.ts";
import { ScriptedService, answers, mediaItem } from "./support/scripted-service.ts";

let service: ScriptedService;

beforeEach(async () => {
  service = new ScriptedService();
  await service.start();
});

afterEach(() => service.stop());

function clientOf(baseUrl = service.baseUrl): VeilClient {
  return new VeilClient({ baseUrl, apiKey: "veil_k" });
}

/** An upload as plain JavaScript may write it, where no types refuse it. */
function untyped(options: object): UploadRequest {
  return { file: new Blob(["photo"]), categories: ["heads"], ...options };
}

describe("an upload is refused before anything is sent", () => {
  test.for([
    [{ redaction_method: "pixelation" }, 'Unknown option "redaction_method" (did you mean "method"?).'],
    [{ detect_only: true }, 'Unknown option "detect_only" (did you mean "detectOnly"?).'],
    [
      { region: [], min_confidence: 0.2 },
      'Unknown options "region", "min_confidence" (did you mean "minConfidence"?).',
    ],
    [{ sourceUrl: "https://files.example.com/a.jpg" }, "file and sourceUrl are given"],
    [{ file: undefined }, "none is given"],
    [{ file: "photo.jpg" }, "openFile of @veil/client/node"],
    [{ file: 17 }, "file is of type number"],
    [{ categories: "heads" }, "categories is not an array"],
  ] as const)("with %j", async ([options, sentence]) => {
    for (const call of ["upload", "redact"] as const) {
      const client = clientOf();
      const refused = call === "upload" ? client.upload(untyped(options)) : client.redact(untyped(options));
      const error: unknown = await refused.catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(VeilError);
      expect(String(error)).toContain(sentence);
    }
    expect(service.requests).toEqual([]);
  });

  test("with what only redact takes, unless redact is called", async () => {
    await expect(clientOf().upload(untyped({ timeoutMs: 1000 }))).rejects.toThrow(
      'Unknown option "timeoutMs"',
    );
    service.script.push(answers(201, mediaItem()), answers(200, mediaItem({ status: "completed" })));
    const media = await clientOf().redact({ ...untyped({}), timeoutMs: 1000, onPoll: () => undefined });
    expect(media.status).toBe("completed");
  });
});

test.for([
  ["get", { includes: ["versions"] }, 'Unknown option "includes". Options: include, signal.'],
  ["wait", { timeout: 5 }, 'Unknown option "timeout".'],
  ["detections", { category: "heads" }, 'Unknown option "category".'],
  ["list", { perPage: 5 }, 'Unknown option "perPage" (did you mean "per_page"?).'],
  ["deletions", { mediaId: "m" }, 'Unknown option "mediaId" (did you mean "media_id"?).'],
] as const)("%s refuses %j", async ([method, options, sentence]) => {
  const client = clientOf();
  const calls = {
    get: async () => await client.get("m", options as object),
    wait: async () => await client.wait("m", options as object),
    detections: async () => await client.detections("m", options as object),
    list: async () => await client.list(options as object),
    deletions: async () => await client.deletions(options as object),
  };
  await expect(calls[method]()).rejects.toThrow(sentence);
  expect(service.requests).toEqual([]);
});

test("bytes are a file", async () => {
  let body = "";
  service.script.push(answers(201, mediaItem(), {}, (bytes) => (body = bytes.toString())));
  await clientOf().upload({ file: Buffer.from("photo of bytes"), filename: "a.jpg", categories: ["heads"] });
  expect(body).toContain('filename="a.jpg"');
  expect(body).toContain("photo of bytes");
});

test.for([undefined, ""])("the API key %j is refused by the constructor", (apiKey) => {
  expect(() => new VeilClient({ baseUrl: service.baseUrl, apiKey })).toThrow("The API key is missing");
});

test("a missing base URL is refused by the constructor", () => {
  expect(() => new VeilClient({ baseUrl: undefined, apiKey: "k" })).toThrow("The base URL is missing");
});

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

describe("a closed port", () => {
  test("is given up soon, in a sentence that names the address", async () => {
    const origin = `http://127.0.0.1:${await closedPort()}`;
    const startedAtMs = Date.now();
    const error: unknown = await clientOf(origin)
      .usage()
      .catch((caught: unknown) => caught);
    expect(Date.now() - startedAtMs).toBeLessThan(4_000);
    expect(error).toBeInstanceOf(VeilConnectionError);
    expect(error).toMatchObject({ isUnreachable: true });
    expect(String(error)).toContain(`Cannot connect to ${origin}: connect ECONNREFUSED`);
  });

  test("of a service that has answered before is a restart, and is waited for", async () => {
    service.script.push(answers(200, {}));
    const client = clientOf();
    await client.usage();
    service.stop();
    const stop = AbortSignal.timeout(3_000);
    // Without the signal, the call would last a quarter of a minute.
    await expect(client.usage({ signal: stop })).rejects.toMatchObject({ name: "TimeoutError" });
  });
});
