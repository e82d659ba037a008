import { describe, expect, test } from "vitest";
import { contentDisposition, downloadName } from "../../src/records/media/download-name.ts";
import { mediaSchema } from "../../src/records/media/media.schemas.ts";
import { createAccount } from "../support/accounts.ts";
import { bodyOf, call, errorOf } from "../support/api.ts";
import { completed, expectNothingLeft } from "../support/leftovers.ts";
import { jpeg } from "../support/file-headers.ts";
import { upload, uploaded } from "../support/uploads.ts";

/** Uploads a PNG with this name and expects a refusal. Returns the reasons. */
async function refused(filename: string): Promise<string[]> {
  const { apiKey, accountId } = await createAccount();
  const response = await upload(apiKey, { filename });
  expect(response.status).toBe(422);
  const { details } = await errorOf(response);
  await expectNothingLeft(accountId);
  expect(Object.keys(details)).toEqual(["file"]);
  return details["file"] as string[];
}

/** The name of an upload's redacted file in the header's plain and extended form. */
async function offered(filename: string, file?: Uint8Array<ArrayBuffer>): Promise<[string, string]> {
  const { apiKey, accountId } = await createAccount();
  const { id } = await uploaded(apiKey, { filename, ...(file && { file }) });
  await completed(accountId, id);
  const download = await call(`/media/${id}/download`, { apiKey });
  await download.body?.cancel();
  const disposition = download.headers.get("Content-Disposition") ?? "";
  const form = /^attachment; filename="([\x20-\x7e]*)"; filename\*=UTF-8''([\w%.!#$&+^`|~-]+)$/;
  const [, plain = "", extended = ""] = form.exec(disposition) ?? [];
  return [plain, decodeURIComponent(extended)];
}

describe("a name is refused", () => {
  test.for([
    "../../x",
    "/etc/passwd",
    "a/b.png",
    "C:\\photo.png",
    ".",
    "..",
    "a\u0000b.png",
    "a\u001b.png",
    "a\tb.png",
    "a\u007fb.png",
    "a\u0085b.png",
    "a\u009fb.png",
    "a\u2028b.png",
    "a\u2029b.png",
    "photo\u202egnp.exe",
    "a\u2066b.png",
    "a\u200fb.png",
    "\u061cb.png",
    " ",
    "   ",
    "\u00a0\u3000",
    "\u200b\ufeff",
    "\u{e0020}",
    `${"é".repeat(126)}.png`,
  ])("%j", async (filename) => {
    const sentences = await refused(filename);
    expect(sentences).toHaveLength(1);
    // The sentence itself must not contain the characters for which the name was refused.
    expect(sentences[0]).toMatch(/^[ \p{L}\p{N}\p{P}\p{S}]+\.$/u);
  });

  test("in words that show what cannot be seen", async () => {
    expect(await refused("a\u202eb.png")).toEqual([
      'The file name "a\\u202eb.png" contains characters that change the direction of writing; expected a plain name.',
    ]);
    expect(await refused("\u00a0 ")).toEqual([
      'The file name "\\u00a0 " has no visible character; expected a plain name.',
    ]);
  });
});

describe("a name is kept to the letter, and offered with `.redacted`", () => {
  test.for([
    ["photo.png", "photo.redacted.png"],
    ["PHOTO.PNG", "PHOTO.redacted.PNG"],
    ["photo.jpeg", "photo.redacted.png"],
    ["page.html", "page.redacted.png"],
    ["archive.tar.gz", "archive.tar.redacted.png"],
    ["no extension", "no extension.redacted.png"],
    ["...", "....redacted.png"],
    [".png", ".png.redacted.png"],
    ["v1.2", "v1.2.redacted.png"],
    ["Mr. Smith", "Mr. Smith.redacted.png"],
    ["photo.redacted.png", "photo.redacted.redacted.png"],
    ["a b .png", "a b .redacted.png"],
    ["ünï©ode 🎭.png", "ünï©ode 🎭.redacted.png"],
    ["שלום عالم.png", "שלום عالم.redacted.png"],
    ['quote".png', 'quote".redacted.png'],
    ["semi; name=evil; filename=x.png", "semi; name=evil; filename=x.redacted.png"],
    ["percent %41.png", "percent %41.redacted.png"],
    ["<script>.png", "<script>.redacted.png"],
    ["é".repeat(125), `${"é".repeat(121)}.redacted.png`],
    [`${"a".repeat(251)}.png`, `${"a".repeat(242)}.redacted.png`],
  ] as const)("%j as %j", async ([filename, expected]) => {
    const { apiKey } = await createAccount();
    const media = await bodyOf(await upload(apiKey, { filename }), mediaSchema);
    expect(media.filename).toBe(filename);
    const [plain, extended] = await offered(filename);
    expect(extended).toBe(expected);
    expect(new TextEncoder().encode(extended).length).toBeLessThanOrEqual(255);
    expect(plain).toBe(expected.replaceAll(/[^\x20-\x7e]|["\\%]/gu, "_"));
  });

  test.for([
    ["photo.png", "photo.redacted.jpg"],
    ["photo.jpeg", "photo.redacted.jpeg"],
    ["photo.JPG", "photo.redacted.JPG"],
    ["photo.jfif", "photo.redacted.jfif"],
    ["photo", "photo.redacted.jpg"],
  ] as const)("a JPEG called %j as %j", async ([filename, expected]) => {
    expect((await offered(filename, jpeg({ width: 4, height: 4 })))[1]).toBe(expected);
  });
});

test.for([
  ["clip.m4v", "mp4", "clip.redacted.m4v"],
  ["clip.avi", "mp4", "clip.redacted.mp4"],
  ["clip.MOV", "quicktime", "clip.redacted.MOV"],
  ["clip.mp4", "quicktime", "clip.redacted.mov"],
  ["clip.mkv", "webm", "clip.redacted.webm"],
  ["photo.heic", "jpeg", "photo.redacted.jpg"],
  ["photo.tiff", "png", "photo.redacted.png"],
  ["photo.jpg", "webp", "photo.redacted.webp"],
] as const)("%j of format %s is offered as %j", ([filename, format, expected]) => {
  expect(downloadName(filename, format)).toBe(expected);
});

test("a stored name that would be refused today does no harm in the header", () => {
  expect(contentDisposition("photo\u202egpj\u0085\u2028\r\n.exe")).toBe(
    "attachment; filename=\"photo_gpj____.exe\"; filename*=UTF-8''photo_gpj____.exe",
  );
});
