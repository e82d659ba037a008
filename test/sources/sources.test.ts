import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { mediaSchema } from "../../src/records/media/media.schemas.ts";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { bodyOf, callWith, errorOf } from "../support/api.ts";
import { expectNothingLeft, storedOf } from "../support/leftovers.ts";

const SMALL_LIMIT = 1_000_000;
const IMAGE_URL = `${env.SOURCE_SERVER_URL}/image/street.png`;

afterEach(() => {
  vi.restoreAllMocks();
});

async function post(
  account: TestAccount,
  body: Record<string, unknown>,
  { headers = {}, replaced = {} }: { headers?: Record<string, string>; replaced?: object } = {},
): Promise<Response> {
  return await callWith(replaced, "/media/redact", {
    method: "POST",
    apiKey: account.apiKey,
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ categories: ["heads"], ...body }),
  });
}

async function postForm(account: TestAccount, parts: [string, string | File][]): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of parts) {
    if (typeof value === "string") form.append(name, value);
    else form.append(name, value);
  }
  return await callWith({}, "/media/redact", { method: "POST", apiKey: account.apiKey, body: form });
}

/** Expects a 422 that leaves nothing behind; returns its details. */
async function refused(account: TestAccount, response: Response): Promise<Record<string, string[]>> {
  expect(response.status).toBe(422);
  const { details } = await errorOf(response);
  await expectNothingLeft(account.accountId);
  return details as Record<string, string[]>;
}

async function timesAsked(path: string): Promise<number> {
  const response = await fetch(`${env.SOURCE_SERVER_URL}/asked?path=${encodeURIComponent(path)}`);
  return Number(await response.text());
}

describe("a source is fetched", () => {
  test("from JSON, named by its URL, and stored as it is", async () => {
    const account = await createAccount();
    const response = await post(account, { source_url: `${IMAGE_URL}?signature=x#part` });
    expect(response.status).toBe(201);
    const media = await bodyOf(response, mediaSchema);
    expect(media).toMatchObject({ status: "queued", filename: "street.png", media_type: "image" });
    const stored = await env.MEDIA.get(`${account.accountId}/${media.id}/source`);
    const original = await (await fetch(IMAGE_URL)).bytes();
    expect(await stored?.bytes()).toEqual(original);
    expect(media.file_size_bytes).toBe(original.length);
  });

  test("from a form, with a name of its own and options", async () => {
    const account = await createAccount();
    const response = await postForm(account, [
      ["filename", "other.png"],
      ["source_url", IMAGE_URL],
      ["categories[]", "heads"],
      ["detect_only", "true"],
    ]);
    expect(response.status).toBe(201);
    expect((await bodyOf(response, mediaSchema)).filename).toBe("other.png");
  });

  test("with all options that JSON can hold", async () => {
    const account = await createAccount();
    const box = { x: 0, y: 0, width: 0.5, height: 0.5 };
    const response = await post(account, {
      source_url: IMAGE_URL,
      redaction_method: "pixelation",
      min_confidence: { heads: 0.2 },
      regions: [{ box }],
      ignore_regions: [{ box }],
      detect_only: true,
    });
    expect(response.status).toBe(201);
    expect((await bodyOf(response, mediaSchema)).redaction_method).toBe("pixelation");
  });

  test.for([
    ["over three redirects", "/hops/3"],
    ["although it failed once", "/fails-once/a"],
    ["packed by gzip", "/gzip"],
  ])("%s", async ([, path]) => {
    const account = await createAccount();
    const response = await post(account, { source_url: `${env.SOURCE_SERVER_URL}${path}` });
    expect(response.status).toBe(201);
    const original = await (await fetch(IMAGE_URL)).bytes();
    expect((await bodyOf(response, mediaSchema)).file_size_bytes).toBe(original.length);
  });

  test("and is named `file` where its URL has no usable name", async () => {
    const account = await createAccount();
    const response = await post(account, { source_url: `${env.SOURCE_SERVER_URL}/image/%2e%2e%2fa` });
    expect((await bodyOf(response, mediaSchema)).filename).toBe("file");
  });

  test("as far as its Content-Length says, where more follows", async () => {
    const account = await createAccount();
    const response = await post(account, { source_url: `${env.SOURCE_SERVER_URL}/too-short-length` });
    expect(response.status).toBe(201);
    const original = await (await fetch(IMAGE_URL)).bytes();
    const media = await bodyOf(response, mediaSchema);
    expect(media.file_size_bytes).toBe(original.length - 20);
  });

  test("without saying who asks for it", async () => {
    const account = await createAccount();
    const original = globalThis.fetch;
    const sent: Headers[] = [];
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      if (input === IMAGE_URL) sent.push(new Headers(init?.headers));
      return await original(input, init);
    });
    await post(account, { source_url: IMAGE_URL });
    expect(sent.map((headers) => [...headers.keys()].sort())).toEqual([
      ["accept", "accept-encoding", "user-agent"],
    ]);
  });
});

describe("a source that cannot be had leaves nothing and says why:", () => {
  test.for<[string, RegExp, object?]>([
    ["/dribble", /^The file arrived too slowly: \d+ bytes in \d+ s/, { UPLOAD_RATE_WINDOW_SECONDS: "1" }],
    ["/dribble", /^The file took longer than 1 s to arrive\.$/, { SOURCE_URL_TIMEOUT_SECONDS: "1" }],
    ["/stall", /^The file stopped arriving for 1 s\.$/, { UPLOAD_IDLE_TIMEOUT_SECONDS: "1" }],
    ["/reset", /^The source could not be reached\.$/],
    ["/not-http", /^The source could not be reached\.$/],
    ["/bad-length", /^The source could not be reached\.$/],
    ["/huge-headers", /^The source could not be reached\.$/],
    ["/too-long-length", /^The connection broke before the whole file had arrived\.$/],
    ["/endless", /^The file is larger than the limit of 1 MB\./, { MAX_FILE_BYTES: SMALL_LIMIT }],
    ["/gzip-bomb", /^The file is larger than the limit of 1 MB\./, { MAX_FILE_BYTES: SMALL_LIMIT }],
    ["/gzip-cut", /^The connection broke before the whole file had arrived\.$/],
    ["/gzip-lie", /^The connection broke before the whole file had arrived\.$/],
    ["/zstd", /unknown Content-Encoding/],
    ["/circle", /^The source redirects more than 3 times\.$/],
    ["/hops/4", /^The source redirects more than 3 times\.$/],
    ["/nowhere", /^The source redirects to nowhere/],
    ["/status/204", /^The source answered with status 204; expected 200/],
    ["/status/206", /^The source answered with status 206; expected 200/],
    ["/status/304", /^The source answered with status 304; expected 200/],
    ["/status/401", /^The source answered with status 401; expected 200/],
    ["/status/403", /^The source answered with status 403; expected 200/],
    ["/status/404", /^The source answered with status 404; expected 200/],
    ["/status/500", /^The source answered with status 500; expected 200/],
    ["/html", /^Unrecognized file format/],
    ["/empty", /^The file is empty/],
    ["/no-video/a.mp4", /^The file has no video track\.$/],
    ["/to?url=http://10.0.0.1/a", /refused\. The host 10\.0\.0\.1 is not on the public internet/],
    ["/to?url=//user:x@127.0.0.1/", /refused\. The URL contains a user name or password; remove them\.$/],
    ["/to?url=file:///etc/passwd", /refused\. The URL begins with file:/],
  ])("%s", async ([path, sentence, replaced]) => {
    const account = await createAccount();
    const response = await post(
      account,
      { source_url: `${env.SOURCE_SERVER_URL}${path}` },
      { replaced: replaced ?? {} },
    );
    expect(await refused(account, response)).toEqual({ source_url: [expect.stringMatching(sentence)] });
  });

  test("a server that is busy is asked twice, one that refuses once", async () => {
    const account = await createAccount();
    await post(account, { source_url: `${env.SOURCE_SERVER_URL}/status/503/busy` });
    await post(account, { source_url: `${env.SOURCE_SERVER_URL}/status/403/refused` });
    expect(await timesAsked("/status/503/busy")).toBe(2);
    expect(await timesAsked("/status/403/refused")).toBe(1);
  });
});

describe("a request is refused before anything is fetched:", () => {
  test.for<[string, Record<string, unknown>, string[]]>([
    ["no source", {}, ["source_url"]],
    ["a source that is no text", { source_url: 5 }, ["source_url"]],
    ["a misspelled property", { source_url: IMAGE_URL, sensitivty: "high" }, ["sensitivty"]],
    ["a file in JSON", { source_url: IMAGE_URL, file: "x" }, ["file"]],
    ["categories that are no list", { source_url: IMAGE_URL, categories: "heads" }, ["categories"]],
    ["an unknown category", { source_url: IMAGE_URL, categories: ["faces"] }, ["categories"]],
    ["a category that is no text", { source_url: IMAGE_URL, categories: [7] }, ["categories"]],
    ["a method of null", { source_url: IMAGE_URL, redaction_method: null }, ["redaction_method"]],
    ["a boolean as text", { source_url: IMAGE_URL, detect_only: "true" }, ["detect_only"]],
    ["regions as text", { source_url: IMAGE_URL, regions: "[]" }, ["regions"]],
    ["a path as a name", { source_url: IMAGE_URL, filename: "../a.png" }, ["filename"]],
    ["an empty name", { source_url: IMAGE_URL, filename: "" }, ["filename"]],
    [
      "several at once",
      { source_url: "ftp://example.com/", filename: "a/b", audio: "loud" },
      ["audio", "filename", "source_url"],
    ],
  ])("%s", async ([, body, fields]) => {
    const account = await createAccount();
    const before = await timesAsked("/image/street.png");
    const details = await refused(account, await post(account, body));
    expect(Object.keys(details).sort()).toEqual(fields);
    expect(await timesAsked("/image/street.png")).toBe(before);
  });

  test.for<[string, [string, string][], boolean, string[]]>([
    ["a name without a source", [["filename", "a.png"]], true, ["filename"]],
    ["a source before a file", [["source_url", IMAGE_URL]], true, ["source_url"]],
    [
      "two sources",
      [
        ["source_url", IMAGE_URL],
        ["source_url", IMAGE_URL],
      ],
      false,
      ["source_url"],
    ],
  ])("a form with %s", async ([, parts, hasFile, fields]) => {
    const account = await createAccount();
    const bytes = await (await fetch(IMAGE_URL)).bytes();
    const file: [string, File][] = hasFile ? [["file", new File([bytes], "a.png")]] : [];
    const response = await postForm(account, [["categories[]", "heads"], ...parts, ...file]);
    expect(Object.keys(await refused(account, response))).toEqual(fields);
  });

  test("a form with a source after a file", async () => {
    const account = await createAccount();
    const bytes = await (await fetch(IMAGE_URL)).bytes();
    const response = await postForm(account, [
      ["categories[]", "heads"],
      ["file", new File([bytes], "a.png")],
      ["source_url", IMAGE_URL],
    ]);
    expect(await refused(account, response)).toEqual({
      source_url: ["`source_url` and `file` are both sent; send one of them."],
    });
  });

  test("JSON that is none", async () => {
    const account = await createAccount();
    const response = await callWith({}, "/media/redact", {
      method: "POST",
      apiKey: account.apiKey,
      headers: { "Content-Type": "application/json" },
      body: "{",
    });
    expect(Object.keys(await refused(account, response))).toEqual(["body"]);
  });
});

test("options that are for videos are refused once the source is known to be a photo", async () => {
  const account = await createAccount();
  const response = await post(account, { source_url: IMAGE_URL, audio: "mute" });
  expect(Object.keys(await refused(account, response))).toEqual(["audio"]);
});

describe("with an idempotency key", () => {
  const headers = { "Idempotency-Key": "k" };

  test("a retry gets the same answer, and nothing is fetched again", async () => {
    const account = await createAccount();
    const source_url = `${env.SOURCE_SERVER_URL}/image/once.png`;
    const first = await post(account, { source_url }, { headers });
    const again = await post(account, { source_url }, { headers });
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect(await again.text()).toBe(await first.text());
    expect(await timesAsked("/image/once.png")).toBe(1);
    expect(await storedOf(account.accountId)).toMatchObject({ media: 1, objects: 1, keys: 1 });
  });

  test.for([{ source_url: `${IMAGE_URL}?v=2` }, { filename: "b.png" }, { categories: ["screens"] }])(
    "another upload is a conflict: %o",
    async (change) => {
      const account = await createAccount();
      await post(account, { source_url: IMAGE_URL }, { headers });
      const response = await post(account, { source_url: IMAGE_URL, ...change }, { headers });
      expect(response.status).toBe(409);
      expect((await errorOf(response)).details).toEqual({ reason: "idempotency_key_reused" });
    },
  );

  test("a source that failed frees it", async () => {
    const account = await createAccount();
    const refusedOnce = await post(
      account,
      { source_url: `${env.SOURCE_SERVER_URL}/status/404` },
      { headers },
    );
    expect(refusedOnce.status).toBe(422);
    expect((await post(account, { source_url: IMAGE_URL }, { headers })).status).toBe(201);
  });
});

test("nothing of a URL but its file's name is logged or stored", async () => {
  const account = await createAccount();
  const lines: string[] = [];
  for (const level of ["log", "warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(line));
  for (const path of ["/image/a.png", "/status/403", "/reset", "/to", "/html"]) {
    const source_url = `${env.SOURCE_SERVER_URL}${path}?signature=sEcReT`;
    await post(account, { source_url }, { headers: { "Idempotency-Key": path } });
  }
  await post(account, { source_url: "https://user:sEcReT@example.com/?signature=sEcReT" });
  expect(lines.length).toBeGreaterThan(5);
  expect(lines.join("\n")).not.toMatch(/sEcReT|signature|127\.0\.0\.1/);
  const { results: tables } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
  ).all<{ name: string }>();
  for (const { name } of tables) {
    const { results } = await env.DB.prepare(`SELECT * FROM "${name}"`).all();
    expect(JSON.stringify(results)).not.toMatch(/sEcReT/);
  }
});
