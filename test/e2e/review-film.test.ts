/// <reference lib="dom" />
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { ffmpeg } from "../node-support/ffmpeg.ts";
import { HAS_CHROMIUM, launchChromium, lookAt, openWatchedPage } from "./chromium.ts";
import { call, ended, type Access, type Media } from "./client.ts";
import { loadCodes, pictureWithCodes } from "./pictures.ts";
import { watchAndApprove } from "./review-steps.ts";
import { describe as describeService } from "./running-service.ts";

const CODEC = "-loop 1 -t 3 -r 10 -i still.png -vf scale=640:-2 -c:v libvpx -b:v 2M -pix_fmt yuv420p".split(
  " ",
);

let browser: Browser;
let page: Page;
let origin: string;
let access: Access;
let file: File;
let filmId: string;
const complaints: string[] = [];

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  await loadCodes();
  const service = await describeService(inject("service").directory);
  access = service;
  origin = new URL(service.baseUrl).origin;
  browser = await launchChromium();
  page = await openWatchedPage(browser, complaints, { viewport: { width: 1280, height: 900 } });
  await page.goto(service.signInUrl);
  const still = new Uint8Array(await (await pictureWithCodes()).picture.png().toBuffer());
  const { bytes } = await ffmpeg({ "still.png": still }, CODEC, "film.webm");
  file = new File([bytes], "film.webm");
});

afterAll(async () => {
  if (HAS_CHROMIUM) await browser.close();
});

/** Uploads the video, by default for review before redaction, and waits until it can be reviewed. */
async function uploadFilm({ isDetectOnly = true } = {}): Promise<string> {
  const form = new FormData();
  form.append("file", file);
  form.append("categories", `["qr_codes"]`);
  if (isDetectOnly) form.append("detect_only", "true");
  const media = (await (await call("/media/redact", { method: "POST", body: form }, access)).json()) as Media;
  expect(await ended(media, access)).toMatchObject({ status: "completed" });
  return media.id;
}

/** The states of the shown video's players: the result first, then the original. */
async function playersOf(on: Page): Promise<{ seconds: number; isPaused: boolean; isMuted: boolean }[]> {
  return await on.evaluate(() =>
    ["figure:not(.original) video", ".original video"].map((selector) => {
      const player = document.querySelector<HTMLVideoElement>(`form:not([hidden]) ${selector}`);
      if (player === null) throw new Error("It is not shown.");
      return { seconds: player.currentTime, isPaused: player.paused, isMuted: player.muted };
    }),
  );
}

/** Waits until both players are paused at the same time, and returns it. */
async function standing(on: Page): Promise<number> {
  await expect
    .poll(async () => {
      const [result, original] = await playersOf(on);
      return result?.isPaused === true && original?.isPaused === true && original.seconds === result.seconds;
    })
    .toBe(true);
  return (await playersOf(on))[0]?.seconds ?? Number.NaN;
}

describe.skipIf(!HAS_CHROMIUM)("the review of a film", () => {
  test("draws what will be hidden over the original, with a timeline that leads there", async () => {
    filmId = await uploadFilm();
    await page.goto(`${origin}/dashboard/review/${filmId}`);
    await page.locator(".time-row:not([hidden])", { hasText: "QR codes" }).waitFor();
    await expect.poll(async () => await page.locator("[data-masks] > *").count()).toBe(1);
    const mask = await page.locator("[data-masks] > *").boundingBox();
    const film = await page.locator("form:not([hidden]) .review-film video").boundingBox();
    // The code fills a large part of the left half of the picture.
    expect((mask?.width ?? 0) / (film?.width ?? 1)).toBeGreaterThan(0.1);
    expect((mask?.x ?? 0) + (mask?.width ?? 0) / 2).toBeLessThan((film?.x ?? 0) + (film?.width ?? 0) / 2);
    await page.getByRole("button", { name: /^0:00\.\d to/ }).click();
    expect(await lookAt(page, "review-film")).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  test("says what nobody has seen, as long as that is so, and approves it by another button", async () => {
    await page.goto(`${origin}/dashboard/review/${filmId}`);
    await page.locator(".time-row:not([hidden])").waitFor();
    let approvals = 0;
    await page.route("**/approve", async (route) => {
      approvals++;
      await route.continue();
    });
    await page.waitForTimeout(800);
    const approve = page.getByRole("button", { name: "Approve and redact" });
    await approve.dblclick({ delay: 120 });
    await page.getByText("You have not played this video.").waitFor();
    await page.getByRole("button", { name: /^0:00\.\d to/ }).click();
    await page.locator("form:not([hidden]) .review-film video").evaluate((film) => {
      (film as HTMLVideoElement).currentTime = 1;
    });
    await page.waitForTimeout(800);
    await approve.click();
    await page.getByText("You have not seen the mask at 0:00 in full.").waitFor();
    // Slow enough that the video cannot end during the test, even on a busy machine.
    const film = page.locator("form:not([hidden]) .review-film video");
    await film.evaluate((element) => {
      (element as HTMLVideoElement).playbackRate = 0.1;
    });
    await page.getByRole("button", { name: "Play what is unseen" }).click();
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    expect(await film.evaluate((element) => (element as HTMLVideoElement).currentTime)).toBeLessThan(1);
    await page.waitForTimeout(800);
    await page.keyboard.press("a");
    await page.keyboard.press("a");
    expect(approvals).toBe(0);
    await expect(page.getByRole("link", { name: "Edit" }).count()).resolves.toBe(1);
    expect(await page.locator("#review-photo-keys").isVisible()).toBe(false);
    await page.waitForTimeout(800);
    await page.getByRole("button", { name: "Approve unseen" }).click();
    await expect.poll(() => approvals).toBe(1);
    await page.unrouteAll({ behavior: "wait" });
  });

  test("asks nothing of whoever has seen every mask", async () => {
    // The page of the previous test may still be navigating to the end of the queue.
    const other = await page.context().newPage();
    await other.goto(`${origin}/dashboard/review/${await uploadFilm()}`);
    await other.locator(".time-row:not([hidden])").waitFor();
    await other.waitForTimeout(800);
    await other.getByRole("button", { name: "Approve and redact" }).click();
    await other.getByText("You have not played this video.").waitFor();
    await other.locator("form:not([hidden]) .review-film video").evaluate(async (film) => {
      await (film as HTMLVideoElement).play();
    });
    await other.getByText("You have seen every mask.").waitFor();
    expect(await other.getByRole("button", { name: "Approve unseen" }).isVisible()).toBe(false);
    await watchAndApprove(other);
    await other.close();
  });
});

describe.skipIf(!HAS_CHROMIUM)("the review of a film with a result", () => {
  test("plays the original in step with it, by one set of controls", async () => {
    const id = await uploadFilm({ isDetectOnly: false });
    await page.goto(`${origin}/dashboard/media/${id}`);
    await page.locator('.original video[src$="/source"]').waitFor();
    await page.locator("summary", { hasText: "More" }).click();
    await page.getByRole("button", { name: "Send to review" }).click();
    await page.goto(`${origin}/dashboard/review/${id}`);
    await expect.poll(async () => await page.locator("form video:not([controls])").count()).toBe(2);
    expect((await playersOf(page)).map(({ isMuted }) => isMuted)).toEqual([false, true]);
    const play = page.getByRole("button", { name: "Play", exact: true });
    await play.click();
    await expect.poll(async () => (await playersOf(page))[0]?.seconds).toBeGreaterThan(0.8);
    const [result, original] = await playersOf(page);
    expect(original?.isPaused).toBe(false);
    expect(Math.abs((result?.seconds ?? 0) - (original?.seconds ?? 0))).toBeLessThan(0.5);
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    expect(await standing(page)).toBeGreaterThan(0.8);
    await page.getByRole("slider", { name: "Position in the video" }).press("Home");
    await expect.poll(async () => (await playersOf(page))[0]?.seconds).toBeLessThan(0.1);
    const first = await standing(page);
    expect(first).toBeLessThan(0.1);
    // A step counts from the frame that is shown, which a busy machine shows later than the player says. After a seek, both are the same.
    await page.getByRole("button", { name: "One frame forward" }).click();
    await expect.poll(async () => (await playersOf(page))[0]?.seconds).toBeGreaterThan(first);
    expect((await standing(page)) - first).toBeLessThan(0.25);
    await page.getByLabel("Show the original").uncheck();
    await page.locator(".original video").waitFor({ state: "hidden" });
    await page.getByLabel("Show the original").check();
  });

  test("has one above the other on a phone", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const original = await page.locator(".original video").boundingBox();
    const result = await page.locator("figure:not(.original) video").boundingBox();
    expect((original?.y ?? 0) + (original?.height ?? 0)).toBeLessThan(result?.y ?? 0);
    // The decision buttons are visible at any scroll position.
    await page.evaluate(() => {
      window.scrollTo(0, 0);
    });
    const approve = await page.getByRole("button", { name: "Approve", exact: true }).boundingBox();
    expect((approve?.y ?? Infinity) + (approve?.height ?? 0)).toBeLessThanOrEqual(844);
    expect(await lookAt(page, "review-film-compared")).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  test("keeps a note, which is written with the keys that decide otherwise, and then takes the approval", async () => {
    const address = page.url();
    const note = page.locator("form:not([hidden])").getByLabel("Note", { exact: true });
    await page.waitForTimeout(800);
    await note.pressSequentially("a jacket, u see");
    await page.locator("form:not([hidden])").getByRole("button", { name: "Add note" }).click();
    await page.getByText("The note is kept. The file is still in the queue.").waitFor();
    // The note shows its author and time at once.
    expect(await page.locator("form:not([hidden]) .notes li small").textContent()).toMatch(/\S+.*, .*\d{4}/);
    expect([page.url(), await note.inputValue()]).toEqual([address, ""]);
    await note.fill("Approved all the same.");
    await watchAndApprove(page);
    await page.waitForURL(/notice=review_end/);
    await page.goto(address.replace("/review/", "/media/"));
    await page.getByText("a jacket, u see").waitFor();
    await page.getByText("Approved all the same.").waitFor();
    expect(complaints).toEqual([]);
  });
});
