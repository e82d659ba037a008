import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Browser } from "../support/browser.ts";
import { partsOf } from "../support/byte-ranges.ts";
import { completed } from "../support/leftovers.ts";
import { catchMails, createTeam, type TestTeam } from "../support/people.ts";
import { png } from "../support/images.ts";
import { uploaded } from "../support/uploads.ts";
import { writeBmp } from "../redaction-node/support/write-bmp.ts";

const OUTPUT = Uint8Array.from({ length: 5_000 }, (_, index) => (index * 31) ^ (index >> 8));
const VIEWS = ["source", "output", "download"] as const;

let team: TestTeam;
let stranger: TestTeam;
let mediaId: string;
let files: Record<(typeof VIEWS)[number], Uint8Array>;

beforeAll(async () => {
  const mails = catchMails();
  team = await createTeam(mails);
  stranger = await createTeam(mails);
  const source = await png({ width: 32, height: 24, paddingBytes: 4_000 });
  mediaId = (await uploaded(team.apiKey, { file: source, filename: "street.jpg" })).id;
  await completed(team.accountId, mediaId, OUTPUT);
  files = { source, output: OUTPUT, download: OUTPUT };
});

afterAll(() => {
  vi.restoreAllMocks();
});

async function read(
  view: string,
  headers: Record<string, string> = {},
  { browser = team.owner, method = "GET" } = {},
): Promise<Response> {
  return await browser.visit(`/dashboard/media/${mediaId}/${view}`, { headers, method });
}

describe.for(VIEWS)("%s", (view) => {
  test("comes whole, with what a player wants to know", async () => {
    for (const method of ["GET", "HEAD"]) {
      const response = await read(view, {}, { method });
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "accept-ranges": "bytes",
        "cache-control": "private, no-store",
        "content-length": String(files[view].length),
        "content-type": "image/png",
        etag: expect.stringMatching(/^"[^"]+"$/) as unknown,
      });
      expect(response.headers.get("Content-Disposition")).toBe(
        view === "download"
          ? "attachment; filename=\"street.redacted.png\"; filename*=UTF-8''street.redacted.png"
          : null,
      );
      expect(await response.bytes()).toEqual(method === "HEAD" ? new Uint8Array(0) : files[view]);
    }
  });

  test("comes in parts", async () => {
    const size = files[view].length;
    for (const [range, first, last] of [
      ["bytes=0-1", 0, 1],
      ["bytes=1000-1999", 1_000, 1_999],
      ["bytes=1000-", 1_000, size - 1],
      ["bytes=-10", size - 10, size - 1],
    ] as const) {
      const response = await read(view, { Range: range });
      expect(response.status).toBe(206);
      expect(response.headers.get("Content-Range")).toBe(`bytes ${first}-${last}/${size}`);
      expect(response.headers.get("Cache-Control")).toBe("private, no-store");
      expect(await response.bytes()).toEqual(files[view].slice(first, last + 1));
    }
    const several = await read(view, { Range: "bytes=0-9,20-29" });
    const parts = partsOf(several.headers.get("Content-Type"), await several.bytes());
    expect(parts.map(({ bytes }) => bytes)).toEqual([files[view].slice(0, 10), files[view].slice(20, 30)]);
  });

  test("says which ranges are impossible, and which exist already", async () => {
    const outside = await read(view, { Range: "bytes=99999-" });
    expect(outside.status).toBe(416);
    expect(outside.headers.get("Content-Range")).toBe(`bytes */${files[view].length}`);
    const etag = (await read(view, {}, { method: "HEAD" })).headers.get("ETag") ?? "";
    expect((await read(view, { "If-None-Match": etag })).status).toBe(304);
    expect((await read(view, { Range: "bytes=0-1", "If-Range": etag })).status).toBe(206);
    expect((await read(view, { Range: "bytes=0-1", "If-Range": '"another"' })).status).toBe(200);
  });

  test("is for its own team alone", async () => {
    const etag = (await read(view, {}, { method: "HEAD" })).headers.get("ETag") ?? "";
    for (const headers of [{ Range: "bytes=0-1" }, { Range: "bytes=99999-" }, { "If-None-Match": etag }]) {
      const [foreign, signedOut] = [
        await read(view, headers, { browser: stranger.owner }),
        await read(view, headers, { browser: new Browser() }),
      ];
      expect([foreign.status, signedOut.status]).toEqual([404, 303]);
      for (const answer of [foreign, signedOut])
        for (const name of ["ETag", "Content-Range", "Accept-Ranges", "Last-Modified"])
          expect(answer.headers.has(name)).toBe(false);
    }
  });
});

test("an original that is no longer kept has no parts", async () => {
  const { id } = await uploaded(team.apiKey);
  await env.MEDIA.delete(`${team.accountId}/${id}/source`);
  for (const headers of [{}, { Range: "bytes=0-1" }]) {
    const answer = await team.owner.visit(`/dashboard/media/${id}/source`, { headers });
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain("The original has been deleted.");
  }
});

test("an original is never handed out as something that it is not: one that is not converted is not there", async () => {
  const bmp = Uint8Array.from(
    writeBmp(
      Array.from({ length: 48 }, () => Array.from({ length: 64 }, (_, x) => x * 3)),
      { bits: 24 },
    ),
  );
  const { id } = await uploaded(team.apiKey, { file: bmp });
  const path = `/dashboard/media/${id}/source`;
  for (const method of ["GET", "HEAD"]) {
    const answer = await team.owner.visit(path, { method });
    expect([answer.status, answer.headers.get("Content-Type")]).toEqual([404, "text/html; charset=UTF-8"]);
    if (method === "GET")
      expect(await answer.text()).toContain("The original is a BMP that has not been converted");
  }
  await env.MEDIA.put(`${team.accountId}/${id}/source`, await png({ width: 64, height: 48 }));
  const answer = await team.owner.visit(path);
  expect([answer.status, answer.headers.get("Content-Type")]).toEqual([200, "image/png"]);
  expect(answer.headers.get("X-Content-Type-Options")).toBe("nosniff");
});
