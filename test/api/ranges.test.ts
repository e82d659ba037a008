import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { call, callWith, errorOf } from "../support/api.ts";
import { completed } from "../support/leftovers.ts";
import { partsOf } from "../support/byte-ranges.ts";
import { uploaded } from "../support/uploads.ts";

const SIZE = 100_000;
const FILE = Uint8Array.from({ length: SIZE }, (_, index) => (index * 31) ^ (index >> 8));
const STALE_DATE = "Mon, 02 Nov 2020 10:00:00 GMT";
const LATER_DATE = "Fri, 02 Nov 2040 10:00:00 GMT";

let owner: TestAccount;
let path: string;
let etag: string;
let modified: string;

beforeAll(async () => {
  owner = await createAccount({ requestsPerMinute: 10_000 });
  const { id } = await uploaded(owner.apiKey, { filename: "street.png" });
  await completed(owner.accountId, id, FILE);
  path = `/media/${id}/download`;
  const stored = await env.MEDIA.head(`${owner.accountId}/${id}/output`);
  etag = stored?.httpEtag ?? "";
  modified = stored?.uploaded.toUTCString() ?? "";
  expect(etag).toMatch(/^"[^"]+"$/);
});

async function read(headers: Record<string, string>, method = "GET"): Promise<Response> {
  return await call(path, { method, apiKey: owner.apiKey, headers });
}

/** Expects bytes `first` to `last` of the file, and headers that say so. */
async function expectPart(response: Response, first: number, last: number): Promise<void> {
  expect(response.status).toBe(206);
  expect(response.headers.get("Content-Range")).toBe(`bytes ${first}-${last}/${SIZE}`);
  expect(response.headers.get("Content-Length")).toBe(String(last - first + 1));
  expect(response.headers.get("Content-Type")).toBe("image/png");
  expectReusable(response);
  expect(await response.bytes()).toEqual(FILE.slice(first, last + 1));
}

async function expectWhole(response: Response): Promise<void> {
  expect(response.status).toBe(200);
  expect(response.headers.has("Content-Range")).toBe(false);
  expect(response.headers.get("Content-Length")).toBe(String(SIZE));
  expect(response.headers.get("Content-Type")).toBe("image/png");
  expectReusable(response);
  expect(await response.bytes()).toEqual(FILE);
}

function expectReusable({ headers }: Response): void {
  expect(headers.get("ETag")).toBe(etag);
  expect(headers.get("Last-Modified")).toBe(modified);
  expect(headers.get("Accept-Ranges")).toBe("bytes");
  expect(headers.get("Cache-Control")).toBe("private, no-store");
}

describe("one range", () => {
  test.for([
    ["bytes=0-0", 0, 0],
    ["bytes=0-1", 0, 1],
    ["bytes=0-499", 0, 499],
    ["bytes=500-999", 500, 999],
    ["bytes=65530-65545", 65_530, 65_545],
    ["bytes=99500-", 99_500, SIZE - 1],
    ["bytes=99999-99999", SIZE - 1, SIZE - 1],
    ["bytes=99999-", SIZE - 1, SIZE - 1],
    ["bytes=0-", 0, SIZE - 1],
    ["bytes=90000-200000", 90_000, SIZE - 1],
    ["bytes=0-99999999999999999999999999", 0, SIZE - 1],
    ["bytes=-1", SIZE - 1, SIZE - 1],
    ["bytes=-500", SIZE - 500, SIZE - 1],
    ["bytes=-100000", 0, SIZE - 1],
    ["bytes=-999999999999999999999999", 0, SIZE - 1],
    ["Bytes=10-19", 10, 19],
    ["bytes= 10-19 ", 10, 19],
    ["bytes=,10-19,", 10, 19],
    ["bytes=10-19, 100000-", 10, 19],
    ["bytes=0007-0009", 7, 9],
  ] as const)("%s", async ([range, first, last]) => {
    await expectPart(await read({ Range: range }), first, last);
  });
});

describe("several ranges", () => {
  test.for([
    [
      "bytes=0-0,-1",
      [
        [0, 0],
        [SIZE - 1, SIZE - 1],
      ],
    ],
    [
      "bytes=500-999, 10-19 ,70000-70009",
      [
        [500, 999],
        [10, 19],
        [70_000, 70_009],
      ],
    ],
    [
      "bytes=0-49999,50000-",
      [
        [0, 49_999],
        [50_000, SIZE - 1],
      ],
    ],
    [
      "bytes=10-19,200000-,30-39",
      [
        [10, 19],
        [30, 39],
      ],
    ],
    [
      `bytes=${Array.from({ length: 16 }, (_, index) => `${index * 10}-${index * 10 + 1}`).join(",")}`,
      Array.from({ length: 16 }, (_, index) => [index * 10, index * 10 + 1]),
    ],
  ] as [string, [number, number][]][])("%s", async ([range, expected]) => {
    const response = await read({ Range: range });
    expect(response.status).toBe(206);
    expect(response.headers.has("Content-Range")).toBe(false);
    expectReusable(response);
    const body = await response.bytes();
    expect(response.headers.get("Content-Length")).toBe(String(body.length));
    expect(partsOf(response.headers.get("Content-Type"), body)).toEqual(
      expected.map(([first, last]) => ({
        contentType: "image/png",
        contentRange: `bytes ${first}-${last}/${SIZE}`,
        bytes: FILE.slice(first, last + 1),
      })),
    );
  });

  test.for([
    ["overlap", "bytes=0-499,499-600"],
    ["are the same", "bytes=0-0,0-0"],
    ["are more than sixteen", `bytes=${Array.from({ length: 17 }, (_, at) => `${at * 2}-${at * 2}`).join()}`],
  ] as const)("that %s are answered with the whole file, once", async ([, range]) => {
    await expectWhole(await read({ Range: range }));
  });
});

test.for([
  "bytes=100000-",
  "bytes=100000-100001",
  "bytes=99999999999999999999999999-",
  "bytes=-0",
  "bytes=100000-,200000-200001",
])("%s lies outside of the file", async (range) => {
  const response = await read({ Range: range });
  expect(response.status).toBe(416);
  expect(response.headers.get("Content-Range")).toBe(`bytes */${SIZE}`);
  expect(response.headers.get("Content-Type")).toBe("application/json");
  expect(response.headers.has("ETag")).toBe(false);
  expect(await errorOf(response)).toEqual({
    code: "range_not_satisfiable",
    message: `\`Range\` is "${range}", and the file has ${SIZE} bytes; expected ranges that begin inside it.`,
    details: { size_bytes: SIZE },
  });
});

test.for([
  "",
  "bytes",
  "bytes=",
  "bytes=,",
  "bytes=-",
  "bytes=a-b",
  "bytes=5-4",
  "bytes=0-499,5-4",
  "bytes=0x1-0x2",
  "bytes=1.5-2",
  "bytes=+1-2",
  "bytes=--1",
  "bytes=0-499-600",
  "bytes 0-499",
  "bytes=0 - 499",
  "items=0-4",
  "0-499",
])("a range that is no range is left alone: %j", async (range) => {
  await expectWhole(await read({ Range: range }));
});

describe("If-Range", () => {
  const range = { Range: "bytes=10-19" };

  test("with the tag or the date that the file has: the range", async () => {
    await expectPart(await read({ ...range, "If-Range": etag }), 10, 19);
    await expectPart(await read({ ...range, "If-Range": modified }), 10, 19);
  });

  test("with any other: the whole file", async () => {
    const stale = ['"another"', `W/${etag}`, etag.slice(1, -1), STALE_DATE, LATER_DATE, "yesterday"];
    for (const ifRange of stale) {
      const response = await read({ ...range, "If-Range": ifRange });
      expect([ifRange, response.status]).toEqual([ifRange, 200]);
      await expectWhole(response);
    }
  });

  test("stale, with a range outside of the file: the whole file, too", async () => {
    await expectWhole(await read({ Range: "bytes=100000-", "If-Range": '"another"' }));
  });

  test("without a range: the whole file", async () => {
    await expectWhole(await read({ "If-Range": etag }));
  });
});

describe("conditions", () => {
  test.for<[string, () => string]>([
    ["If-None-Match", () => etag],
    ["If-None-Match", () => `W/${etag}`],
    ["If-None-Match", () => `"a,b", ${etag}`],
    ["If-None-Match", () => "*"],
    ["If-Modified-Since", () => modified],
    ["If-Modified-Since", () => LATER_DATE],
  ])("%s of what is known is 304", async ([name, value]) => {
    for (const method of ["GET", "HEAD"]) {
      const response = await read({ [name]: value(), Range: "bytes=10-19" }, method);
      expect(response.status).toBe(304);
      expectReusable(response);
      for (const absent of ["Content-Type", "Content-Disposition", "Content-Range"])
        expect(response.headers.has(absent)).toBe(false);
      expect(await response.text()).toBe("");
    }
  });

  test.for<[string, () => string]>([
    ["If-Match", () => '"another"'],
    ["If-Match", () => `W/${etag}`],
    ["If-Unmodified-Since", () => STALE_DATE],
  ])("%s of another file is 412", async ([name, value]) => {
    const response = await read({ [name]: value(), Range: "bytes=10-19" });
    expect(response.status).toBe(412);
    expect((await errorOf(response)).code).toBe("precondition_failed");
  });

  test.for<[string, () => string]>([
    ["If-None-Match", () => '"another"'],
    ["If-None-Match", () => etag.slice(1, -1)],
    ["If-Modified-Since", () => STALE_DATE],
    ["If-Modified-Since", () => "yesterday"],
    ["If-Match", () => `"another", ${etag}`],
    ["If-Match", () => "*"],
    ["If-Unmodified-Since", () => modified],
    ["If-Unmodified-Since", () => "tomorrow"],
  ])("%s that holds is the file, or the range", async ([name, value]) => {
    await expectWhole(await read({ [name]: value() }));
    await expectPart(await read({ [name]: value(), Range: "bytes=10-19" }), 10, 19);
  });

  test("a tag counts before a date", async () => {
    await expectWhole(await read({ "If-None-Match": '"another"', "If-Modified-Since": LATER_DATE }));
    await expectWhole(await read({ "If-Match": etag, "If-Unmodified-Since": STALE_DATE }));
  });
});

test("HEAD tells of the whole file, whatever range it names", async () => {
  for (const headers of [{}, { Range: "bytes=10-19" }, { Range: "bytes=100000-" }]) {
    const response = await read(headers, "HEAD");
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Length")).toBe(String(SIZE));
    expect(response.headers.get("Content-Disposition")).toContain("street.redacted.png");
    expectReusable(response);
    expect(await response.text()).toBe("");
  }
});

describe("the bytes read from R2", () => {
  /** The other methods that the Worker expects of its bucket. */
  const NO_WRITES = { put: () => Promise.reject(new Error("A read writes nothing.")) };

  /** The reads of a request, each with the requested range, and the number of bytes that arrived. */
  async function readsOf(headers: Record<string, string>, method = "GET"): Promise<unknown[]> {
    const reads: unknown[] = [];
    const MEDIA = {
      ...NO_WRITES,
      head: async (key: string) => await env.MEDIA.head(key),
      get: async (key: string, options: R2GetOptions = {}) => {
        reads.push(options.range ?? "whole");
        return await env.MEDIA.get(key, options);
      },
    };
    const response = await callWith({ MEDIA }, path, { method, headers, apiKey: owner.apiKey });
    await response.bytes();
    return reads;
  }

  test("are the bytes that are sent, and no more", async () => {
    expect(await readsOf({})).toEqual(["whole"]);
    expect(await readsOf({ Range: "bytes=10-19" })).toEqual([{ offset: 10, length: 10 }]);
    expect(await readsOf({ Range: "bytes=-5" })).toEqual([{ offset: SIZE - 5, length: 5 }]);
    expect(await readsOf({ Range: "bytes=70-79,10-19" })).toEqual([
      { offset: 70, length: 10 },
      { offset: 10, length: 10 },
    ]);
    expect(await readsOf({ Range: "bytes=100000-" })).toEqual([]);
    expect(await readsOf({ "If-None-Match": etag })).toEqual([]);
    expect(await readsOf({ "If-Match": '"another"' })).toEqual([]);
    expect(await readsOf({ Range: "bytes=10-19" }, "HEAD")).toEqual([]);
  });

  test("is nothing when the file is gone, or has become another meanwhile", async () => {
    const { apiKey, accountId } = owner;
    const { id } = await uploaded(apiKey);
    const key = `${accountId}/${id}/output`;
    await completed(accountId, id, FILE);
    const MEDIA = {
      ...NO_WRITES,
      head: async () => {
        const seen = await env.MEDIA.head(key);
        await env.MEDIA.put(key, "another");
        return seen;
      },
      get: async (name: string, options: R2GetOptions) => await env.MEDIA.get(name, options),
    };
    const headers = { Range: "bytes=10-19" };
    const changed = await callWith({ MEDIA }, `/media/${id}/download`, { headers, apiKey });
    expect(changed.status).toBe(404);
    await env.MEDIA.delete(key);
    for (const sent of [{}, headers, { "If-None-Match": "*" }]) {
      const gone = await call(`/media/${id}/download`, { headers: sent, apiKey });
      expect(gone.status).toBe(404);
      expect((await errorOf(gone)).message).toBe("The redacted file has been deleted.");
    }
  });
});

test("another tenant gets neither a byte nor a word about the file", async () => {
  const { apiKey } = await createAccount();
  const asked: [string, Record<string, string>][] = [
    ["GET", { Range: "bytes=0-9" }],
    ["GET", { Range: "bytes=0-9,20-29" }],
    ["GET", { Range: "bytes=100000-" }],
    ["GET", { Range: "bytes=0-9", "If-Range": etag }],
    ["GET", { "If-None-Match": etag }],
    ["GET", { "If-None-Match": "*" }],
    ["GET", { "If-Match": '"another"' }],
    ["HEAD", {}],
  ];
  for (const [method, headers] of asked) {
    const response = await call(path, { method, apiKey, headers });
    expect([headers, response.status]).toEqual([headers, 404]);
    for (const name of ["ETag", "Last-Modified", "Content-Range", "Accept-Ranges", "Content-Disposition"])
      expect(response.headers.has(name)).toBe(false);
    if (method === "GET")
      expect((await errorOf(response)).message).toBe("There is no media item with this ID.");
    else expect(await response.text()).toBe("");
  }
});

test("a media that is not completed has no parts either", async () => {
  const { id } = await uploaded(owner.apiKey);
  await env.MEDIA.put(`${owner.accountId}/${id}/output`, FILE);
  const headers = { Range: "bytes=0-9" };
  const response = await call(`/media/${id}/download`, { apiKey: owner.apiKey, headers });
  expect(response.status).toBe(404);
  expect((await errorOf(response)).message).toContain("waiting to be processed");
});

test("a download of a media item that was only analyzed says so", async () => {
  const { apiKey, accountId } = await createAccount();
  const { id } = await uploaded(apiKey);
  await completed(accountId, id, FILE);
  await env.MEDIA.delete(`${accountId}/${id}/output`);
  await env.DB.prepare("UPDATE media SET output_size_bytes = NULL WHERE id = ?").bind(id).run();
  const none = await call(`/media/${id}/download`, { apiKey });
  expect(none.status).toBe(404);
  expect((await errorOf(none)).message).toBe(
    "This media item was only analyzed (`detect_only`), so it has no redacted file.",
  );
});
