/// <reference lib="dom" />
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { HAS_CHROMIUM, launchChromium, lookAt, openWatchedPage } from "./chromium.ts";
import { downloaded, drag, shownFrame } from "./editor-page.ts";
import { FILM, TALKS, filmWithGap, loudness } from "./film-with-gap.ts";
import { signUpNewcomer } from "./newcomer.ts";
import { loadCodes } from "./pictures.ts";
import { describe as describeService } from "./running-service.ts";
import { chooseCategories, chooseFiles, redactFiles } from "./upload-steps.ts";

const SCREEN = { width: 1280, height: 1400 };
/** The frame of the last sighting before the gap. */
const LAST_SEEN = new Set([17, 18, 19]);
/** The range that is drawn by hand, in seconds, and how exactly a pointer draws it. */
const DRAWN = { from: 3.5, until: 4.5 };
const DRAWN_DECIMALS = 1;
/** Opus is decoded with a delay, and its frames overlap. */
const CODEC_SECONDS = 0.15;
const SILENT = 0.001;
const FINDING = "QR codes: position computed, not seen";

let browser: Browser;
let page: Page;
let origin: string;
let mediaUrl: string;
let revisionUrl: string;
const complaints: string[] = [];

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  await loadCodes();
  ({ origin } = new URL((await describeService(inject("service").directory)).baseUrl));
  browser = await launchChromium();
  page = await openWatchedPage(browser, complaints, { viewport: SCREEN });
  await signUpNewcomer(page, origin, "findings@example.com");
});

afterAll(async () => {
  if (HAS_CHROMIUM) await browser.close();
});

async function openEditor(): Promise<void> {
  await page.goto(`${mediaUrl}/edit`);
  await page.locator("[data-editor][data-ready]").waitFor();
}

/** The mean height of the waveform between two times, as a share of its canvas. */
async function waveBetween({ from, until }: { from: number; until: number }): Promise<number> {
  return await page.locator("canvas.wave").evaluate(
    (element, [first, last]) => {
      const canvas = element as HTMLCanvasElement;
      const [left, right] = [first, last].map((seconds) => Math.round((canvas.width * seconds) / 8));
      const width = (right ?? 0) - (left ?? 0);
      const pixels = canvas.getContext("2d")?.getImageData(left ?? 0, 0, width, canvas.height).data ?? [];
      return [...pixels].filter((value, at) => at % 4 === 3 && value > 0).length / (width * canvas.height);
    },
    [from, until] as const,
  );
}

describe.skipIf(!HAS_CHROMIUM)("a film in which a code is out of sight for a second", () => {
  test("has a finding that sends it to review, by a rule of its team", async () => {
    await page.goto(`${origin}/dashboard/team`);
    const reading = page.getByRole("region", { name: "Second reading" });
    await reading.getByLabel("Videos").check();
    await reading.getByRole("button", { name: "Save" }).click();
    await page.goto(`${origin}/dashboard/review`);
    await page.locator("summary", { hasText: "Rules" }).click();
    await page.getByLabel("Also every file in which the second reading has verification findings").check();
    await page.getByRole("button", { name: "Save rules" }).click();
    await page.goto(`${origin}/dashboard/upload`);
    await chooseFiles(page, [{ name: FILM, mimeType: "video/webm", buffer: await filmWithGap() }]);
    await chooseCategories(page, ["QR codes"]);
    await page.locator("[data-more] summary").click();
    await page.getByLabel("Mute speech in videos").check();
    await redactFiles(page);
    await page.locator("[data-sent] .status.completed").waitFor();
    await page.goto(`${origin}/dashboard/review`);
    await page.getByText("The second reading has a finding").waitFor();
    await page.getByRole("link", { name: FILM }).first().click();
    await page.waitForURL(/\/dashboard\/review\/[0-9a-f-]{36}$/);
    mediaUrl = page.url().replace("/review/", "/media/");
  });

  test("shows the finding in its review when it is chosen", async () => {
    const film = page.locator("form:not([hidden]) figure:not(.original) video");
    await page.getByRole("button", { name: FINDING }).click();
    await expect
      .poll(async () => await film.evaluate((element) => (element as HTMLVideoElement).currentTime))
      .toBeCloseTo(1.8, 0);
  });

  test("marks the finding on the timeline, and the mark leads to its first frame", async () => {
    await page.goto(mediaUrl);
    await page.getByRole("link", { name: FINDING }).click();
    await page.locator("[data-editor][data-ready]").waitFor();
    await expect.poll(async () => LAST_SEEN.has(await shownFrame(page))).toBe(true);
    const found = await shownFrame(page);
    const button = page.locator(".findings").getByRole("button", { name: FINDING });
    expect(await button.getAttribute("aria-pressed")).toBe("true");
    await page.locator("[data-scrub]").press("Home");
    await expect.poll(async () => await shownFrame(page)).toBe(0);
    const mark = page.locator(".finding-times button");
    const [spot, ruler] = [await mark.boundingBox(), await page.locator("canvas.ruler").boundingBox()];
    if (spot === null || ruler === null) throw new Error("It is not on the screen.");
    expect(((spot.x - ruler.x) / ruler.width) * 80).toBeCloseTo(found, 0);
    // It covers no time of the ruler.
    expect(spot.y + spot.height).toBeLessThanOrEqual(ruler.y);
    await mark.click();
    await expect.poll(async () => await shownFrame(page)).toBe(found);
    await expect(page.locator(".finding-marks rect").isVisible()).resolves.toBe(true);
  });

  test("draws the sound, with speech higher than the hum around it", async () => {
    await openEditor();
    await expect.poll(async () => await waveBetween(TALKS[0])).toBeGreaterThan(0.1);
    expect(await waveBetween(TALKS[1])).toBeGreaterThan(0.1);
    expect(await waveBetween({ from: 3.2, until: 4.4 })).toBeLessThan(0.08);
  });

  test("lets some speech be heard and a drawn range be muted, in the picture of the sound", async () => {
    const speech = page.locator(".muted-range");
    expect(await speech.count()).toBe(2);
    await speech.first().getByRole("button", { includeHidden: true }).click();
    await page.keyboard.press("Space");
    await expect.poll(async () => await page.locator(".muted-range.on").count()).toBe(1);
    await page.getByRole("button", { name: "Mute a part" }).click();
    const sound = await page.locator("canvas.wave").boundingBox();
    if (sound === null) throw new Error("It is not on the screen.");
    const at = (seconds: number) => ({ x: sound.x + (sound.width * seconds) / 8, y: sound.y + 10 });
    await drag(page, at(DRAWN.from), at(DRAWN.until));
    await expect.poll(async () => await speech.count()).toBe(3);
    expect(await page.getByRole("button", { name: "Mute a part" }).getAttribute("aria-pressed")).toBe(
      "false",
    );
    expect(await lookAt(page, "video-editor-sound")).toEqual([]);
    await page.setViewportSize(SCREEN);
    const sent = page.waitForRequest("**/revisions");
    // The page navigates as soon as it has the answer, and the browser then discards the body.
    await page.route("**/revisions", async (route) => {
      const response = await route.fetch();
      const { id } = (await response.json()) as { id: string };
      revisionUrl = `${origin}/dashboard/media/${id}`;
      await route.fulfill({ response });
    });
    await page.getByRole("button", { name: /^Apply/ }).click();
    const { mute_ranges: ranges } = (await sent).postDataJSON() as {
      mute_ranges: { start_seconds: number; end_seconds: number }[];
    };
    await page.waitForURL("**/dashboard/review*");
    expect(ranges).toHaveLength(2);
    expect(ranges[0]?.start_seconds).toBeCloseTo(DRAWN.from, DRAWN_DECIMALS);
    expect(ranges[0]?.end_seconds).toBeCloseTo(DRAWN.until, DRAWN_DECIMALS);
  });

  test("is silent there and in the other speech, and nowhere else", async () => {
    await page.goto(revisionUrl);
    await page.locator('video[src$="/output"]').waitFor();
    const film = await downloaded(page);
    const middleOf = async ({ from, until }: { from: number; until: number }) =>
      await loudness(film, from + CODEC_SECONDS, until - CODEC_SECONDS);
    expect(await middleOf(DRAWN)).toBeLessThan(SILENT);
    expect(await middleOf(TALKS[1])).toBeLessThan(SILENT);
    expect(await middleOf(TALKS[0])).toBeGreaterThan(0.1);
    expect(await middleOf({ from: 7, until: 8 })).toBeGreaterThan(SILENT * 5);
    expect(complaints).toEqual([]);
  });
});
