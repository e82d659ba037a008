/// <reference lib="dom" />
import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { HAS_CHROMIUM, launchChromium, lookAt, openWatchedPage } from "./chromium.ts";
import { signUpNewcomer } from "./newcomer.ts";
import { describe as describeService } from "./running-service.ts";
import { chooseFiles, redactFiles } from "./upload-steps.ts";

const FILES = 6;

let browser: Browser;
let page: Page;
let origin: string;
const complaints: string[] = [];

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  const service = await describeService(inject("service").directory);
  origin = new URL(service.baseUrl).origin;
  browser = await launchChromium();
  page = await openWatchedPage(browser, complaints);
  page.on("dialog", (dialog) => void dialog.accept());
  await signUpNewcomer(page, origin, "lists@example.com");
});

afterAll(async () => {
  if (HAS_CHROMIUM) await browser.close();
});

/** Photos of different colours, the last two of one name. */
async function photos(): Promise<{ name: string; mimeType: string; buffer: Buffer }[]> {
  return await Promise.all(
    Array.from({ length: FILES }, async (_, index) => ({
      name: `photo-${Math.min(index, FILES - 2)}.jpg`,
      mimeType: "image/jpeg",
      buffer: await sharp({
        create: { width: 900, height: 600, channels: 3, background: { r: 40 * index, g: 90, b: 120 } },
      })
        .jpeg()
        .toBuffer(),
    })),
  );
}

describe.skipIf(!HAS_CHROMIUM)("the list of media, in a real browser", () => {
  test("teaches whoever has none yet", async () => {
    await page.goto(`${origin}/`);
    expect(await lookAt(page, "front-page")).toEqual([]);
    await page.goto(`${origin}/dashboard/media`);
    await page.getByRole("heading", { name: "No media yet" }).waitFor();
    expect(await lookAt(page, "media-first")).toEqual([]);
  });

  test("shows small versions of completed items, as a list and as a grid", async () => {
    await page.getByRole("link", { name: "Upload", exact: true }).first().click();
    await chooseFiles(page, await photos());
    await redactFiles(page);
    await page.getByRole("link", { name: "See them in Media" }).click();
    await expect.poll(async () => await page.locator(".rows .completed").count()).toBe(FILES);
    await page.goto(`${origin}/dashboard/media?view=grid`);
    const pictures = page.locator(".thumbnail img");
    await expect
      .poll(
        async () =>
          await pictures.evaluateAll((all) => all.map((image) => (image as HTMLImageElement).naturalWidth)),
      )
      .toEqual(Array.from({ length: FILES }, () => 320));
    expect(await lookAt(page, "media-grid")).toEqual([]);
    await page.getByRole("link", { name: "List", exact: true }).click();
    expect(await lookAt(page, "media-lines")).toEqual([]);
  });

  test("is sorted by its heads, one way and the other", async () => {
    const first = page.locator(".row-name").first();
    await page.getByRole("link", { name: "Name", exact: true }).click();
    await expect.poll(async () => await first.textContent()).toBe("photo-0.jpg");
    await page.getByRole("link", { name: /^Name.*ascending$/ }).click();
    await expect.poll(async () => await first.textContent()).toBe("photo-4.jpg");
  });

  test("hands out all that match as a ZIP", async () => {
    await page.getByLabel("Name or ID").fill("photo");
    await page.getByRole("button", { name: "Search" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download all" }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^veil-.*\.zip$/);
    const zip = await readFile(await download.path());
    for (const name of ["photo-0.redacted.jpg", "photo-4.redacted.jpg", "photo-4 (2).redacted.jpg"])
      expect(zip.includes(name)).toBe(true);
  });

  test("selects from one row to another with the shift key, by keyboard too, and deletes the selected items", async () => {
    await page.goto(`${origin}/dashboard/media?sort=name&order=asc`);
    const remove = page.getByRole("button", { name: "Delete" });
    expect(await remove.isDisabled()).toBe(true);
    await page.getByLabel("Select photo-1.jpg").focus();
    await page.keyboard.press("Space");
    await page.getByLabel("Select photo-3.jpg").click({ modifiers: ["Shift"] });
    await page.getByText("3 selected").waitFor();
    await remove.click();
    await page.getByText("3 files and all their versions were deleted.").waitFor();
    await expect.poll(async () => await page.locator(".rows > li").count()).toBe(FILES - 3);
    await page.getByLabel("Select all").click();
    await page.getByText("3 selected").waitFor();
    expect(complaints).toEqual([]);
  });
});
