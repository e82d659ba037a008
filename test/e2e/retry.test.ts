/// <reference lib="dom" />
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { HAS_CHROMIUM, launchChromium, lookAt, openWatchedPage } from "./chromium.ts";
import { failFiles } from "./failed-files.ts";
import { signUpNewcomer } from "./newcomer.ts";
import { describe as describeService } from "./running-service.ts";
import { photosNamed } from "./upload-photos.ts";
import { chooseFiles, redactFiles } from "./upload-steps.ts";

const NAMES = ["retried-1.png", "retried-2.png", "retried-3.png", "retried-4.png"];

let browser: Browser;
let page: Page;
let origin: string;
let batchUrl: string;
const complaints: string[] = [];

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  origin = new URL((await describeService(inject("service").directory)).baseUrl).origin;
  browser = await launchChromium();
  page = await openWatchedPage(browser, complaints);
  await signUpNewcomer(page, origin, "retries@example.com");
  await page.goto(`${origin}/dashboard/upload`);
  await chooseFiles(page, await photosNamed(NAMES));
  await redactFiles(page);
  await page.getByRole("link", { name: "See them in Media" }).waitFor();
  batchUrl = page.url();
});

afterAll(async () => {
  if (HAS_CHROMIUM) await browser.close();
});

/** A page that updates itself would read the database while the test writes it. */
async function fail(names: readonly string[]): Promise<void> {
  await page.goto("about:blank");
  await failFiles(names);
}

/** The files that the list shows, each with its state. */
async function listed(): Promise<string[]> {
  return await page
    .locator("#media-rows > li")
    .evaluateAll((rows) =>
      rows.map((row) =>
        [".row-name", ".status"]
          .map((part) => row.querySelector(part)?.firstChild?.textContent?.trim())
          .join(" "),
      ),
    );
}

const DONE = NAMES.map((name) => `${name} Completed`);

describe.skipIf(!HAS_CHROMIUM)("files that failed, in a real browser", () => {
  test("one is retried from its row, by keyboard", async () => {
    await fail(["retried-1.png"]);
    await page.goto(`${origin}/dashboard/media?sort=name&order=asc`);
    expect(await listed()).toEqual(["retried-1.png Failed", ...DONE.slice(1)]);
    expect(await lookAt(page, "media-failed")).toEqual([]);
    await page.getByRole("button", { name: "Retry retried-1.png" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("1 file is being retried.").waitFor();
    await page.goto(`${origin}/dashboard/media?sort=name&order=asc`);
    await expect.poll(listed).toEqual(DONE);
    await page.getByText("1 other version").click();
    await page.getByRole("link", { name: "Before the retry" }).click();
    await page.getByText("This file was retried.").waitFor();
  });

  test("several are retried from a selection, and what did not fail is left as it is", async () => {
    await fail(["retried-2.png", "retried-3.png"]);
    await page.goto(`${origin}/dashboard/media?sort=name&order=asc`);
    for (const name of NAMES.slice(1)) await page.getByLabel(`Select ${name}`).check();
    await page.locator(".selection-bar").getByRole("button", { name: "Retry" }).click();
    await page.getByText("2 files are being retried. 1 file is not").waitFor();
    await page.goto(`${origin}/dashboard/media?sort=name&order=asc`);
    await expect.poll(listed).toEqual(DONE);
  });

  test("those of an upload are retried from its page, which follows them", async () => {
    await fail(["retried-3.png", "retried-4.png"]);
    await page.goto(batchUrl);
    await page.getByText("2 of 4 done · 2 failed").waitFor();
    expect(await lookAt(page, "batch-failed")).toEqual([]);
    await page.getByRole("button", { name: "Retry 2 failed files" }).click();
    await page.getByText("2 files are being retried.").waitFor();
    await expect.poll(listed).toEqual(DONE);
    await page.locator("#batch-figures").getByText("4 of 4 done", { exact: true }).waitFor();
  });

  test("one is retried from its own page, which shows the result", async () => {
    await fail(["retried-4.png"]);
    await page.goto(`${origin}/dashboard/media?search=retried-4`);
    await page.locator("#media-rows").getByRole("link", { name: "retried-4.png" }).click();
    await page.getByRole("button", { name: "Retry", exact: true }).click();
    await page.getByRole("img", { name: "Redacted picture" }).waitFor();
    await page.getByRole("heading", { name: "3 versions" }).waitFor();
    expect(complaints).toEqual([]);
  });
});
