import { describe, expect, test } from "vitest";
import { mediaSchema } from "../../src/records/media/media.schemas.ts";
import { createAccount } from "../support/accounts.ts";
import { bodyOf, callWith, errorOf } from "../support/api.ts";
import * as files from "../support/file-headers.ts";
import { chunk, concat, png } from "../support/images.ts";
import { expectNothingLeft } from "../support/leftovers.ts";
import { streamOf } from "../support/multipart.ts";
import { uploadForm } from "../support/uploads.ts";

async function send(file: Uint8Array<ArrayBuffer>, replaced: object = {}, filename = "photo.png") {
  const account = await createAccount();
  const body = await uploadForm({ file, filename });
  const response = await callWith(replaced, "/media/redact", {
    method: "POST",
    apiKey: account.apiKey,
    body,
  });
  return { account, response };
}

async function accepted(file: Uint8Array<ArrayBuffer>, replaced: object = {}, filename?: string) {
  const { response } = await send(file, replaced, filename);
  expect(response.status).toBe(201);
  return await bodyOf(response, mediaSchema);
}

async function refusal(file: Uint8Array<ArrayBuffer>, replaced: object = {}): Promise<string> {
  const { account, response } = await send(file, replaced);
  expect(response.status).toBe(422);
  const { details } = await errorOf(response);
  expect(Object.keys(details)).toEqual(["file"]);
  const sentences = details["file"] as string[];
  expect(sentences).toHaveLength(1);
  await expectNothingLeft(account.accountId);
  return sentences[0] ?? "";
}

const ACCEPTED =
  /supported formats are JPEG, PNG, WebP, HEIC, AVIF, GIF, TIFF and BMP images and MP4, QuickTime, WebM, Matroska and AVI videos\.$/;

describe("accepted by content, whatever the name", () => {
  test.for<[string, Uint8Array<ArrayBuffer>]>([
    ["movie.mp4", files.jpeg({ width: 40, height: 30 })],
    ["page.html", files.jpeg({ width: 40, height: 30, frame: 0xc1 })],
    ["progressive.png", files.jpeg({ width: 40, height: 30, frame: 0xc2 })],
    ["fill-bytes.jpg", files.jpeg({ width: 40, height: 30, isPadded: true })],
    ["photo.jpg", files.webp({ width: 40, height: 30, kind: "VP8 " })],
    ["lossless", files.webp({ width: 40, height: 30, kind: "VP8L" })],
    ["extended.gif", files.webp({ width: 40, height: 30, kind: "VP8X" })],
  ])("%s", async ([filename, file]) => {
    const media = await accepted(file, {}, filename);
    expect(media).toMatchObject({ media_type: "image", filename, file_size_bytes: file.length });
  });

  test("a PNG named as a PDF", async () => {
    await accepted(await png({ width: 4, height: 4 }), {}, "paper.pdf");
  });
});

describe("refused by content", () => {
  test.for<[string, Uint8Array<ArrayBuffer>, RegExp]>([
    ["an empty file", new Uint8Array(0), /^The file is empty/],
    ["text", files.text("Dear reader, ".repeat(400)), /Unrecognized file format/],
    ["HTML", files.text("<!doctype html><title>x</title>"), /Unrecognized file format/],
    ["SVG", files.text('<svg xmlns="http://www.w3.org/2000/svg"/>'), /Unrecognized file format/],
    [
      "SVG with a prologue",
      files.text('<?xml version="1.0"?><svg/>'),
      /Unrecognized file format|^The file is/,
    ],
    ["PDF", files.text("%PDF-1.7\n%%EOF"), /^The file is application\/pdf/],
    ["HEIC sequence", files.isoMedia("hevc"), /^The file is image\/heic-sequence/],
    ["a lone JPEG marker", new Uint8Array([0xff, 0xd8]), /^Unrecognized/],
  ])("%s", async ([, file, words]) => {
    const sentence = await refusal(file);
    expect(sentence).toMatch(words);
    expect(sentence).toMatch(ACCEPTED);
  });

  test.for<[string, Uint8Array<ArrayBuffer>, RegExp]>([
    [
      "animated WebP",
      files.webp({ width: 4, height: 4, kind: "VP8X", isAnimated: true }),
      /WebP is animated/,
    ],
    [
      "lossless JPEG",
      files.jpeg({ width: 4, height: 4, frame: 0xc3 }),
      /lossless, hierarchical or arithmetic/,
    ],
    ["hierarchical JPEG", files.jpeg({ width: 4, height: 4, frame: 0xc5 }), /lossless, hierarchical or arit/],
    [
      "arithmetic JPEG",
      files.jpeg({ width: 4, height: 4, frame: 0xc9 }),
      /lossless, hierarchical or arithmetic/,
    ],
    ["12-bit JPEG", files.jpeg({ width: 4, height: 4, bits: 12, frame: 0xc1 }), /12 bits per sample/],
    ["MP4 without a header", files.isoMedia("isom"), /has no video track/],
    ["QuickTime without a header", files.isoMedia("qt  "), /has no video track/],
    ["WebM without a header", files.webm(), /cannot be opened: its container is damaged/],
    ["JPEG of no height", files.jpeg({ width: 4, height: 0 }), /declares 4×0 pixels/],
    ["JPEG cut in its header", files.jpeg({ width: 4, height: 4 }).slice(0, 26), /ends before its image/],
    ["JPEG without a frame", files.jpegWithoutFrame(), /no frame header/],
    [
      "damaged JPEG",
      files.text("\u00ff\u00d8\u00ff\u00e0\u0000\u0001garbage of some length"),
      /damaged header/,
    ],
    [
      "damaged WebP",
      files.webp({ width: 4, height: 4, kind: "VP8 ", isDamaged: true }),
      /damaged frame header/,
    ],
    [
      "WebP of another kind",
      files.webp({ width: 4, height: 4, kind: "ALPH" }),
      /does not begin with an image/,
    ],
    ["WebP of no width", files.webp({ width: 0, height: 4, kind: "VP8 " }), /declares 0×4 pixels/],
  ])("%s", async ([, file, words]) => {
    expect(await refusal(file)).toMatch(words);
  });

  test("APNG, near its beginning and far behind it", async () => {
    const still = await png({ width: 4, height: 4 });
    const [head, tail] = [still.slice(0, 33), still.slice(33)];
    const animation = chunk("acTL", new Uint8Array(8));
    expect(await refusal(concat([head, animation, tail]))).toMatch(/^The PNG is animated/);
    const text = chunk("tEXt", new Uint8Array(9_000));
    expect(await refusal(concat([head, text, animation, tail]))).toMatch(/^The PNG is animated/);
  });

  test("PNG without image data, without its header chunk, and cut off", async () => {
    const still = await png({ width: 4, height: 4 });
    const end = chunk("IEND", new Uint8Array(0));
    expect(await refusal(concat([still.slice(0, 33), end]))).toMatch(/holds no image data/);
    expect(await refusal(still.slice(0, 33))).toMatch(/ends before its image begins/);
    expect(
      await refusal(concat([still.slice(0, 8), chunk("gAMA", new Uint8Array(13)), still.slice(33)])),
    ).toMatch(/Unrecognized file format/);
  });
});

function of(width: number, height: number): { width: number; height: number } {
  return { width, height };
}

describe("dimension limits", () => {
  test("a small PNG that declares a huge picture is refused before anything is decoded", async () => {
    const bomb = await png({ width: 8, height: 8, declared: of(50_000, 50_000) });
    expect(await refusal(bomb)).toBe(
      "The image has 50000×50000 pixels (2500.0 megapixels); the limit is 100 megapixels for PNG.",
    );
    expect(await refusal(await png({ ...of(8, 8), declared: of(0xffffffff, 0xffffffff) }))).toMatch(
      /for PNG\.$/,
    );
  });

  test("are 100 megapixels for PNG and baseline JPEG", async () => {
    await accepted(await png({ ...of(8, 8), declared: of(10_000, 10_000) }));
    await accepted(files.jpeg(of(10_000, 10_000)));
    expect(await refusal(await png({ ...of(8, 8), declared: of(10_001, 10_000) }))).toMatch(
      /100 megapixels for PNG/,
    );
    expect(await refusal(files.jpeg(of(10_000, 10_001)))).toMatch(/100 megapixels for JPEG/);
  });

  test("are 16 megapixels for WebP and progressive JPEG", async () => {
    const progressive = { frame: 0xc2 };
    await accepted(files.jpeg({ ...of(4_000, 4_000), ...progressive }));
    await accepted(files.webp({ ...of(4_000, 4_000), kind: "VP8L" }));
    await accepted(files.webp({ ...of(16_000, 1_000), kind: "VP8X" }));
    expect(await refusal(files.jpeg({ ...of(4_001, 4_000), ...progressive }))).toMatch(
      /16 .* progressive JPEG/,
    );
    for (const kind of ["VP8 ", "VP8L", "VP8X"] as const) {
      expect(await refusal(files.webp({ ...of(4_001, 4_000), kind }))).toMatch(/16 megapixels for WebP/);
    }
  });

  test("are configured", async () => {
    const limits = { MAX_IMAGE_MEGAPIXELS: "2", MAX_BUFFERED_IMAGE_MEGAPIXELS: "1" };
    await accepted(files.jpeg(of(2_000, 1_000)), limits);
    expect(await refusal(files.jpeg(of(2_001, 1_000)), limits)).toMatch(/limit is 2 megapixels/);
    expect(await refusal(files.webp({ ...of(1_001, 1_000), kind: "VP8L" }), limits)).toMatch(
      /limit is 1 megapixels/,
    );
  });
});

describe("the size limit", () => {
  test("of one request leads to uploads in parts for a video, and not for a picture", async () => {
    const limits = { MAX_FILE_BYTES: "10" };
    const size = "The file is larger than the limit of 0.00001 MB.";
    const advice = "To send a larger video, upload it in parts with `POST /uploads`.";
    const video = await refusal(files.isoMedia("isom"), limits);
    expect(video).toBe(`${size} ${advice}`);
    expect(await refusal(files.jpeg({ width: 4, height: 4 }), limits)).toBe(size);
  });

  test("is exact", async () => {
    const file = await png({ width: 8, height: 8, paddingBytes: 5_000 });
    await accepted(file, { MAX_FILE_BYTES: String(file.length) });
    expect(await refusal(file, { MAX_FILE_BYTES: String(file.length - 1) })).toBe(
      `The file is larger than the limit of ${(file.length - 1) / 1e6} MB.`,
    );
  });

  test.for([
    ["breaks", "break"],
    ["never comes", "stall"],
  ] as const)("refuses a body that announces too much and then %s", async ([, ending]) => {
    const { apiKey, accountId } = await createAccount();
    const response = await callWith({ MAX_FILE_BYTES: "1000" }, "/media/redact", {
      method: "POST",
      apiKey,
      headers: { "Content-Type": "multipart/form-data; boundary=x", "Content-Length": "20000000" },
      body: streamOf([], ending),
    });
    expect(response.status).toBe(422);
    const { details } = await errorOf(response);
    expect(details).toEqual({
      file: [
        "The file is larger than the limit of 0.001 MB. To send a larger video, upload it in parts with `POST /uploads`.",
      ],
    });
    await expectNothingLeft(accountId);
  });
});
