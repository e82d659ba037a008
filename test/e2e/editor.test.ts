/// <reference lib="dom" />
import type { Browser, Locator, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { HAS_CHROMIUM, launchChromium, lookAt, openWatchedPage } from "./chromium.ts";
import { drag, onScreen } from "./editor-page.ts";
import { swipe } from "./file-drags.ts";
import { loadCodes, pictureWithCodes, readableCodes, type Area } from "./pictures.ts";
import { describe as describeService } from "./running-service.ts";
import { redactOne } from "./upload-steps.ts";

/** An area of the picture without a detection, in pixels. It stands for a missed object. */
const MISSED: Area = { left: 620, top: 120, width: 160, height: 120 };

let browser: Browser;
let page: Page;
let origin: string;
let signInUrl: string;
let source: Buffer;
let size: { width: number; height: number };
let mediaUrl: string;
const complaints: string[] = [];

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  await loadCodes();
  const service = await describeService(inject("service").directory);
  origin = new URL(service.baseUrl).origin;
  signInUrl = service.signInUrl;
  const { picture } = await pictureWithCodes();
  const { data, info } = await picture.png().toBuffer({ resolveWithObject: true });
  [source, size] = [data, info];
  browser = await launchChromium();
  page = await openWatchedPage(browser, complaints);
  await page.goto(signInUrl);
  mediaUrl = await uploaded();
});

afterAll(async () => {
  if (HAS_CHROMIUM) await browser.close();
});

/** Uploads the picture to hide its codes. Returns the page of its result. */
async function uploaded(): Promise<string> {
  await page.goto(`${origin}/dashboard/upload`);
  const file = { name: "codes.png", mimeType: "image/png", buffer: source };
  await redactOne(page, file, ["QR codes", "Barcodes"]);
  await page.waitForURL(/\/dashboard\/media\/[0-9a-f-]{36}$/);
  await page.getByRole("img", { name: "Redacted picture" }).waitFor();
  return page.url();
}

async function openEditor(on: Page): Promise<Locator> {
  await on.goto(mediaUrl);
  await on.getByRole("link", { name: "Edit" }).click();
  const stage = on.locator("svg.stage");
  await stage.waitFor();
  await expect.poll(async () => await on.locator(".stage .thing").count()).toBeGreaterThanOrEqual(2);
  return stage;
}

/** The output of the page's media item, once it is available. */
async function outputOf(on: Page): Promise<Buffer> {
  await on.waitForURL((url) => /\/dashboard\/media\/[0-9a-f-]{36}$/.test(url.href) && url.href !== mediaUrl);
  await on.getByRole("img", { name: "Redacted picture" }).waitFor();
  const bytes = await on.evaluate(async (url) => {
    const answer = await fetch(`${url}/output`);
    return [...new Uint8Array(await answer.arrayBuffer())];
  }, on.url());
  return Buffer.from(bytes);
}

/** The largest difference between two pictures inside an area, and outside some others. */
async function differenceIn(output: Buffer, { left, top, width, height }: Area): Promise<number[]> {
  const [before, after] = await Promise.all(
    [source, output].map(
      async (picture) =>
        await sharp(picture).removeAlpha().extract({ left, top, width, height }).raw().toBuffer(),
    ),
  );
  return Array.from(before ?? [], (value, at) => Math.abs(value - (after?.[at] ?? 0)));
}

async function isUntouched(output: Buffer, area: Area): Promise<boolean> {
  return (await differenceIn(output, area)).every((difference) => difference === 0);
}

async function isPainted(output: Buffer, area: Area): Promise<boolean> {
  const differences = await differenceIn(output, area);
  return differences.filter((difference) => difference > 0).length > differences.length / 2;
}

/** Expects that the QR code is hidden, the barcode is readable again, the missed area is hidden, and everything else is unchanged. */
async function expectCorrected(output: Buffer): Promise<void> {
  const { qr, bars } = await pictureWithCodes();
  expect(await readableCodes(output)).toBe(1);
  expect(await isPainted(output, qr)).toBe(true);
  expect(await isUntouched(output, bars)).toBe(true);
  expect(await isPainted(output, MISSED)).toBe(true);
  const { width, height } = size;
  expect(await isUntouched(output, { left: 0, top: height - 100, width: width / 2, height: 100 })).toBe(true);
  expect(await isUntouched(output, { left: 0, top: 0, width, height: 40 })).toBe(true);
}

describe.skipIf(!HAS_CHROMIUM)("a photo with one thing missed and one false mask", () => {
  test("is corrected with the mouse", async () => {
    const stage = await openEditor(page);
    expect(await lookAt(page, "editor")).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 900 });
    const bars = stage.locator('.thing[data-category="barcodes"]').first();
    expect(await bars.getAttribute("aria-checked")).toBe("true");
    await bars.click();
    expect(await bars.getAttribute("aria-checked")).toBe("false");

    await page.getByLabel("Box", { exact: true }).check();
    const from = await onScreen(stage, MISSED.left, MISSED.top);
    const to = await onScreen(stage, MISSED.left + MISSED.width, MISSED.top + MISSED.height);
    await drag(page, from, to);
    expect(await stage.locator(".region").count()).toBe(1);
    await page.getByRole("button", { name: "Undo" }).click();
    expect(await stage.locator(".region").count()).toBe(0);
    await page.getByRole("button", { name: "Redo" }).click();
    expect(await stage.locator(".region").count()).toBe(1);

    await page.getByRole("button", { name: "Apply" }).click();
    await expectCorrected(await outputOf(page));
    await page.locator(".sliding").waitFor();
  });

  test("is corrected by keyboard alone", async () => {
    const stage = await openEditor(page);
    await stage.focus();
    await page.keyboard.press("Tab");
    const focused = async (): Promise<string | undefined> =>
      await page.evaluate(() => (document.activeElement as SVGElement | null)?.dataset["category"]);
    for (let tabs = 0; tabs < 20 && (await focused()) !== "barcodes"; tabs++)
      await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.keyboard.press("b");
    // From the center of the picture, where the keyboard adds a region, to the missed area.
    const middle = await onScreen(stage, size.width / 2, size.height / 2);
    const wanted = await onScreen(stage, MISSED.left + MISSED.width / 2, MISSED.top + MISSED.height / 2);
    for (let x = middle.x; x < wanted.x; x += 20) await page.keyboard.press("Shift+ArrowRight");
    for (let y = middle.y; y > wanted.y; y -= 20) await page.keyboard.press("Shift+ArrowUp");
    for (let tabs = 0; tabs < 80; tabs++) {
      await page.keyboard.press("Tab");
      if (await page.evaluate(() => (document.activeElement as HTMLElement).dataset["apply"] !== undefined))
        break;
    }
    await page.keyboard.press("Enter");
    await expectCorrected(await outputOf(page));
  });

  test("is corrected with a finger", async () => {
    const phone = await openWatchedPage(browser, complaints, {
      hasTouch: true,
      viewport: { width: 360, height: 740 },
    });
    await phone.goto(signInUrl);
    const stage = await openEditor(phone);
    await stage.scrollIntoViewIfNeeded();
    await stage.locator('.thing[data-category="barcodes"]').first().tap();
    await phone.getByLabel("Ellipse").check();
    // The ellipse in this box contains the missed area.
    const [across, down] = [MISSED.width * 0.25, MISSED.height * 0.25];
    const from = await onScreen(stage, MISSED.left - across, MISSED.top - down);
    const to = await onScreen(stage, MISSED.left + MISSED.width + across, MISSED.top + MISSED.height + down);
    await swipe(phone, from, to);
    expect(await stage.locator(".region").count()).toBe(1);
    await phone.getByRole("button", { name: "Apply" }).click();
    await expectCorrected(await outputOf(phone));
    await phone.context().close();
  });

  test("does all of that without one complaint of the pages' policy or scripts", () => {
    expect(complaints).toEqual([]);
  });
});
