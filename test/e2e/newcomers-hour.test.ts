/// <reference lib="dom" />
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page, Route } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { ffmpeg } from "../node-support/ffmpeg.ts";
import { filesInZip } from "../support/zip.ts";
import { admin } from "./admin.ts";
import { breakableNetwork, type BreakableNetwork } from "./breakable-network.ts";
import { HAS_CHROMIUM, launchChromium, lookAt, openWatchedPage } from "./chromium.ts";
import { call, type Access } from "./client.ts";
import { dropFromDisk } from "./file-drags.ts";
import { signUpNewcomer } from "./newcomer.ts";
import { loadCodes, pictureWithCodes, readableCodes } from "./pictures.ts";
import { describe as describeService } from "./running-service.ts";
import { chooseCategories, redactFiles, sentRows } from "./upload-steps.ts";
import { decodeVideo } from "./videos.ts";

const EMAIL = "hour@example.com";
const PHOTOS = 30;
const PHOTO = { width: 640, height: 480 };
const VIDEO = { width: 320, height: 240, frames: 20 };
/** Large enough that the page sends the video in parts. */
const VIDEO_BYTES = 26_000_000;
/** How much of the video is transferred before its connection stalls. */
const STALL_BYTES = 0.6 * VIDEO_BYTES;
const LIMITED = { error: { code: "rate_limit_exceeded", message: "", details: { limit: 60, reset: 0 } } };
const LIMITED_SECONDS = 2;
/** The page may act this much earlier than the test records the answer. */
const CLOCK_MS = 200;

let browser: Browser;
let page: Page;
let folder: string;
let baseUrl: string;
let network: BreakableNetwork;
const complaints: string[] = [];

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  await loadCodes();
  const service = await describeService(inject("service").directory);
  baseUrl = service.baseUrl;
  network = await breakableNetwork(new URL(baseUrl).origin);
  folder = await mkdtemp(join(tmpdir(), "veil-hour-"));
  await writeFolder(join(folder, "street"));
  browser = await launchChromium();
  page = await openWatchedPage(browser, complaints);
  // Simulates a page over plain HTTP.
  await page.addInitScript(() => Reflect.deleteProperty(Crypto.prototype, "randomUUID"));
});

afterAll(async () => {
  if (!HAS_CHROMIUM) return;
  await browser.close();
  await network.close();
  await rm(folder, { recursive: true, force: true });
});

/** Writes thirty photos with codes, a video, a file that is not a photo, and one that only claims to be. */
async function writeFolder(top: string): Promise<void> {
  await mkdir(join(top, "second"), { recursive: true });
  const { picture } = await pictureWithCodes();
  const small = sharp(await picture.resize(PHOTO.width, PHOTO.height).png().toBuffer());
  for (let index = 1; index <= PHOTOS; index++) {
    const photo = await small
      .clone()
      .jpeg({ quality: 60 + index })
      .toBuffer();
    await writeFile(join(top, index % 2 === 0 ? "second" : "", `photo-${index}.jpg`), photo);
  }
  await writeFile(join(top, "clip.mp4"), await largeVideo());
  await writeFile(join(top, "notes.txt"), "no picture");
  await writeFile(join(top, "said-to-be.jpg"), "no picture");
}

/** Two seconds of video in a large file, which ends with free space (ISO/IEC 14496-12, 8.1.2). */
async function largeVideo(): Promise<Buffer> {
  const { width, height, frames } = VIDEO;
  const source = `testsrc=s=${width}x${height}:r=10:d=${frames / 10}`;
  const codec = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 10".split(" ");
  const { bytes } = await ffmpeg({}, ["-f", "lavfi", "-i", source, ...codec], "clip.mp4");
  const free = Buffer.alloc(VIDEO_BYTES - bytes.length);
  free.writeUInt32BE(free.length);
  free.write("free", 4, "latin1");
  return Buffer.concat([bytes, free]);
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
    filename: /filename="([^"]+)"|name="filename"\r\n\r\n([^\r]+)/.exec(body)?.slice(1).join("") ?? "",
    categories: [...body.matchAll(/name="categories\[\]"\r\n\r\n(\w+)/g)].map(
      ([, category = ""]) => category,
    ),
  };
}

/** Makes a page record why it pauses, because on a busy machine a pause can be over before the test sees it. */
async function notePauses(uploads: Page): Promise<void> {
  await uploads.evaluate(() => {
    const pauses: string[] = [];
    Object.assign(window, { pauses });
    const box = document.querySelector<HTMLElement>("[data-pause]");
    if (box === null) throw new Error("The page has nothing that says why it pauses.");
    const note = (): void => {
      if (!box.hidden) pauses.push(box.textContent ?? "");
    };
    new MutationObserver(note).observe(box, { attributes: true, childList: true, subtree: true });
  });
}

async function untilPausedFor(uploads: Page, why: string): Promise<void> {
  await uploads.waitForFunction(
    (text) => (window as unknown as { pauses: string[] }).pauses.some((pause) => pause.includes(text)),
    why,
  );
}

/** Waits until the service has stored a part of a resumable upload. An upload that is cut before starts over. */
async function untilKept(uploads: Page, address: string): Promise<void> {
  const keptBytes = async (): Promise<number> =>
    await uploads.evaluate(async (url) => {
      const answer = await fetch(url, { method: "HEAD", headers: { "Tus-Resumable": "1.0.0" } });
      return Number(answer.headers.get("Upload-Offset"));
    }, address);
  await expect.poll(keptBytes).toBeGreaterThan(0);
}

/** The redacted file of a media item from the API. */
async function downloaded(access: Access, mediaId: string): Promise<Buffer> {
  const answer = await call(`/media/${mediaId}/download`, {}, access);
  if (answer.status !== 200) throw new Error(`The download was answered ${answer.status}.`);
  return Buffer.from(await answer.arrayBuffer());
}

describe.skipIf(!HAS_CHROMIUM)("a newcomer's hour", () => {
  const sent: Sent[] = [];
  /** Where each request with bytes of the video began. */
  const offsets: number[] = [];
  let zip: Map<string, Uint8Array>;

  test("begins with a user, a team and a folder: what cannot be sent says why", async () => {
    const { origin } = network;
    await signUpNewcomer(page, origin, EMAIL);
    await page.goto(`${origin}/dashboard/upload`);
    await page.locator("form.upload:not([hidden])").waitFor();
    await dropFromDisk(page, [join(folder, "street")], { x: 40, y: 4 });
    await page.getByRole("button", { name: `Redact ${PHOTOS + 1} files` }).waitFor();
    expect(await page.locator("[data-notes]").textContent()).toContain("street/notes.txt");
    await page.getByText("not a photo or video that can be read here", { exact: false }).waitFor();
    await chooseCategories(page, ["QR codes", "Barcodes"]);
  });

  test("gets there whole over a cut connection, a lost answer and a limit: each file once, the video from where it was", async () => {
    network.stallAfter(STALL_BYTES);
    let isAnswerLost = false;
    let limited: Sent | undefined;
    let waitedMs = 0;
    let isLimitDue = false;
    let videoUrl = "";
    let limitedAtMs = 0;
    page.on("request", (request) => {
      if (request.method() !== "PATCH") return;
      offsets.push(Number(request.headers()["upload-offset"]));
      videoUrl = request.url();
    });
    await page.route("**/dashboard/media", async (route) => {
      if (route.request().method() !== "POST") {
        await route.fallback();
        return;
      }
      const order = sentIn(route);
      sent.push(order);
      if (order.filename === limited?.filename) waitedMs = performance.now() - limitedAtMs;
      if (!isAnswerLost && sent.length > 2) {
        isAnswerLost = true;
        // The service receives the file, but the page does not get the answer.
        await route.fetch();
        await route.abort("connectionreset");
      } else if (isLimitDue) {
        isLimitDue = false;
        limited = order;
        limitedAtMs = performance.now();
        await route.fulfill({
          status: 429,
          headers: { "Retry-After": String(LIMITED_SECONDS) },
          json: LIMITED,
        });
      } else {
        await route.continue();
      }
    });
    await redactFiles(page);
    // Later changes to the settings apply only to other files.
    await page.getByLabel("Heads", { exact: true }).evaluate((box) => {
      if (box instanceof HTMLInputElement) box.click();
    });
    // By then, a part of the video is being sent.
    await page
      .locator("[data-sent] li", { hasText: "clip.mp4" })
      .getByText(/^[4-9]\d%/)
      .waitFor();
    await untilKept(page, videoUrl);
    await notePauses(page);
    network.cut();
    await untilPausedFor(page, "The connection was lost.");
    expect(await lookAt(page, "hour-offline")).toEqual([]);
    // At least the video's progress must still be requested.
    isLimitDue = true;
    network.mend();
    await untilPausedFor(page, "The plan allows 60 requests");
    await page.locator("[data-figures]", { hasText: `${PHOTOS + 1} of ${PHOTOS + 2} uploaded` }).waitFor();
    expect(waitedMs).toBeGreaterThan(LIMITED_SECONDS * 1000 - CLOCK_MS);
    expect(offsets[0]).toBe(0);
    expect(offsets.at(-1)).toBeGreaterThan(0);
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
      )
      .toBe(PHOTOS + 1);
    expect(await lookAt(page, "hour-done")).toEqual([]);
  });

  test("comes back as one ZIP, in which every file can be decoded and no code be read", async () => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download all as ZIP" }).click(),
    ]);
    zip = filesInZip(await readFile(await download.path()));
    // The files and the manifest.
    expect(zip.size).toBe(PHOTOS + 2);
    expect(zip.delete("manifest.csv")).toBe(true);
    for (const [name, bytes] of zip) {
      if (name.endsWith(".mp4")) {
        const { width, height, frames } = VIDEO;
        const decoded = await decodeVideo(Uint8Array.from(bytes), "clip.mp4");
        expect(decoded.length).toBe((width * height * 3 * frames) / 2);
      } else {
        expect(await sharp(bytes).metadata()).toMatchObject({ format: "jpeg", ...PHOTO });
        expect(await readableCodes(Buffer.from(bytes))).toBe(0);
      }
    }
  });

  test("and the API hands out the very same files to a key of the newcomer's own", async () => {
    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByLabel("Name").fill("First program");
    await page.getByRole("button", { name: "Create key" }).click();
    const apiKey = await page.getByLabel("Key “First program”").inputValue();
    const accounts = await admin<{ accountId: string; name: string }[]>("account", "list");
    const accountId = accounts.find(({ name }) => name === EMAIL)?.accountId ?? "";
    // The plan Free allows fewer requests a minute than this takes.
    await admin("account", "set-plan", "--account", accountId, "--plan", "Pro");
    const answer = await call("/media?per_page=100", {}, { baseUrl, apiKey });
    const { data } = (await answer.json()) as { data: { id: string; filename: string }[] };
    expect(data).toHaveLength(PHOTOS + 1);
    for (const { id, filename } of data) {
      const redacted = filename.replace(/(\.\w+)$/, ".redacted$1");
      // The files keep their folders.
      const bytes = [...zip].find(([name]) => name.split("/").at(-1) === redacted)?.[1];
      const isSame = (await downloaded({ baseUrl, apiKey }, id)).equals(bytes ?? new Uint8Array());
      expect({ filename, isSame }).toEqual({ filename, isSame: true });
    }
    expect(complaints.filter((text) => !/status of 4\d\d|net::ERR_/.test(text))).toEqual([]);
  });
});
