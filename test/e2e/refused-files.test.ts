/// <reference lib="dom" />
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { HAS_CHROMIUM, launchChromium, lookAt, openWatchedPage } from "./chromium.ts";
import { signUpNewcomer } from "./newcomer.ts";
import { describe as describeService } from "./running-service.ts";
import { photo } from "./upload-photos.ts";
import { chooseFiles, figures, redactFiles } from "./upload-steps.ts";

const EMPTY = { name: "empty.jpg", mimeType: "image/jpeg", buffer: Buffer.alloc(0) };
const PDF = { name: "scan.jpg", mimeType: "image/jpeg", buffer: Buffer.from("%PDF-1.7") };

let browser: Browser;
let page: Page;
let origin: string;

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  origin = new URL((await describeService(inject("service").directory)).baseUrl).origin;
  browser = await launchChromium();
  page = await openWatchedPage(browser, []);
  page.on("dialog", (dialog) => void dialog.accept());
  await signUpNewcomer(page, origin, "refused@example.com");
});

afterAll(async () => {
  if (HAS_CHROMIUM) await browser.close();
});

/** The files that a reloaded page lists as refused before. */
async function refused(): Promise<string[]> {
  return await page.locator("[data-refused] li").allTextContents();
}

async function openUploads(): Promise<void> {
  await page.goto(`${origin}/dashboard/upload`);
  await page.locator("form.upload:not([hidden])").waitFor();
}

describe.skipIf(!HAS_CHROMIUM)("files that are refused when they are chosen", () => {
  test("stay listed with their reasons on a reloaded page, until they are dismissed", async () => {
    await openUploads();
    await page.setInputFiles("#files", [EMPTY, PDF]);
    await page.locator("[data-staged] .failed").nth(1).waitFor();
    expect(await refused()).toEqual([]);
    await page.getByRole("button", { name: "Remove scan.jpg" }).click();
    await openUploads();
    await expect.poll(refused).toEqual(["empty.jpg: The file is empty."]);
    expect(await lookAt(page, "upload-refused")).toEqual([]);
    await page.getByRole("button", { name: "Dismiss" }).click();
    await expect.poll(refused).toEqual([]);
    await openUploads();
    await page.waitForLoadState("networkidle");
    expect(await refused()).toEqual([]);
  });

  test("are listed by the page of the upload that they were chosen for", async () => {
    await openUploads();
    await chooseFiles(page, [
      EMPTY,
      PDF,
      { name: "taken.png", mimeType: "image/png", buffer: await photo() },
      // It begins like a photo, so only the service finds the fault.
      { name: "damaged.png", mimeType: "image/png", buffer: (await photo()).subarray(0, 20) },
    ]);
    await redactFiles(page);
    await figures(page, "3 not sent");
    await page.getByRole("link", { name: "See them in Media" }).waitFor();
    await page.reload();
    await expect.poll(refused).toHaveLength(2);
    expect(await refused()).toContain("empty.jpg: The file is empty.");
    await page.getByText(/^1 file was not sent\./).waitFor();
    expect(await page.locator("[data-unsent-names]").textContent()).toMatch(/^damaged\.png: .{10}/);
    expect(await lookAt(page, "batch-refused")).toEqual([]);
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.reload();
    await page.getByText(/^1 file was not sent\./).waitFor();
    expect(await refused()).toEqual([]);
    // The list belongs to this upload only.
    await openUploads();
    await page.waitForLoadState("networkidle");
    expect(await refused()).toEqual([]);
  });
});
