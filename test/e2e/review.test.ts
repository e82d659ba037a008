/// <reference lib="dom" />
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { HAS_CHROMIUM, launchChromium, lookAt, openPage } from "./chromium.ts";
import { call, ended, type Access, type Media } from "./client.ts";
import { loadCodes, pictureWithCodes, readableCodes } from "./pictures.ts";
import { describe as describeService } from "./running-service.ts";

const PHOTOS = 20;
/** A hundred photos in ten minutes. */
const MOST_MS_A_PHOTO = 6_000;

let browser: Browser;
let page: Page;
let origin: string;
let access: Access;
/** How many files wait in total. Other tests may have left some, which come first. */
let waiting = 0;
const ids: string[] = [];
const complaints: string[] = [];

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  await loadCodes();
  const service = await describeService(inject("service").directory);
  access = service;
  origin = new URL(service.baseUrl).origin;
  browser = await launchChromium();
  page = await openPage(browser, { viewport: { width: 1280, height: 900 } });
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (fault) => complaints.push(fault.message));
  await page.goto(service.signInUrl);
  for (let index = 0; index < PHOTOS; index++) ids.push(await uploadToLookAt(index));
});

afterAll(async () => {
  if (HAS_CHROMIUM) await browser.close();
});

/** Uploads a photo with a QR code and a barcode for analysis only, and waits until it is analyzed. */
async function uploadToLookAt(index: number): Promise<string> {
  const { picture } = await pictureWithCodes();
  // Each photo is different.
  const bytes = await picture
    .clone()
    .jpeg({ quality: 80 + (index % 10) })
    .toBuffer();
  const form = new FormData();
  form.append("file", new File([new Uint8Array(bytes)], `queue-${index}.jpg`));
  form.append("categories", `["qr_codes","barcodes"]`);
  form.append("detect_only", "true");
  const media = (await (await call("/media/redact", { method: "POST", body: form }, access)).json()) as Media;
  expect(await ended(media, access)).toMatchObject({ status: "completed" });
  return media.id;
}

/** The ID of the shown photo. */
async function shownId(): Promise<string> {
  return (await page.locator("form[data-review-item]:not([hidden])").getAttribute("data-review-item")) ?? "";
}

async function statusText(): Promise<string> {
  return (await page.locator("[data-review-status]").textContent()) ?? "";
}

/** Expects that the page shows this position in the queue. */
async function expectPlace(text: string): Promise<void> {
  await expect.poll(async () => await page.locator("[data-review-place]").textContent()).toBe(text);
}

/** Presses a key until another photo is shown, because a photo cannot be decided on before it has loaded. */
async function pressUntilNext(key: string): Promise<void> {
  const before = await shownId();
  await expect
    .poll(
      async () => {
        await page.keyboard.press(key);
        // A key must not be pressed while the previous one is still being handled.
        await page.locator('[data-review]:not([aria-busy="true"])').waitFor();
        return await shownId();
      },
      { interval: 100 },
    )
    .not.toBe(before);
}

/** The address from which the page loads the photo after another one. */
function addressAfter(index: number): string {
  return `${origin}/dashboard/review/next?after=${ids[index]}`;
}

/** Approves the shown photo while the next one cannot be loaded, which must not look like the end of the queue. */
async function expectNextMissed(): Promise<void> {
  const before = await shownId();
  // The page ignores keys that are pressed too soon after it shows a file.
  await page.waitForTimeout(800);
  await page.keyboard.press("a");
  await expect
    .poll(async () => {
      const text = await statusText();
      if (text === "The picture is still loading.") await page.keyboard.press("a");
      return text;
    })
    .toContain("is approved. The next one could not be loaded");
  expect(await shownId()).toBe(before);
}

/** Expects that a photo is loaded before it is shown. */
async function expectLoadedAhead(id: string): Promise<void> {
  await expect
    .poll(
      async () =>
        await page.evaluate(
          (path) => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(path)).length,
          `/media/${id}/source`,
        ),
    )
    .toBe(1);
}

/** Stores the measurements beside the screenshots. */
async function report(photos: number, medianMs: number, mostMs: number): Promise<void> {
  const folder = join(import.meta.dirname, "../artifacts");
  await mkdir(folder, { recursive: true });
  const measured = { photos, medianMs: Math.round(medianMs), mostMs: Math.round(mostMs) };
  await writeFile(join(folder, "review-times.json"), JSON.stringify(measured));
}

/** The completed revision of a decision. */
async function resultOf(id: string): Promise<Buffer> {
  await page.goto(`${origin}/dashboard/review/${id}`);
  const href = (await page.getByRole("link", { name: "See the result" }).getAttribute("href")) ?? "";
  const resultId = href.split("/").at(-1) ?? "";
  expect(await ended({ id: resultId, status: "queued" }, access)).toMatchObject({ status: "completed" });
  return Buffer.from(await (await call(`/media/${resultId}/download`, {}, access)).arrayBuffer());
}

describe.skipIf(!HAS_CHROMIUM)("a queue of photos, by the keyboard alone", () => {
  test("lists them and looks well", async () => {
    await page.goto(`${origin}/dashboard/review`);
    waiting = Number.parseInt((await page.locator("#waiting").textContent()) ?? "", 10);
    expect(waiting).toBeGreaterThanOrEqual(PHOTOS);
    expect(await lookAt(page, "review")).toEqual([]);
    await page.goto(`${origin}/dashboard/review/${ids[0]}`);
    await expect.poll(async () => await page.locator(".stage .thing").count()).toBeGreaterThanOrEqual(2);
    expect(await lookAt(page, "review-item")).toEqual([]);
    await page.emulateMedia({ colorScheme: "light", reducedMotion: null });
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  test("is worked off: each approved, one corrected, one skipped, one taken back", async () => {
    await page.goto(`${origin}/dashboard/review/${ids[0]}`);
    expect(await shownId()).toBe(ids[0]);
    const times: number[] = [];
    for (let index = 0; index < PHOTOS; index++) {
      const startedAt = performance.now();
      expect(await shownId()).toBe(ids[index]);
      await page.locator("form[data-review-item]:not([hidden]) .stage .thing").first().waitFor();
      if (index === 3) {
        // The barcode may stay visible, so its detection is switched off.
        const bars = page.locator('form:not([hidden]) .stage .thing[data-category="barcodes"]').first();
        for (let tabs = 0; tabs < 20; tabs++) {
          await page.keyboard.press("Tab");
          if (await bars.evaluate((thing) => thing === document.activeElement)) break;
        }
        await page.keyboard.press("Space");
        expect(await bars.getAttribute("aria-checked")).toBe("false");
      }
      if (index === 0) await expectLoadedAhead(ids[1] ?? "");
      if (index === 7) {
        await expectPlace(`${waiting - PHOTOS + 1 + 7} of ${waiting} to review`);
        await pressUntilNext("j");
        await expectPlace(`${waiting - PHOTOS + 2 + 7} of ${waiting} to review`);
        await pressUntilNext("k");
        expect(await shownId()).toBe(ids[7]);
      }
      if (index === 14) await page.route(addressAfter(15), async (route) => await route.abort());
      if (index === 15) {
        await expectNextMissed();
        await page.unroute(addressAfter(15));
      }
      if (index === PHOTOS - 1) break;
      await pressUntilNext("a");
      times.push(performance.now() - startedAt);
      if (index === 10) {
        await expect.poll(async () => await shownId()).toBe(ids[11]);
        await pressUntilNext("u");
        expect(await shownId()).toBe(ids[10]);
        expect((await statusText()).trim()).toBe("queue-10.jpg is waiting for review again.");
        await expectPlace(`${waiting - PHOTOS + 1 + 10} of ${waiting} to review`);
        await pressUntilNext("a");
      }
    }
    await expect
      .poll(
        async () => {
          if (page.url().endsWith(ids.at(-1) ?? "")) await page.keyboard.press("a");
          return page.url();
        },
        { interval: 200 },
      )
      .toContain("notice=review_end");
    await page.getByRole("heading", { name: `${waiting - PHOTOS} to review` }).waitFor();
    const sorted = times.toSorted((a, b) => a - b);
    const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
    await report(times.length, median, sorted.at(-1) ?? 0);
    expect(times.reduce((sum, ms) => sum + ms, 0) / times.length).toBeLessThan(MOST_MS_A_PHOTO);
    // The browser reports the blocked requests.
    expect(complaints.filter((text) => !text.includes("net::ERR_FAILED"))).toEqual([]);
  });

  test("has made of each what was decided", async () => {
    const { qr, bars } = await pictureWithCodes();
    expect(qr.width * bars.width).toBeGreaterThan(0);
    expect(
      await readableCodes(
        await sharp(await resultOf(ids[0] ?? ""))
          .png()
          .toBuffer(),
      ),
    ).toBe(0);
    expect(
      await readableCodes(
        await sharp(await resultOf(ids[3] ?? ""))
          .png()
          .toBuffer(),
      ),
    ).toBe(1);
    await page.goto(`${origin}/dashboard/audit?kind=media.corrected`);
    expect(await page.locator("main").textContent()).toContain(ids[3]);
    expect(await lookAt(page, "audit")).toEqual([]);
  });

  test("takes a double click and a key that is pressed twice for one approval", async () => {
    const [first, second, third] = [
      await uploadToLookAt(30),
      await uploadToLookAt(31),
      await uploadToLookAt(32),
    ];
    let approvals = 0;
    await page.route("**/approve", async (route) => {
      approvals++;
      await route.continue();
    });
    await page.goto(`${origin}/dashboard/review/${first}`);
    await expectLoadedAhead(second);
    await page.waitForTimeout(800);
    const button = await page.getByRole("button", { name: "Approve and redact" }).boundingBox();
    const [x, y] = [(button?.x ?? 0) + 10, (button?.y ?? 0) + 10];
    await page.mouse.click(x, y);
    await page.waitForTimeout(150);
    await page.mouse.click(x, y, { clickCount: 2 });
    await expect.poll(shownId).toBe(second);
    await expectLoadedAhead(third);
    await page.waitForTimeout(800);
    await page.keyboard.press("a");
    await page.waitForTimeout(150);
    await page.keyboard.press("a");
    await page.waitForTimeout(500);
    expect([await shownId(), approvals]).toEqual([third, 2]);
    await page.unrouteAll({ behavior: "wait" });
    // A file is added to the queue. The page shows that when it gets the focus again, and every 15 seconds.
    const place = page.locator("[data-review-place]");
    const atTheEnd = /^(\d+) of \1 to review$/;
    await expect.poll(async () => await place.textContent()).toMatch(atTheEnd);
    const [, last = ""] = atTheEnd.exec((await place.textContent()) ?? "") ?? [];
    expect(Number(last)).toBeGreaterThan(waiting - PHOTOS);
    await uploadToLookAt(33);
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await expectPlace(`${last} of ${Number(last) + 1} to review`);
  });
});
