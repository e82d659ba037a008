/// <reference lib="dom" />
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page, Route } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { ffmpeg } from "../node-support/ffmpeg.ts";
import { filesInZip } from "../support/zip.ts";
import { HAS_CHROMIUM, launchChromium, lookAt, openWatchedPage } from "./chromium.ts";
import { dropFromDisk } from "./file-drags.ts";
import { signUpNewcomer } from "./newcomer.ts";
import { loadCodes, pictureWithCodes, readableCodes } from "./pictures.ts";
import { describe as describeService } from "./running-service.ts";
import { chooseCategories, redactFiles, sentRows } from "./upload-steps.ts";
import { decodeVideo } from "./videos.ts";

const PHOTOS = 30;
const WAIT_MS = 180_000;
const VIDEO = { width: 320, height: 240, frames: 20 };
const OFFLINE_AFTER = 12;
const LIMITED = { error: { code: "rate_limit_exceeded", message: "", details: { limit: 60, reset: 0 } } };

let browser: Browser;
let page: Page;
let folder: string;
const complaints: string[] = [];

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  await loadCodes();
  const service = await describeService(inject("service").directory);
  folder = await mkdtemp(join(tmpdir(), "veil-batch-"));
  await writeFolder(join(folder, "street"));
  browser = await launchChromium();
  page = await openWatchedPage(browser, complaints);
  page.setDefaultTimeout(WAIT_MS);
  const { origin } = new URL(service.baseUrl);
  await signUpNewcomer(page, origin, "batches@example.com");
  await page.goto(`${origin}/dashboard/upload`);
});

afterAll(async () => {
  if (!HAS_CHROMIUM) return;
  await browser.close();
  await rm(folder, { recursive: true, force: true });
});

/** Thirty photos with codes on them, a video, a file that is no photo, and one that only says it is. */
async function writeFolder(top: string): Promise<void> {
  await mkdir(join(top, "second"), { recursive: true });
  const { picture } = await pictureWithCodes();
  for (let index = 1; index <= PHOTOS; index++) {
    const photo = await picture
      .clone()
      .jpeg({ quality: 60 + index })
      .toBuffer();
    await writeFile(join(top, index % 2 === 0 ? "second" : "", `photo-${index}.jpg`), photo);
  }
  const { width, height, frames } = VIDEO;
  const source = `testsrc=s=${width}x${height}:r=10:d=${frames / 10}`;
  const codec = "-c:v libvpx -b:v 1M -g 10 -deadline realtime -cpu-used 8".split(" ");
  const { bytes } = await ffmpeg({}, ["-f", "lavfi", "-i", source, ...codec], "clip.webm");
  await writeFile(join(top, "clip.webm"), bytes);
  await writeFile(join(top, "notes.txt"), "no picture");
  await writeFile(join(top, "said-to-be.jpg"), "no picture");
}

interface Sent {
  readonly key: string;
  readonly filename: string;
  readonly categories: string[];
}

function sentIn(route: Route): Sent {
  const body = route.request().postDataBuffer()?.toString("latin1") ?? "";
  return {
    key: route.request().headers()["idempotency-key"] ?? "",
    filename: /filename="([^"]+)"/.exec(body)?.[1] ?? "",
    categories: [...body.matchAll(/name="categories\[\]"\r\n\r\n(\w+)/g)].map(
      ([, category = ""]) => category,
    ),
  };
}

describe.skipIf(!HAS_CHROMIUM)("a folder of thirty photos and a video", () => {
  const sent: Sent[] = [];

  test("is looked at first: what cannot be sent says why", async () => {
    await dropFromDisk(page, [join(folder, "street")], { x: 40, y: 4 });
    await page.getByRole("button", { name: `Redact ${PHOTOS + 1} files` }).waitFor();
    expect(await page.locator("[data-notes]").textContent()).toContain("street/notes.txt");
    await page.getByText("no photo or video that can be read here", { exact: false }).waitFor();
    await chooseCategories(page, ["QR codes", "Barcodes"]);
    expect(await lookAt(page, "batch-chosen")).toEqual([]);
  });

  test("gets there whole over a limit, a lost answer and a cut connection, each file once", async () => {
    let isAnswerLost = false;
    let isLimitDue = false;
    await page.route("**/dashboard/media", async (route) => {
      if (route.request().method() !== "POST") {
        await route.fallback();
        return;
      }
      sent.push(sentIn(route));
      if (sent.length === OFFLINE_AFTER) {
        await page.context().setOffline(true);
        await route.abort("internetdisconnected");
      } else if (isLimitDue) {
        isLimitDue = false;
        await route.fulfill({ status: 429, headers: { "Retry-After": "2" }, json: LIMITED });
      } else if (!isAnswerLost && sent.length > 2) {
        isAnswerLost = true;
        // The service has it; the page does not know.
        await route.fetch();
        await route.abort("connectionreset");
      } else {
        await route.continue();
      }
    });
    await redactFiles(page);
    // What is chosen from now on holds for other files.
    await page.getByLabel("Heads", { exact: true }).evaluate((box) => {
      if (box instanceof HTMLInputElement) box.click();
    });
    await page.locator("[data-pause-text]", { hasText: "The connection was lost." }).waitFor();
    await expect.poll(() => sent.length, { timeout: WAIT_MS }).toBeGreaterThanOrEqual(OFFLINE_AFTER);
    expect(await lookAt(page, "batch-offline")).toEqual([]);
    isLimitDue = true;
    await page.context().setOffline(false);
    await page.locator("[data-pause-text]", { hasText: "The plan allows 60 requests" }).waitFor();
    await page.locator("[data-figures]", { hasText: `${PHOTOS + 1} of ${PHOTOS + 2} uploaded` }).waitFor();
    for (const { categories } of sent) expect(categories).toEqual(["qr_codes", "barcodes"]);
    const keys = new Map(sent.map(({ filename, key }) => [filename, key]));
    expect(keys.size).toBe(PHOTOS + 1);
    for (const { filename, key } of sent) expect(key).toBe(keys.get(filename));
  });

  test("ends with every file redacted, each with its thumbnail and download", async () => {
    await page.getByRole("button", { name: "Download all as ZIP" }).waitFor();
    const rows = await sentRows(page);
    expect(rows.filter(({ state }) => state === "Done")).toHaveLength(PHOTOS + 1);
    expect(rows.filter(({ state }) => state === "Not sent").map(({ name }) => name)).toEqual([
      "said-to-be.jpg",
    ]);
    await expect
      .poll(
        async () =>
          await page
            .locator("[data-sent] .thumbnail img")
            .evaluateAll(
              (images) => images.filter((image) => (image as HTMLImageElement).naturalWidth > 0).length,
            ),
        { timeout: WAIT_MS },
      )
      .toBe(PHOTOS + 1);
    expect(await lookAt(page, "batch-done")).toEqual([]);
  });

  test("comes back as one ZIP, in which every file can be decoded and no code be read", async () => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download all as ZIP" }).click(),
    ]);
    const files = filesInZip(await readFile(await download.path()));
    expect(files.size).toBe(PHOTOS + 1);
    for (const [name, bytes] of files) {
      if (name.endsWith(".webm")) {
        const { width, height, frames } = VIDEO;
        const decoded = await decodeVideo(Uint8Array.from(bytes), "clip.webm");
        expect(decoded.length).toBe((width * height * 3 * frames) / 2);
      } else {
        expect(await sharp(bytes).metadata()).toMatchObject({ format: "jpeg", width: 960, height: 720 });
        expect(await readableCodes(Buffer.from(bytes))).toBe(0);
      }
    }
  });

  test("is in the list of media, each file once", async () => {
    await page.getByRole("link", { name: "See them in Media" }).click();
    await page.getByText("Page 1").waitFor();
    await page.getByRole("link", { name: "Next" }).click();
    await page.getByText("Page 2").waitFor();
    expect(await page.locator(".rows > li").count()).toBe(PHOTOS + 1 - 25);
    expect(complaints.filter((text) => !/status of 4\d\d|net::ERR_/.test(text))).toEqual([]);
  });
});
