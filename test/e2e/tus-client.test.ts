/// <reference lib="dom" />
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import sharp, { type OutputInfo } from "sharp";
import type * as tus from "tus-js-client";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { breakableNetwork, type BreakableNetwork } from "./breakable-network.ts";
import { HAS_CHROMIUM, launchChromium, openWatchedPage } from "./chromium.ts";
import { call, ended, type Media } from "./client.ts";
import { CALLING_ORIGIN } from "./running-service.ts";

const CLIENT = createRequire(import.meta.url).resolve("tus-js-client/dist/tus.min.js");
const SIDE_PIXELS = 1100;
const CHUNK_BYTES = 1_500_000;
/** Bytes after which the connection breaks: some way into the second chunk. */
const CUT_BYTES = 2_000_000;

/** The globals of another application's page. */
interface Application {
  readonly tus: typeof tus;
  readonly file: File;
}

let browser: Awaited<ReturnType<typeof launchChromium>>;
let network: BreakableNetwork;
let page: Page;
let pixels: Buffer;
let file: Buffer;
/** The methods of requests to the service, without preflights. */
const asked: string[] = [];
const complaints: string[] = [];

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  // Uncompressed, the file has about three and a half million bytes, and each affects a pixel.
  pixels = Buffer.from(new Uint8Array(SIDE_PIXELS * SIDE_PIXELS * 3).map((_, index) => (index * 7919) % 251));
  const raw = { width: SIDE_PIXELS, height: SIDE_PIXELS, channels: 3 } as const;
  file = await sharp(pixels, { raw }).png({ compressionLevel: 0 }).toBuffer();
  network = await breakableNetwork(new URL(inject("service").baseUrl).origin);
  browser = await launchChromium();
  page = await openWatchedPage(browser, complaints);
  page.on("request", (request) => {
    if (request.url().startsWith(network.origin)) asked.push(request.method());
  });
  await page.route(`${CALLING_ORIGIN}/**`, async (route) => {
    const isFile = route.request().url().endsWith("/file");
    await route.fulfill(
      isFile
        ? { body: file }
        : { contentType: "text/html", body: "<!doctype html><title>Application</title>" },
    );
  });
  await openApplication();
});

afterAll(async () => {
  if (!HAS_CHROMIUM) return;
  await browser.close();
  await network.close();
});

/** Opens or reopens the application, so that only data in the browser's storage remains. */
async function openApplication(): Promise<void> {
  await page.goto(`${CALLING_ORIGIN}/`);
  await page.addScriptTag({ path: CLIENT });
  await page.evaluate(async () => {
    const bytes = await (await fetch("/file")).arrayBuffer();
    const chosen = new File([bytes], "street.png", { type: "image/png", lastModified: 1 });
    Object.assign(globalThis, { file: chosen });
  });
}

/** The requests that the browser blocked. Broken connections do not count. */
function refusedByPolicy(): string[] {
  return complaints.filter((complaint) => /policy|unsafe/i.test(complaint));
}

function optionsOfUpload(): { endpoint: string; chunkSize: number; headers: Record<string, string> } {
  return {
    endpoint: `${network.origin}/api/v1/uploads`,
    chunkSize: CHUNK_BYTES,
    headers: { Authorization: `Bearer ${inject("service").apiKey}` },
  };
}

describe.skipIf(!HAS_CHROMIUM)("tus-js-client in a page of another origin", () => {
  test("goes on after the connection broke and the page was closed; what arrives is the file", async () => {
    network.cutAfter(CUT_BYTES);
    const sentBytes = await page.evaluate(async (options) => {
      const { tus: client, file: chosen } = globalThis as unknown as Application;
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      let accepted = 0;
      const upload = new client.Upload(chosen, {
        ...options,
        retryDelays: [],
        metadata: { filename: chosen.name, filetype: chosen.type },
        onChunkComplete: (_, bytes) => (accepted = bytes),
        onError: () => resolve(accepted),
        onSuccess: () => reject(new Error("Nothing was cut.")),
      });
      upload.start();
      return await promise;
    }, optionsOfUpload());
    expect(sentBytes).toBe(CHUNK_BYTES);
    expect(asked).toEqual(["POST", "PATCH", "PATCH"]);
    network.mend();
    asked.length = 0;

    await openApplication();
    const resumed = await page.evaluate(async (options) => {
      const { tus: client, file: chosen } = globalThis as unknown as Application;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      let firstBytes: number | undefined;
      const upload = new client.Upload(chosen, {
        ...options,
        onProgress: (bytes) => (firstBytes ??= bytes),
        onError: reject,
        onSuccess: () => resolve(),
      });
      const previous = await upload.findPreviousUploads();
      for (const found of previous) upload.resumeFromPreviousUpload(found);
      upload.start();
      await promise;
      return { previous: previous.length, firstBytes, url: upload.url };
    }, optionsOfUpload());
    expect(resumed.previous).toBe(1);
    expect(resumed.firstBytes).toBeGreaterThanOrEqual(CHUNK_BYTES);
    expect(asked[0]).toBe("HEAD");
    expect(asked).not.toContain("POST");
    const { data, info } = await redactedPixels(resumed.url?.split("/").at(-1) ?? "");
    expect([info.width, info.height]).toEqual([SIDE_PIXELS, SIDE_PIXELS]);
    expect(data.equals(pixels)).toBe(true);
    expect(refusedByPolicy()).toEqual([]);
  });

  test("ends an upload, of which nothing is left", async () => {
    const url = await page.evaluate(async (options) => {
      const { tus: client, file: chosen } = globalThis as unknown as Application;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const upload = new client.Upload(chosen, {
        ...options,
        storeFingerprintForResuming: false,
        onChunkComplete: () => {
          upload.abort(true).then(() => resolve(), reject);
        },
        onError: reject,
      });
      upload.start();
      await promise;
      return upload.url;
    }, optionsOfUpload());
    const left = await fetch(url ?? "", { method: "HEAD", headers: { "Tus-Resumable": "1.0.0" } });
    expect(left.status).toBe(404);
    expect(refusedByPolicy()).toEqual([]);
  });
});

/** Processes an upload without hiding anything, and reads the pixels of the output. */
async function redactedPixels(uploadId: string): Promise<{ data: Buffer; info: OutputInfo }> {
  const response = await call("/media/redact", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ upload_id: uploadId, categories: ["qr_codes"], min_confidence: 1 }),
  });
  expect(response.status).toBe(201);
  const media = await ended((await response.json()) as Media);
  expect(media.status).toBe("completed");
  const redacted = await (await call(`/media/${media.id}/download`)).arrayBuffer();
  return await sharp(redacted).removeAlpha().raw().toBuffer({ resolveWithObject: true });
}
