/// <reference lib="dom" />
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { lookAtHeads, type LookedAt } from "./bare-heads.ts";
import { HAS_CHROMIUM, launchChromium, lookAt, openWatchedPage } from "./chromium.ts";
import { downloaded, drag, onScreen, stepTo } from "./editor-page.ts";
import { signUpNewcomer } from "./newcomer.ts";
import { describe as describeService } from "./running-service.ts";
import { redactOne } from "./upload-steps.ts";
import { decodeVideo } from "./videos.ts";
import { WALK, encodeWalk, headAt } from "./walker.ts";

/** The frames in which the person hides what was missed, slightly longer than the gap. */
const FIRST_FRAME = 32;
const LAST_FRAME = 95;
/** The margin around the head that the person draws, in pixels. */
const ROOM_PX = 14;
/** The frames in which only the person's mask hides the head. */
const OWN_FRAMES = [40, 82] as const;
/** How far the person's mask may extend past the head, in pixels, at its corners. A mask with an uncertain position extends farther. */
const OWN_REACH_PX = 60;
const UNSURE_REACH_PX = 130;
/** Share of a head's squares that may look like the source by chance. */
const MOST_BARE = 0.1;
const LEAST_PSNR = 36;

let browser: Browser;
let page: Page;
let source: Uint8Array<ArrayBuffer>;
/** The frames of the source, decoded. */
let before: Uint8Array;
let mediaUrl: string;
const complaints: string[] = [];

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  source = await encodeWalk();
  before = await decodeVideo(source, WALK.filename);
  const { signInUrl } = await describeService(inject("service").directory);
  browser = await launchChromium();
  page = await openWatchedPage(browser, complaints, { viewport: { width: 1280, height: 1400 } });
  await signUpNewcomer(page, new URL(signInUrl).origin, "walker@example.com");
});

afterAll(async () => {
  if (HAS_CHROMIUM) await browser.close();
});

/** Compares the result on the page with the source, frame by frame. */
async function lookAtResult(): Promise<LookedAt[]> {
  await page.locator('video[src$="/output"]').waitFor();
  return lookAtHeads(before, await decodeVideo(await downloaded(page), WALK.filename), reachPx);
}

function reachPx(frame: number): number {
  const [first, last] = OWN_FRAMES;
  return frame >= first && frame <= last ? OWN_REACH_PX : UNSURE_REACH_PX;
}

function bareFrames(frames: readonly LookedAt[]): number[] {
  return [...frames.entries()].filter(([, { bareShare }]) => bareShare > MOST_BARE).map(([frame]) => frame);
}

/** Expects that only masks are drawn at first. Candidates have boxes and lanes only on request. */
async function expectMasksAlone(): Promise<void> {
  const bars = page.locator(".track-bar");
  await expect.poll(async () => await bars.count()).toBeGreaterThanOrEqual(2);
  await expect(
    page.locator(".track-bar:not(.hidden-thing), .stage .thing:not(.hidden-thing)").count(),
  ).resolves.toBe(0);
  const few = await bars.count();
  const all = page.getByLabel(/^Show \d+ unlikely candidates$/);
  await all.check();
  await expect.poll(async () => await bars.count()).toBeGreaterThan(few);
  await all.uncheck();
  await expect.poll(async () => await bars.count()).toBe(few);
}

describe.skipIf(!HAS_CHROMIUM)("a video with a face that is missed in the middle, behind a fence", () => {
  test("is uploaded by a newcomer, and shows the face there and nowhere else", async () => {
    await page.goto(new URL("/dashboard/upload", page.url()).href);
    const file = { name: WALK.filename, mimeType: "video/mp4", buffer: Buffer.from(source) };
    await redactOne(page, file, ["Heads", "License plates"]);
    await page.waitForURL(/\/dashboard\/media\/[0-9a-f-]{36}$/);
    mediaUrl = page.url();
    const frames = await lookAtResult();
    const bare = bareFrames(frames);
    expect(bare.length).toBeGreaterThan(20);
    expect(Math.min(...bare)).toBeGreaterThan(FIRST_FRAME);
    expect(Math.max(...bare)).toBeLessThan(LAST_FRAME);
    expect(frames.filter(({ psnrElsewhere }) => psnrElsewhere < LEAST_PSNR)).toEqual([]);
  });

  test("is corrected with two keyframes of a mask, and then hides the face in every frame and nothing else", async () => {
    await page.getByRole("link", { name: "Edit" }).click();
    await page.locator("[data-editor][data-ready]").waitFor();
    await expectMasksAlone();
    const stage = page.locator("svg.stage");
    await stage.focus();
    await stepTo(page, FIRST_FRAME);
    const [first, last] = [headAt(FIRST_FRAME), headAt(LAST_FRAME)];
    const [across, down] = [first.radiusX + ROOM_PX, first.radiusY + ROOM_PX];
    await page.getByLabel("Fixed mask").check();
    await drag(
      page,
      await onScreen(stage, first.x - across, first.y - down),
      await onScreen(stage, first.x + across, first.y + down),
    );
    await page.getByRole("button", { name: "Start here" }).click();
    await stepTo(page, LAST_FRAME);
    await page.getByRole("button", { name: "Set position", exact: true }).click();
    await drag(page, await onScreen(stage, first.x, first.y), await onScreen(stage, last.x, last.y));
    await page.getByRole("button", { name: "End here" }).click();
    expect(await lookAt(page, "video-editor-face")).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 1400 });

    await page.getByRole("button", { name: "Apply" }).click();
    await page.waitForURL(
      (url) => /\/dashboard\/media\/[0-9a-f-]{36}$/.test(url.href) && url.href !== mediaUrl,
    );
    const frames = await lookAtResult();
    expect(bareFrames(frames)).toEqual([]);
    expect(frames.filter(({ psnrElsewhere }) => psnrElsewhere < LEAST_PSNR)).toEqual([]);
  });

  test("does all of that without one complaint of the pages' policy or scripts", () => {
    expect(complaints).toEqual([]);
  });
});
