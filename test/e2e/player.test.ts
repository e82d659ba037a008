/// <reference lib="dom" />
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { ffmpeg } from "../node-support/ffmpeg.ts";
import { HAS_CHROMIUM, launchChromium, openPage } from "./chromium.ts";
import { ended, upload } from "./client.ts";
import { describe as describeService } from "./running-service.ts";

const SECONDS = 16;
const WIDTH = 160;
const HEIGHT = 120;
const DARKEST = 40;
const LIGHTER_EACH_SECOND = 10;

/** Encodes seconds of increasing brightness, with noise that makes the file large. */
async function encodeShades(): Promise<Uint8Array<ArrayBuffer>> {
  const shade = `${DARKEST}+${LIGHTER_EACH_SECOND}*floor(T)`;
  const picture = `nullsrc=s=${WIDTH}x${HEIGHT}:r=10:d=${SECONDS},format=yuv420p,geq=lum='${shade}':cb=128:cr=128,noise=alls=24:allf=t`;
  const codec = "-c:v libvpx -b:v 4M -crf 4 -g 20 -deadline realtime -cpu-used 8".split(" ");
  return (await ffmpeg({}, ["-f", "lavfi", "-i", picture, ...codec], "shades.webm")).bytes;
}

/** The second of the clip that a video element shows, by its brightness. */
async function shownSecond(page: Page, selector: string): Promise<number> {
  const luma = await page.locator(selector).evaluate((element) => {
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
  return (luma * (219 / 255) + 16 - DARKEST) / LIGHTER_EACH_SECOND;
}

/** Seeks a player and waits for the frame. Returns the player's time then. */
async function seek(page: Page, selector: string, seconds: number): Promise<number> {
  return await page.locator(selector).evaluate(async (element, target) => {
    const video = element as HTMLVideoElement;
    await new Promise((resolve, reject) => {
      video.addEventListener("seeked", resolve, { once: true });
      video.addEventListener("error", () => reject(new Error(video.error?.message)), { once: true });
      video.currentTime = target;
    });
    return video.currentTime;
  }, seconds);
}

describe.skipIf(!HAS_CHROMIUM)("the player of a video's page", () => {
  let browser: Browser;
  let page: Page;
  const answers: { view: string; status: number; range: string | undefined }[] = [];

  beforeAll(async () => {
    const clip = await encodeShades();
    const media = await ended(await upload(clip, { filename: "shades.webm", categories: ["qr_codes"] }));
    expect(media.status).toBe("completed");
    const { signInUrl } = await describeService(inject("service").directory);
    browser = await launchChromium();
    page = await openPage(browser);
    page.on("response", (response) => {
      const view = /\/(output|source)$/.exec(new URL(response.url()).pathname)?.[1];
      const { range } = response.request().headers();
      if (view !== undefined) answers.push({ view, status: response.status(), range });
    });
    await page.goto(signInUrl);
    await page.goto(new URL(`/dashboard/media/${media.id}`, signInUrl).href);
  });

  afterAll(async () => {
    if (HAS_CHROMIUM) await browser.close();
  });

  test.for(["output", "source"])("seeks in the %s, back and forth", async (view) => {
    const selector = `video[src$="/${view}"]`;
    await page.waitForFunction(
      (wanted) => (document.querySelector<HTMLVideoElement>(wanted)?.readyState ?? 0) >= 2,
      selector,
    );
    const [ranges, until] = await page.locator(selector).evaluate((element) => {
      const { seekable } = element as HTMLVideoElement;
      return [seekable.length, seekable.end(0)] as const;
    });
    expect(ranges).toBe(1);
    expect(until).toBeCloseTo(SECONDS, 0);
    for (const seconds of [12.5, 3.5, SECONDS - 0.5, 0.5]) {
      expect(await seek(page, selector, seconds)).toBeCloseTo(seconds, 1);
      expect(await shownSecond(page, selector)).toBeCloseTo(Math.floor(seconds), 0);
    }
  });

  test("is answered in parts, each of which was asked for", () => {
    for (const view of ["output", "source"]) {
      const ofView = answers.filter((answer) => answer.view === view);
      expect(ofView.length).toBeGreaterThan(0);
      for (const answer of ofView) {
        expect(answer.status).toBe(206);
        expect(answer.range).toMatch(/^bytes=\d+-/);
      }
    }
  });
});
