/// <reference lib="dom" />
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { HAS_CHROMIUM, launchChromium, lookAt, openWatchedPage } from "./chromium.ts";
import { swipe } from "./file-drags.ts";
import { signUpNewcomer } from "./newcomer.ts";
import { loadCodes, pictureWithCodes } from "./pictures.ts";
import { describe as describeService } from "./running-service.ts";
import { chooseCategories, chooseFiles, redactFiles } from "./upload-steps.ts";

let browser: Browser;
let page: Page;
let origin: string;
let signInUrl: string;
let inferencePid: number;
let codes: Buffer;
const complaints: string[] = [];

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  await loadCodes();
  const service = await describeService(inject("service").directory);
  origin = new URL(service.baseUrl).origin;
  signInUrl = service.signInUrl;
  inferencePid = service.pids[1] ?? Number.NaN;
  codes = await (await pictureWithCodes()).picture.jpeg({ quality: 90 }).toBuffer();
  browser = await launchChromium();
  page = await openWatchedPage(browser, complaints);
  await page.goto(signInUrl);
});

afterEach(async () => {
  if (HAS_CHROMIUM) await page.unrouteAll({ behavior: "ignoreErrors" });
});

afterAll(async () => {
  if (HAS_CHROMIUM) await browser.close();
});

/** Stops the inference service during `work`, so that uploads stay in processing. */
async function withoutInference(work: () => Promise<void>): Promise<void> {
  process.kill(-inferencePid, "SIGSTOP");
  try {
    await work();
  } finally {
    process.kill(-inferencePid, "SIGCONT");
  }
}

describe.skipIf(!HAS_CHROMIUM)("the result of a photo", () => {
  let mediaUrl: string;

  test("comes with its download while the page is open", async () => {
    await page.goto(`${origin}/dashboard/upload`);
    await withoutInference(async () => {
      await chooseFiles(page, [{ name: "codes.jpg", mimeType: "image/jpeg", buffer: codes }]);
      await chooseCategories(page, ["QR codes", "Barcodes"]);
      await redactFiles(page);
      await page.locator("[data-sent]").getByRole("link", { name: "codes.jpg" }).click();
      await page.getByText("This page updates when the result is ready.").waitFor();
      expect(await page.getByRole("link", { name: "Download" }).count()).toBe(0);
      await page.evaluate(() => Object.assign(window, { isSamePage: true }));
      mediaUrl = page.url();
      // The page must continue to update after a request that is never answered.
      await page.route(mediaUrl, () => undefined, { times: 1 });
    });
    await page.getByRole("img", { name: "Redacted picture" }).waitFor();
    await page.getByRole("link", { name: "Download" }).waitFor();
    expect(await page.evaluate(() => "isSamePage" in window)).toBe(true);
    await page
      .getByText(/Deleted automatically on/)
      .first()
      .waitFor();
  });

  test("says under the pointer what a box is", async () => {
    await page.goto(mediaUrl);
    await page.locator(".sliding").waitFor();
    await page.getByLabel(/^QR codes/).check();
    await page.getByLabel(/^Barcodes/).check();
    // The original is above the result.
    const titles = await page.locator(".before .boxes g").evaluateAll((groups) =>
      groups.map((group) => {
        const { left, top, width, height } = group.getBoundingClientRect();
        window.scrollTo(0, window.scrollY + top - 200);
        const area = group.getBoundingClientRect();
        const under = document.elementFromPoint(left + width / 2, area.top + height / 2);
        return under?.closest("g")?.querySelector("title")?.textContent ?? under?.tagName;
      }),
    );
    expect(titles.length).toBeGreaterThanOrEqual(2);
    for (const title of titles) expect(title).toMatch(/^(QR codes|Barcodes) \d+, \d+%$/);
  });

  test("is compared with the original by a finger, which can still scroll", async () => {
    const phone = await openWatchedPage(browser, complaints, {
      hasTouch: true,
      viewport: { width: 360, height: 560 },
    });
    await phone.goto(signInUrl);
    await phone.goto(mediaUrl);
    await phone.locator(".sliding").waitFor();
    const views = phone.locator(".views");
    await views.scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await views.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const share = async (): Promise<number> =>
      Number.parseFloat(
        await views.evaluate((element) => getComputedStyle(element).getPropertyValue("--share")),
      );
    const middle = y + height / 2;
    await swipe(phone, { x: x + width * 0.2, y: middle }, { x: x + width * 0.9, y: middle });
    await expect.poll(share).toBeGreaterThan(85);
    const before = await phone.evaluate(() => window.scrollY);
    await swipe(phone, { x: x + width * 0.2, y: middle }, { x: x + width * 0.2, y: middle - 150 });
    await expect.poll(async () => await phone.evaluate(() => window.scrollY)).toBeGreaterThan(before + 50);
    expect(await share()).toBeGreaterThan(85);
    await phone.context().close();
  });
});

describe.skipIf(!HAS_CHROMIUM)("a newcomer who uploads", () => {
  test("follows each file on the overview, and still follows files in work after leaving and returning", async () => {
    const newcomer = await openWatchedPage(browser, complaints);
    await signUpNewcomer(newcomer, origin, `${crypto.randomUUID()}@example.com`);
    const buffer = await sharp({ create: { width: 64, height: 48, channels: 3, background: "#7fa7b5" } })
      .png()
      .toBuffer();
    await withoutInference(async () => {
      await chooseFiles(newcomer, [
        { name: "listed-1.png", mimeType: "image/png", buffer },
        { name: "broken.png", mimeType: "image/png", buffer: Buffer.from("no picture") },
        // It begins like a photo, so only the service finds the fault.
        { name: "damaged.png", mimeType: "image/png", buffer: buffer.subarray(0, 20) },
        { name: "listed-2.png", mimeType: "image/png", buffer },
      ]);
      await redactFiles(newcomer);
      await newcomer.locator("[data-figures]", { hasText: "2 of 4 uploaded" }).waitFor();
      await newcomer.locator("[data-figures]", { hasText: "2 not sent" }).waitFor();
      expect(await lookAt(newcomer, "upload-list")).toEqual([]);
      await newcomer.goto(`${origin}/dashboard/media`);
      await newcomer.locator("#media-rows").getByText("listed-1.png").waitFor();
      await newcomer.locator("#media-rows").getByText("listed-2.png").waitFor();
      await newcomer.goto(`${origin}/dashboard`);
      await newcomer.locator(".figure", { hasText: "2 of 50" }).waitFor();
      await newcomer.getByText("0 done, 2 reserved for files in progress").waitFor();
      expect(await lookAt(newcomer, "quota-reserved")).toEqual([]);
    });
    await expect.poll(async () => await newcomer.locator(".rows .completed").count()).toBe(2);
    await newcomer.getByText("reserved for files in progress").waitFor({ state: "detached" });
    await newcomer.context().close();
  });

  test("does all of that without one complaint of the pages' policy or scripts", () => {
    expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  });
});
