import sharp from "sharp";
import { beforeAll, expect, inject, test } from "vitest";
import { call, ended, redact, upload } from "./client.ts";
import { expectNoTracesOfCamera, withTraces } from "./leaks.ts";
import {
  largestDifferenceOutside,
  loadCodes,
  pictureWithCodes,
  readableCodes,
  readableCodesUnderAlpha,
  withTransparency,
} from "./pictures.ts";

/** Codes are masked with their quiet zone and the margin of their category. */
const MARGIN_PIXELS = 90;

beforeAll(loadCodes);

test.for([
  { format: "jpeg", contentType: "image/jpeg", method: "blur" },
  { format: "jpeg", contentType: "image/jpeg", method: "pixelation" },
  { format: "png", contentType: "image/png", method: "blur" },
  { format: "png", contentType: "image/png", method: "pixelation" },
  { format: "webp", contentType: "image/webp", method: "blur" },
] as const)(
  "codes disappear from a $format by $method and the rest stays",
  async ({ format, contentType, method }) => {
    const { picture, qr, bars } = await pictureWithCodes();
    const source = await picture.toFormat(format, { quality: 90 }).toBuffer();
    expect(await readableCodes(source)).toBe(2);

    const output = await redact(new Uint8Array(source), {
      filename: `codes.${format}`,
      categories: ["qr_codes", "barcodes"],
      method,
    });

    expect(output.contentType).toBe(contentType);
    expect((await sharp(output.bytes).metadata()).format).toBe(format);
    expect(await readableCodes(output.bytes)).toBe(0);
    const difference = await largestDifferenceOutside(source, output.bytes, [qr, bars], MARGIN_PIXELS);
    // JPEG and PNG keep every pixel outside. WebP is encoded again.
    expect(difference).toBeLessThanOrEqual(format === "webp" ? 24 : 0);
  },
);

test.for([
  { name: "under alpha 0 in a PNG", format: "png", alpha: 0 },
  { name: "under alpha 8 in a WebP", format: "webp", alpha: 8 },
  { name: "drawn in the alpha of a PNG", format: "png", alpha: "drawn" },
] as const)("codes $name are found and disappear", async ({ format, alpha }) => {
  const { picture } = await pictureWithCodes();
  const transparent = await withTransparency(picture, alpha);
  const options = format === "webp" ? { lossless: true, exact: true } : {};
  const source = await transparent.toFormat(format, options).toBuffer();
  expect(await readableCodesUnderAlpha(source)).toBe(2);
  const categories = ["qr_codes", "barcodes"];
  const output = await redact(new Uint8Array(source), { filename: `hidden.${format}`, categories });
  expect(await readableCodesUnderAlpha(output.bytes)).toBe(0);
});

test("orientation stays, and everything else that a camera writes is gone", async () => {
  const { picture } = await pictureWithCodes();
  const source = await withTraces(picture).withMetadata({ orientation: 6 }).jpeg().toBuffer();
  const output = await redact(new Uint8Array(source), { filename: "turned.jpg", categories: ["qr_codes"] });
  const metadata = await sharp(output.bytes).metadata();
  expect(metadata.orientation).toBe(6);
  expect([metadata.width, metadata.height]).toEqual([960, 720]);
  expectNoTracesOfCamera(output.bytes);
});

test("a file that opens but cannot be decoded ends as failed and is never handed back", async () => {
  const { picture } = await pictureWithCodes();
  const source = await picture.webp().toBuffer();
  const cut = new Uint8Array(source.subarray(0, 200));
  const media = await ended(await upload(cut, { filename: "cut.webp", categories: ["heads"] }));
  expect(media.status).toBe("failed");
  expect((await call(`/media/${media.id}/download`)).status).toBe(404);
});

test("the reference page and the document need no key and name no other host", async () => {
  const origin = new URL(inject("service").baseUrl).origin;
  const page = await (await fetch(`${origin}/docs`)).text();
  expect(page).toContain("Upload a file to redact");
  const hosts = [...page.matchAll(/(?:src|href)="(?:https?:)?\/\/([^/"]+)/g)].map((match) => match[1]);
  expect(hosts).toEqual([]);
  expect(await (await fetch(`${origin}/openapi/v1.json`)).json()).toMatchObject({ openapi: "3.1.0" });
});
