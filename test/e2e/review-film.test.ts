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

/** Uploads the film to be reviewed before it is redacted, and waits until it can be. */
async function uploadFilm(): Promise<string> {
  const form = new FormData();
  form.append("file", file);
  form.append("categories", `["qr_codes"]`);
  form.append("detect_only", "true");
  const media = (await (await call("/media/redact", { method: "POST", body: form }, access)).json()) as Media;
  expect(await ended(media, access)).toMatchObject({ status: "completed" });
  return media.id;
}

describe.skipIf(!HAS_CHROMIUM)("the review of a film", () => {
  test("draws what will be hidden over the original, with a timeline that leads there", async () => {
    filmId = await uploadFilm();
    await page.goto(`${origin}/dashboard/review/${filmId}`);
    await page.locator(".time-row:not([hidden])", { hasText: "QR codes" }).waitFor();
    await expect.poll(async () => await page.locator("[data-masks] > *").count()).toBe(1);
    const mask = await page.locator("[data-masks] > *").boundingBox();
    const film = await page.locator(".review-film video").boundingBox();
    // The code fills a good part of the picture, on its left.
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
    await page.locator(".review-film video").evaluate((film) => {
      (film as HTMLVideoElement).currentTime = 1;
    });
    await page.waitForTimeout(800);
    await approve.click();
    await page.getByText("You have not seen the mask at 0:00 in full.").waitFor();
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
    // The page of the test before may still be leaving for the end of the queue.
    const other = await page.context().newPage();
    await other.goto(`${origin}/dashboard/review/${await uploadFilm()}`);
    await other.locator(".time-row:not([hidden])").waitFor();
    await watchAndApprove(other);
    expect(complaints).toEqual([]);
  });
});
