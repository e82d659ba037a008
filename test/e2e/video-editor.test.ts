/// <reference lib="dom" />
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { Script } from "../video/compose/clip.ts";
import { composeFrame } from "../video/compose/compose.ts";
import { leakScripts } from "../video/compose/scripts.ts";
import { qrSymbol } from "../video-node/support/qr-codes.ts";
import { HAS_CHROMIUM, launchChromium, lookAt, openWatchedPage } from "./chromium.ts";
import { call, ended, upload, type Media } from "./client.ts";
import { downloaded, drag, onScreen, shownFrame, stepTo, type Place } from "./editor-page.ts";
import { hold } from "./file-drags.ts";
import { describe as describeService } from "./running-service.ts";
import { decodeVideo, encodeScript, judgeOutput, packetsOf } from "./videos.ts";

const FRAMES_PER_SECOND = 30;
const H264 = ["-c:v", "libx264", "-preset", "veryfast", "-crf", "22", "-g", "30", "-c:a", "aac"];
const FILENAME = "shaken.mp4";
/** The time range in which the code was left visible. */
const OPEN_SECONDS = [0.8, 1.6] as const;
/** More than the code moves by camera shake, in pixels. */
const SHAKE_PX = 16;

let browser: Browser;
let page: Page;
let signInUrl: string;
let script: Script;
let source: Uint8Array<ArrayBuffer>;
/** The frames of the source, decoded. */
let before: Uint8Array;
/** The page of the media item to correct. */
let mediaUrl: string;
const complaints: string[] = [];

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  const texts = ["HTTPS://EXAMPLE.ORG/7F3A", "HTTPS://EXAMPLE.ORG/90B1", "HTTPS://EXAMPLE.ORG/C24E"];
  const found = leakScripts(await Promise.all(texts.map(qrSymbol))).find(({ name }) => name === "handheld");
  if (found === undefined) throw new Error("There is no such script.");
  script = found;
  source = await encodeScript(script, FRAMES_PER_SECOND, H264, FILENAME);
  before = await decodeVideo(source, FILENAME);
  const service = await describeService(inject("service").directory);
  signInUrl = service.signInUrl;
  const missed = await leftOpen(
    await ended(await upload(source, { filename: FILENAME, categories: ["qr_codes"] })),
  );
  mediaUrl = new URL(`/dashboard/media/${missed.id}`, signInUrl).href;
  browser = await launchChromium();
  page = await openWatchedPage(browser, complaints, { viewport: { width: 1280, height: 1400 } });
  await page.goto(signInUrl);
});

afterAll(async () => {
  if (HAS_CHROMIUM) await browser.close();
});

/** A revision that hides the code at the beginning and at the end, but not in between. */
async function leftOpen(media: Media): Promise<Media> {
  expect(media.status).toBe("completed");
  const around = { x: 0.25, y: 0.1, width: 0.5, height: 0.8 };
  const [from, until] = OPEN_SECONDS;
  const regions = [
    { box: around, end_seconds: from },
    { box: around, start_seconds: until },
  ];
  const answer = await call(`/media/${media.id}/revisions`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ redact: "none", regions }),
  });
  if (answer.status !== 201)
    throw new Error(`The revision answered ${answer.status}: ${await answer.text()}`);
  return await ended((await answer.json()) as Media);
}

async function openEditor(on: Page): Promise<Locator> {
  await on.goto(mediaUrl);
  await on.getByRole("link", { name: "Edit" }).click();
  await on.locator("[data-editor][data-ready]").waitFor();
  const stage = on.locator("svg.stage");
  await expect.poll(async () => await on.locator(".track-bar").count()).toBeGreaterThanOrEqual(2);
  return stage;
}

/** The position of the code in a frame, in pixels of the picture, with a margin. */
function codeAt(seconds: number): { left: number; top: number; right: number; bottom: number } {
  const { polygons } = composeFrame(script, Math.round(seconds * FRAMES_PER_SECOND));
  const corners = polygons.flat();
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return {
    left: Math.min(...xs) - SHAKE_PX,
    top: Math.min(...ys) - SHAKE_PX,
    right: Math.max(...xs) + SHAKE_PX,
    bottom: Math.max(...ys) + SHAKE_PX,
  };
}

async function boxOf(element: Locator): Promise<Place & { width: number; height: number }> {
  const box = await element.boundingBox();
  if (box === null) throw new Error("It is not on the screen.");
  return box;
}

async function barLabels(on: Page): Promise<string[]> {
  return await on
    .locator(".track-bar")
    .evaluateAll((bars) => bars.map((bar) => bar.getAttribute("aria-label") ?? ""));
}

/** The output of the page's media item, once it is available. */
async function outputOf(on: Page): Promise<Uint8Array> {
  await on.waitForURL((url) => /\/dashboard\/media\/[0-9a-f-]{36}$/.test(url.href) && url.href !== mediaUrl);
  await on.getByText("Completed").waitFor();
  await on.locator('video[src$="/output"]').waitFor();
  await on.locator('video[src$="/source"]').waitFor();
  // A video without a known duration cannot seek.
  await on.waitForFunction(() =>
    [...document.querySelectorAll("video")].every(({ readyState }) => readyState > 0),
  );
  // The original follows the result.
  await on.locator('video[src$="/output"]').evaluate((video) => {
    (video as HTMLVideoElement).currentTime = 1.2;
  });
  await expect
    .poll(
      async () =>
        await on
          .locator('video[src$="/source"]')
          .evaluate((video) => (video as HTMLVideoElement).currentTime),
    )
    .toBeCloseTo(1.2, 1);
  return await downloaded(on);
}

/** Expects that the code is hidden in every frame, that nothing else is, and that times and sound are unchanged. */
async function expectHidden(output: Uint8Array): Promise<void> {
  const verdict = await judgeOutput(script, before, await decodeVideo(output, FILENAME));
  expect(verdict.framesDecoded).toBe(script.timestampsSeconds.length);
  expect(verdict.readableFrames).toEqual([]);
  expect(verdict.bareFrames).toEqual([]);
  expect(verdict.psnrOutside).toBeGreaterThan(36);
  const [from, to] = [await packetsOf(source, FILENAME), await packetsOf(output, FILENAME)];
  expect(to.streams[0]?.presentationTicks).toEqual(from.streams[0]?.presentationTicks);
}

describe.skipIf(!HAS_CHROMIUM)("a video with a code missed in the middle", () => {
  test("shows it, frame by frame, until it is corrected", async () => {
    await page.goto(mediaUrl);
    const bytes = await page.evaluate(async (url) => {
      const answer = await fetch(`${url}/output`);
      return [...new Uint8Array(await answer.arrayBuffer())];
    }, mediaUrl);
    const verdict = await judgeOutput(script, before, await decodeVideo(Buffer.from(bytes), FILENAME));
    const [from, until] = OPEN_SECONDS.map((seconds) => seconds * FRAMES_PER_SECOND);
    expect(verdict.readableFrames.length).toBeGreaterThan(10);
    for (const frame of verdict.readableFrames) {
      expect(frame).toBeGreaterThan(from ?? 0);
      expect(frame).toBeLessThan(until ?? 0);
    }
  });

  test("is corrected with the mouse, by a static mask whose ends are dragged on the timeline", async () => {
    const stage = await openEditor(page);
    expect(await lookAt(page, "video-editor")).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 1400 });
    await stage.focus();
    await stepTo(page, 36);
    const { left, top, right, bottom } = codeAt(1.2);
    await page.getByLabel("Fixed mask").check();
    await drag(page, await onScreen(stage, left, top), await onScreen(stage, right, bottom));
    for (const [side, seconds] of [["start", 0.7] as const, ["end", 1.7] as const]) {
      const bar = await boxOf(page.locator(".track-bar.selected"));
      const edge = await boxOf(page.locator(`.edge[data-edge="${side}"]`));
      const [from, until] = side === "start" ? [0, 2.5] : [0.7, 2.5];
      const y = edge.y + edge.height / 2;
      const to = bar.x + (bar.width * (seconds - from)) / (until - from);
      await drag(page, { x: edge.x + edge.width / 2, y }, { x: to, y });
    }
    await expect
      .poll(async () => await barLabels(page))
      .toContainEqual(expect.stringMatching(/^Mask 1, 0:00.(67|70|73) to 0:01.(67|70|73)/));
    await page.getByRole("button", { name: "Apply" }).click();
    await expectHidden(await outputOf(page));
  });

  test("is corrected with the mouse, by a mask that follows the code back and forth", async () => {
    const stage = await openEditor(page);
    await page.setViewportSize({ width: 1280, height: 1400 });
    await stage.focus();
    await stepTo(page, 36);
    const { left, top, right, bottom } = codeAt(1.2);
    await page.getByLabel("Following mask").check();
    await drag(page, await onScreen(stage, left, top), await onScreen(stage, right, bottom));
    await page.getByText(/^Followed for/).waitFor();
    expect(await lookAt(page, "video-editor-followed")).toEqual([]);
    await page.getByRole("button", { name: "Apply" }).click();
    await expectHidden(await outputOf(page));
  });

  test("is corrected by keyboard alone, by a static mask from one frame to another", async () => {
    const stage = await openEditor(page);
    await stage.focus();
    await stepTo(page, 12);
    // No step is lost, however late the frames arrive.
    for (let steps = 0; steps < 10; steps++) await page.keyboard.press(".");
    await expect.poll(async () => await shownFrame(page)).toBe(22);
    await page.keyboard.press("b");
    for (let presses = 0; presses < 9; presses++) await page.keyboard.press("]");
    await page.keyboard.press("i");
    await stepTo(page, 50);
    await page.keyboard.press("o");
    await expect
      .poll(async () => await barLabels(page))
      .toContainEqual(expect.stringMatching(/^Mask 1, 0:00.73 to 0:01.67/));
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+Shift+Z");
    for (let tabs = 0; tabs < 120; tabs++) {
      if (await page.evaluate(() => (document.activeElement as HTMLElement).dataset["apply"] !== undefined))
        break;
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    await expectHidden(await outputOf(page));
  });

  test("is corrected with a finger, which leads the mask while the video plays slowly", async () => {
    const phone = await openWatchedPage(browser, complaints, {
      hasTouch: true,
      viewport: { width: 360, height: 740 },
    });
    await phone.goto(signInUrl);
    const stage = await openEditor(phone);
    await phone.locator("[data-scrub]").focus();
    await stepTo(phone, 22);
    const code = codeAt(22 / FRAMES_PER_SECOND);
    const middle = { x: (code.left + code.right) / 2, y: (code.top + code.bottom) / 2 };
    await phone.getByLabel("Guided mask", { exact: true }).check();
    await phone.getByLabel("Size of guided masks").fill("0.34");
    await stage.scrollIntoViewIfNeeded();
    await hold(phone, await onScreen(stage, middle.x, middle.y), async () => {
      await expect.poll(async () => await shownFrame(phone)).toBeGreaterThan(50);
    });
    // It ends in the frame that is shown when the finger is lifted, or in the one before.
    const shown = await shownFrame(phone);
    const ends = [shown - 1, shown].map((frame) => (frame / FRAMES_PER_SECOND).toFixed(2).padStart(5, "0"));
    expect(await barLabels(phone)).toContainEqual(
      expect.stringMatching(new RegExp(`^Mask 1, 0:00.73 to 0:(${ends.join("|")})`)),
    );
    await phone.getByRole("button", { name: "Apply" }).tap();
    await expectHidden(await outputOf(phone));
    await phone.context().close();
  });

  test("does all of that without one complaint of the pages' policy or scripts", () => {
    expect(complaints).toEqual([]);
  });
});
