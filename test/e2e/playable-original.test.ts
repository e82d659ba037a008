/// <reference lib="dom" />
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { ffmpeg } from "../node-support/ffmpeg.ts";
import { HAS_CHROMIUM, launchChromium, lookAt, openWatchedPage } from "./chromium.ts";
import { ended, upload } from "./client.ts";
import { shownFrame, stepTo } from "./editor-page.ts";
import { writeHevc } from "../video/formats/hevc-writer.ts";
import { describe as describeService } from "./running-service.ts";
import { packetsOf } from "./videos.ts";

const SECONDS = 4;
const FRAMES_PER_SECOND = 10;
const DARKEST = 40;
const LIGHTER_EACH_SECOND = 40;
/** The engine's files and the conversion on a busy machine. */
const COPY_WAIT_MS = 600_000;

let browser: Browser;
let page: Page;
let signInUrl: string;
let editUrl: string;
const complaints: string[] = [];
/** Requests for the engine's files, by address. */
const engineRequests: string[] = [];

/** Encodes seconds of increasing brightness as MPEG-4 part 2 in AVI, which no browser plays, with a tone. */
async function encodeShades(): Promise<Uint8Array<ArrayBuffer>> {
  const shade = `${DARKEST}+${LIGHTER_EACH_SECOND}*floor(T)`;
  const picture = `nullsrc=s=320x240:r=${FRAMES_PER_SECOND}:d=${SECONDS},format=yuv420p,geq=lum='${shade}':cb=128:cr=128`;
  const codec = "-c:v mpeg4 -bf 0 -q:v 3 -c:a pcm_s16le".split(" ");
  const inputs = ["-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", `sine=duration=${SECONDS}`];
  return (await ffmpeg({}, [...inputs, ...codec], "shades.avi")).bytes;
}

/** Frames of H.265, each lighter than the one before, and the place where their rate varies. */
const HEVC = { width: 64, height: 64, frames: 30, lighterEachFrame: 5, pauseBefore: 15, pauseSeconds: 0.5 };

/**
 * Encodes H.265 in Matroska, which this browser does not play. The file begins at 5 s with its sound, and the picture follows 0.4 s
 * later. One frame is shown for longer than the others.
 */
async function encodeLateHevc(): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height, frames, lighterEachFrame, pauseBefore, pauseSeconds } = HEVC;
  const raw = Array.from({ length: frames }, (_, index) => {
    const luma = new Uint8Array(width * height).fill(DARKEST + index * lighterEachFrame);
    return Buffer.concat([luma, new Uint8Array((width * height) / 2).fill(128)]);
  });
  const pieces = writeHevc(Buffer.concat(raw), { width, height, bits: 8 });
  const tone = ["-f", "lavfi", "-i", `sine=duration=${frames / FRAMES_PER_SECOND}`];
  const picture = ["-f", "hevc", "-r", String(FRAMES_PER_SECOND), "-i", "pieces"];
  // In milliseconds, the ticks of Matroska.
  const pause = `setts=ts=TS+400+gte(N\\,${pauseBefore})*${pauseSeconds * 1000}`;
  const codecs = ["-map", "1", "-map", "0", "-c:v", "copy", "-bsf:v", pause, "-c:a", "aac"];
  const args = [...tone, ...picture, ...codecs, "-output_ts_offset", "5"];
  const { bytes } = await ffmpeg({ pieces }, args, "late.mkv");
  const ticks = (await packetsOf(bytes, "late.mkv")).streams[0]?.presentationTicks ?? [];
  expect([ticks[0], ticks[pauseBefore - 1], ticks[pauseBefore]]).toEqual([5400, 6800, 7400]);
  return bytes;
}

/** The brightness of what the editor shows, as the file stores it. */
async function shownLuma(): Promise<number> {
  const luma = await page.locator(".screen video").evaluate((element) => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [32, 24];
    const context = canvas.getContext("2d");
    if (context === null) throw new Error("There is nothing to draw on.");
    context.drawImage(element as HTMLVideoElement, 0, 0, canvas.width, canvas.height);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    return (
      data.filter((_, index) => index % 4 !== 3).reduce((sum, value) => sum + value, 0) / (data.length * 0.75)
    );
  });
  // The screen shows full range; the file stores limited range.
  return luma * (219 / 255) + 16;
}

/** The second of the clip that the editor shows, by its brightness. */
async function shownSecond(): Promise<number> {
  return ((await shownLuma()) - DARKEST) / LIGHTER_EACH_SECOND;
}

/** The frame of {@link HEVC} that the editor shows, by its brightness. */
async function shownIndex(): Promise<number> {
  return Math.round(((await shownLuma()) - DARKEST) / HEVC.lighterEachFrame);
}

async function editorOf(clip: Uint8Array<ArrayBuffer>, filename: string): Promise<string> {
  const media = await ended(await upload(clip, { filename, categories: ["qr_codes"] }));
  expect(media.status).toBe("completed");
  return new URL(`/dashboard/media/${media.id}/edit`, signInUrl).href;
}

function makeButton(): Locator {
  return page.getByRole("button", { name: /^Make it playable on this device \(downloads \d+ MB once\)$/ });
}

async function openEditor(url: string = editUrl): Promise<void> {
  await page.goto(url);
  await page.locator("[data-editor][data-ready]").waitFor();
  await makeButton().waitFor();
}

async function copyPlays(): Promise<void> {
  await page
    .getByText("This is a copy of the original, made on this device in lower quality.")
    .waitFor({ timeout: COPY_WAIT_MS });
}

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  ({ signInUrl } = await describeService(inject("service").directory));
  editUrl = await editorOf(await encodeShades(), "shades.avi");
  browser = await launchChromium();
  page = await openWatchedPage(browser, complaints, { viewport: { width: 1280, height: 1400 } });
  page.on("request", (request) => {
    if (request.url().includes("/assets/engine/")) engineRequests.push(request.url());
  });
  await page.goto(signInUrl);
});

afterAll(async () => {
  if (HAS_CHROMIUM) await browser.close();
});

describe.skipIf(!HAS_CHROMIUM)("an original that the browser cannot play", () => {
  test("is offered to be made playable, and nothing is downloaded for that before", async () => {
    await openEditor();
    expect(await page.getByText(/^This browser cannot play the original/).count()).toBe(1);
    expect(await lookAt(page, "video-editor-unplayable")).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 1400 });
    expect(engineRequests).toEqual([]);
  });

  test("can be left as it is after all: Cancel brings the button back, with the focus", async () => {
    await page.route("**/assets/engine/*.wasm.gz.*", async () => await new Promise(() => undefined));
    await makeButton().focus();
    await page.keyboard.press("Enter");
    await page.getByText("Downloading the converter …").waitFor();
    expect(await page.getByRole("button", { name: "Cancel" }).evaluate(isFocused)).toBe(true);
    await page.keyboard.press("Enter");
    await page.getByText("Canceled.").waitFor();
    expect(await makeButton().evaluate(isFocused)).toBe(true);
    await page.unroute("**/assets/engine/*.wasm.gz.*");
  });

  test("is played as a copy whose times are the original's, and masks that were set before stay", async () => {
    const stage = page.locator("svg.stage");
    await stage.focus();
    // Frames are counted as if there were 30 a second, because none has been seen.
    await stepTo(page, 36);
    await page.keyboard.press("b");
    const label = await page.locator(".track-bar.selected").getAttribute("aria-label");
    await makeButton().focus();
    await page.keyboard.press("Enter");
    await copyPlays();
    expect(await makeButton().isVisible()).toBe(false);
    const source = await page
      .locator(".screen video")
      .evaluate((video) => (video as HTMLVideoElement).currentSrc);
    expect(source).toMatch(/^blob:/);
    expect(await page.locator(".track-bar.selected").getAttribute("aria-label")).toBe(label);
    // The page shows the same time.
    await expect.poll(async () => await shownFrame(page)).toBe(12);
    await expect.poll(shownSecond).toBeCloseTo(1, 0);
    await stage.focus();
    for (const [frame, second] of [
      [32, 3],
      [29, 2],
      [8, 0],
    ] as const) {
      await stepTo(page, frame);
      await expect.poll(shownSecond).toBeCloseTo(second, 0);
    }
    await expect
      .poll(
        async () =>
          await page.locator(".screen video").evaluate((video) => (video as HTMLVideoElement).currentTime),
      )
      .toBeCloseTo(8 / FRAMES_PER_SECOND, 1);
    expect(engineRequests.length).toBeGreaterThanOrEqual(5);
    expect(await lookAt(page, "video-editor-copy")).toEqual([]);
  });

  test("shows every frame at its time, also where it begins late and its frame rate varies", async () => {
    await openEditor(await editorOf(await encodeLateHevc(), "late.mkv"));
    await makeButton().click();
    await copyPlays();
    await page.locator("svg.stage").focus();
    const pauseFrames = HEVC.pauseSeconds * FRAMES_PER_SECOND;
    for (const index of [0, 1, HEVC.pauseBefore - 1, HEVC.pauseBefore + 1, HEVC.frames - 2, 3]) {
      // The editor counts as if all frames were shown for as long as most of them.
      await stepTo(page, index < HEVC.pauseBefore ? index : index + pauseFrames);
      await expect.poll(shownIndex).toBe(index);
    }
  });

  test("stays as it is where it cannot be converted, and the page says so", async () => {
    await page.route(/\/source$/, async (route) => {
      await route.fulfill({ status: 200, contentType: "video/x-msvideo", body: "no film ".repeat(999) });
    });
    await openEditor();
    await makeButton().click();
    await page
      .getByText("This original cannot be made playable on this device.")
      .waitFor({ timeout: COPY_WAIT_MS });
    expect(await makeButton().isVisible()).toBe(true);
    await page.unroute(/\/source$/);
  });

  test("does all of that without one complaint of the pages' policy or scripts", () => {
    expect(complaints).toEqual([]);
  });
});

function isFocused(element: Element): boolean {
  return element === document.activeElement;
}
