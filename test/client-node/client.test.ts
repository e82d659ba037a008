import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  VeilApiError,
  VeilClient,
  VeilConnectionError,
  VeilFileError,
  VeilMediaError,
  VeilTimeoutError,
  type UploadRequest,
  type VeilClientOptions,
} from "../../packages/client/src/index.ts";
import { openFile } from "../../packages/client/src/node/index.ts";
import {
  ScriptedService,
  answers,
  hangsUp,
  mediaItem,
  refusal,
  statusDetails,
  staysSilent,
  type Handler,
} from "./support/scripted-service.ts";

const MEDIA = mediaItem();
const PATIENCE = { firstDelayMs: 5, longestDelayMs: 3_000 };

let service: ScriptedService;

beforeEach(async () => {
  service = new ScriptedService();
  await service.start();
});

afterEach(() => service.stop());

function clientOf(options: Partial<VeilClientOptions> = {}): VeilClient {
  return new VeilClient({ baseUrl: service.baseUrl, apiKey: "veil_k", retry: PATIENCE, ...options });
}

function photo(bytes: string = "photo"): UploadRequest {
  return { file: new File([bytes], "a.jpg"), categories: ["heads", "qr_codes"], method: "pixelation" };
}

function idempotencyKeys(): Set<string | string[] | undefined> {
  return new Set(service.requests.map(({ headers }) => headers["idempotency-key"]));
}

function busy(seconds: string): Handler {
  return answers(429, refusal("rate_limit_exceeded"), { "Retry-After": seconds });
}

describe("an upload", () => {
  test("sends the form that the contract asks for, and tells how far it is", async () => {
    let body = "";
    service.script.push(answers(201, MEDIA, {}, (bytes) => (body = bytes.toString())));
    const progress: number[] = [];
    const media = await clientOf().upload({
      ...photo(),
      filename: 'naïve "1"\r\n.jpg',
      idempotencyKey: "k1",
      onProgress: ({ sentBytes, totalBytes }) => progress.push(sentBytes / totalBytes),
    });
    expect(media).toEqual(MEDIA);
    const [{ method, url, headers }] = service.requests as [IncomingMessage];
    expect([method, url]).toEqual(["POST", "/api/v1/media/redact"]);
    expect(headers).toMatchObject({ authorization: "Bearer veil_k", "idempotency-key": "k1" });
    expect(headers["content-length"]).toBe(String(Buffer.byteLength(body)));
    const form = await new Response(body, {
      headers: { "Content-Type": headers["content-type"] ?? "" },
    }).formData();
    expect(form.getAll("categories[]")).toEqual(["heads", "qr_codes"]);
    expect(form.get("redaction_method")).toBe("pixelation");
    expect(body).toContain('name="file"; filename="naïve %221%22%0D%0A.jpg"');
    expect(await (form.get("file") as File).text()).toBe("photo");
    expect(progress.at(-1)).toBe(1);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
  });

  test.for([
    ["hangs up", hangsUp],
    ["answers 500", answers(500, refusal("server_error"))],
    ["answers 503 in another's place", answers(503, "<h1>no</h1>", { "Retry-After": "0" })],
    ["says the minute is over", answers(429, refusal("rate_limit_exceeded"), { "Retry-After": "0" })],
    [
      "is still busy with the first try",
      answers(409, refusal("conflict", { reason: "idempotency_key_in_use" }), { "Retry-After": "0" }),
    ],
    ["answers with half a record", answers(201, '{"id":')],
  ] as const)("is sent again whole, under the same key, when the service %s", async ([, error]) => {
    const bodies: string[] = [];
    service.script.push(error, error);
    service.script.push(answers(201, MEDIA, {}, (body) => bodies.push(body.toString())));
    expect(await clientOf().upload(photo("again"))).toEqual(MEDIA);
    expect(service.requests).toHaveLength(3);
    expect([...idempotencyKeys()]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    expect(bodies[0]).toContain("again");
  });

  test.for([
    ["quota_exceeded", 429, {}],
    ["unauthorized", 401, {}],
    ["validation_failed", 422, { file: ["No."] }],
    ["conflict", 409, { reason: "idempotency_key_reused" }],
  ] as const)("is not sent again when the answer is %s", async ([code, status, details]) => {
    const messages = {
      quota_exceeded: "It is quota_exceeded.",
      unauthorized: "It is unauthorized.",
      validation_failed: "It is validation_failed. No.",
      conflict: "It is conflict.",
    };
    service.script.push(answers(status, refusal(code, details), { "Retry-After": "0" }));
    const error = await clientOf()
      .upload(photo())
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(VeilApiError);
    expect(error).toMatchObject({ status, code, details, requestId: "req_1", message: messages[code] });
    expect((error as VeilApiError).fields).toEqual(code === "validation_failed" ? details : {});
    expect(service.requests).toHaveLength(1);
  });

  test("is given up after as many tries as are allowed", async () => {
    service.script.push(hangsUp, hangsUp, hangsUp, hangsUp);
    const client = clientOf({ retry: { ...PATIENCE, retries: 2 } });
    await expect(client.upload(photo())).rejects.toBeInstanceOf(VeilConnectionError);
    expect(service.requests).toHaveLength(3);
  });

  test("waits as long as Retry-After says, and not for longer than is allowed", async () => {
    service.script.push(busy("1"), answers(201, MEDIA), busy("4"));
    const startedAtMs = Date.now();
    await clientOf().upload(photo());
    expect(Date.now() - startedAtMs).toBeGreaterThanOrEqual(990);
    await expect(clientOf().upload(photo())).rejects.toMatchObject({ status: 429, retryAfterSeconds: 4 });
  });

  test("is given up and sent again when nothing moves", async () => {
    service.script.push(staysSilent, answers(201, MEDIA));
    expect(await clientOf({ idleTimeoutMs: 200 }).upload(photo())).toEqual(MEDIA);
    service.script.push(staysSilent);
    const impatient = clientOf({ idleTimeoutMs: 200, retry: { retries: 0 } });
    await expect(impatient.upload(photo())).rejects.toBeInstanceOf(VeilTimeoutError);
  });

  test("reads no further ahead of a service that does not read than the buffers between", async () => {
    let readBytes = 0;
    const piece = new Uint8Array(65_536);
    const file = {
      size: 500_000_000,
      stream: () =>
        new ReadableStream<Uint8Array>(
          {
            pull: (controller) => {
              readBytes += piece.length;
              controller.enqueue(piece);
            },
          },
          { highWaterMark: 0 },
        ),
    };
    service.script.push(staysSilent);
    const stop = new AbortController();
    const upload = clientOf().upload({ file, categories: ["heads"], signal: stop.signal });
    upload.catch(() => undefined);
    await expect.poll(() => readBytes).toBeGreaterThan(0);
    for (let before = -1; before !== readBytes; await delay(200)) before = readBytes;
    expect(readBytes).toBeLessThan(32_000_000);
    stop.abort();
    await expect(upload).rejects.toMatchObject({ name: "AbortError" });
  });

  test("says that its file cannot be read, and is not tried again", async () => {
    const file = {
      size: 10,
      stream: () => new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error("gone")) }),
    };
    service.script.push(staysSilent);
    const error = await clientOf()
      .upload({ file, categories: ["heads"] })
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(VeilFileError);
    expect(String(error)).toContain("gone");
  });

  test("names a file that is not there, and sends nothing", async () => {
    const error = await openFile("no/such.jpg").catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(VeilFileError);
    expect(String(error)).toContain('"no/such.jpg" cannot be read: ENOENT');
    await expect(openFile(tmpdir())).rejects.toThrow("is not a file");
  });

  test("leads its key nowhere else", async () => {
    const elsewhere = new ScriptedService();
    await elsewhere.start();
    service.script.push(answers(307, "", { Location: `${elsewhere.baseUrl}/media/redact` }));
    await expect(clientOf().upload(photo())).rejects.toThrow("The answer is a redirect");
    expect(service.requests).toHaveLength(1);
    expect(elsewhere.requests).toEqual([]);
    elsewhere.stop();
  });
});

describe("waiting", () => {
  test("looks less and less often until a media item has ended", async () => {
    const statuses = ["queued", "processing", "processing", "completed"] as const;
    service.script.push(...statuses.map((status) => answers(200, mediaItem({ status }))));
    const seen: string[] = [];
    const media = await clientOf().wait(MEDIA.id, { onPoll: ({ status }) => seen.push(status) });
    expect(media.status).toBe("completed");
    expect(seen).toEqual(statuses);
  });

  test("ends when its time is over, and when it is stopped", async () => {
    for (let polls = 0; polls < 8; polls++) service.script.push(answers(200, MEDIA));
    await expect(clientOf().wait(MEDIA.id, { timeoutMs: 300 })).rejects.toBeInstanceOf(VeilTimeoutError);
    const signal = AbortSignal.timeout(100);
    await expect(clientOf().wait(MEDIA.id, { signal })).rejects.toMatchObject({ name: "TimeoutError" });
  });

  test.for(["failed", "quota_exceeded"] as const)(
    "a redaction that ends as %s is a fault",
    async (status) => {
      service.script.push(answers(201, MEDIA), answers(200, mediaItem({ status })));
      const error = await clientOf()
        .redact(photo())
        .catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(VeilMediaError);
      expect((error as VeilMediaError).media.status).toBe(status);
      expect((error as VeilMediaError).failure).toBeUndefined();
    },
  );

  test("says why a media item failed, in the words of the service", async () => {
    const details = statusDetails({
      status: "failed",
      failure: { code: "worker_lost", message: "It was too large. Make it smaller." },
    });
    service.script.push(
      answers(201, MEDIA),
      answers(200, mediaItem({ status: "failed" })),
      answers(200, details),
    );
    await expect(clientOf().redact(photo())).rejects.toMatchObject({
      name: "VeilMediaError",
      message: "It was too large. Make it smaller.",
      failure: details.failure,
    });
    expect(service.requests.at(-1)?.url).toBe(`/api/v1/media/${MEDIA.id}/status-details`);
  });
});

test("status details are read as they are", async () => {
  const details = statusDetails({ status: "processing", progress: 0.5, step: "render" });
  service.script.push(answers(200, details));
  expect(await clientOf().statusDetails(MEDIA.id)).toEqual(details);
});

function page(ids: readonly string[], next: string | null): Handler {
  return answers(200, {
    data: ids.map((id) => mediaItem({ id })),
    pagination: { page: 1, per_page: 100, total: 4, total_pages: 2 },
    links: { next, previous: null },
  });
}

test("a list goes through all pages by their cursors", async () => {
  const next = "https://veil.example.com/api/v1/media?status=completed&cursor=17_c&per_page=100";
  service.script.push(page(["a", "b", "c"], next), page(["d"], null));
  const ids: string[] = [];
  for await (const { id } of clientOf().listAll({ status: "completed" })) ids.push(id);
  expect(ids).toEqual(["a", "b", "c", "d"]);
  expect(service.requests.map(({ url }) => url)).toEqual([
    "/api/v1/media?status=completed&cursor=&per_page=100",
    "/api/v1/media?status=completed&cursor=17_c&per_page=100",
  ]);
});

test("a list and a media item take `current` and `include` as the language has them, and as the API has them", async () => {
  service.script.push(...Array.from({ length: 4 }, () => page([], null)));
  const client = clientOf();
  await client.list({ current: true, include: ["versions", "metadata"] });
  await client.list({ current: "true", include: "versions,metadata" });
  await client.get(MEDIA.id, { include: ["versions", "metadata"] });
  await client.get(MEDIA.id, { include: "versions,metadata" });
  const [inLists, inList, ofItem, ofItemText] = service.requests.map(({ url = "" }) =>
    decodeURIComponent(url),
  );
  expect(inLists).toBe("/api/v1/media?current=true&include=versions,metadata");
  expect(inList).toBe(inLists);
  expect(ofItem).toBe(`/api/v1/media/${MEDIA.id}?include=versions,metadata`);
  expect(ofItemText).toBe(ofItem);
});

test("a deletion whose answer was lost has deleted; one of nothing has not", async () => {
  service.script.push(hangsUp, answers(404, refusal("not_found")), answers(404, refusal("not_found")));
  await clientOf().delete(MEDIA.id);
  await expect(clientOf().delete(MEDIA.id)).rejects.toMatchObject({ code: "not_found" });
});

test.for([
  ["veil.example.com", "expected one such as"],
  ["http://veil.example.com/api/v1", "http:// to this machine"],
  ["http://127.0.0.1.example.com/", "http:// to this machine"],
  ["ftp://127.0.0.1/", "http:// to this machine"],
  ["https://user:secret@veil.example.com/", "more than a host and a path"],
] as const)("the base URL %s is refused", ([baseUrl, sentence]) => {
  expect(() => new VeilClient({ baseUrl, apiKey: "k" })).toThrow(sentence);
});

test("an origin alone gets the version of the contract", async () => {
  service.script.push(answers(200, {}));
  await clientOf({ baseUrl: new URL(service.baseUrl).origin }).usage();
  expect(service.requests[0]?.url).toBe("/api/v1/usage");
});
