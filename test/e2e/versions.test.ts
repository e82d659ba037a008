/// <reference lib="dom" />
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { HAS_CHROMIUM, launchChromium, lookAt, openWatchedPage } from "./chromium.ts";
import { drag, onScreen } from "./editor-page.ts";
import { signUpNewcomer } from "./newcomer.ts";
import { loadCodes, pictureWithCodes } from "./pictures.ts";
import { describe as describeService } from "./running-service.ts";
import { redactOne } from "./upload-steps.ts";

let browser: Browser;
let page: Page;
let fileUrl: string;
const complaints: string[] = [];

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  await loadCodes();
  const { origin } = new URL((await describeService(inject("service").directory)).baseUrl);
  const buffer = await (await pictureWithCodes()).picture.jpeg({ quality: 90 }).toBuffer();
  browser = await launchChromium();
  page = await openWatchedPage(browser, complaints);
  await signUpNewcomer(page, origin, "versions@example.com");
  await page.goto(`${origin}/dashboard/upload`);
  await redactOne(page, { name: "versions.jpg", mimeType: "image/jpeg", buffer }, ["QR codes"]);
  await page.getByRole("img", { name: "Redacted picture" }).waitFor();
  fileUrl = page.url();
});

afterAll(async () => {
  if (HAS_CHROMIUM) await browser.close();
});

/** The bytes of a version's result. */
async function resultOf(url: string): Promise<string> {
  return (await (await page.request.get(`${url}/output`)).body()).toString("base64");
}

describe.skipIf(!HAS_CHROMIUM)("the versions of a photo, in a real browser", () => {
  test("the header has what comes next, and a menu for the rest that the keyboard opens and closes", async () => {
    const menu = page.locator("[data-menu]");
    await menu.locator("summary").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Delete" }).waitFor();
    expect(await lookAt(page, "media-menu")).toEqual([]);
    // On a phone, all three fit into one line.
    await page.setViewportSize({ width: 390, height: 844 });
    const tops = await page
      .locator(".title .actions .part > a.button, .title .actions summary")
      .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
    expect(tops).toHaveLength(3);
    expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(10);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("button", { name: "Delete" }).focus();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Delete" }).waitFor({ state: "hidden" });
    expect(await menu.evaluate((one) => one.contains(document.activeElement))).toBe(true);
  });

  test("a correction is compared with the upload at the same zoom and place", async () => {
    await page.getByRole("link", { name: "Edit" }).click();
    const stage = page.locator("svg.stage");
    await stage.waitFor();
    await page.getByLabel("Box", { exact: true }).check();
    await drag(page, await onScreen(stage, 20, 20), await onScreen(stage, 160, 120));
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByRole("heading", { name: "2 versions" }).waitFor();
    await page.getByRole("img", { name: "Redacted picture" }).waitFor();
    expect(await lookAt(page, "media-versions")).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole("link", { name: "Compare with version 1" }).click();
    await page.getByRole("img", { name: "Version 1" }).waitFor();
    expect(await lookAt(page, "versions-compared")).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    for (let step = 0; step < 3; step++) await page.getByRole("button", { name: "Zoom in" }).click();
    const panes = page.locator(".pane");
    await panes.first().evaluate((pane) => {
      pane.scrollTo(90, 40);
    });
    const seen = async (): Promise<number[][]> =>
      await panes.evaluateAll((all) => all.map((pane) => [pane.scrollLeft, pane.scrollTop]));
    await expect.poll(seen).toEqual([
      [90, 40],
      [90, 40],
    ]);
    await panes.last().evaluate((pane) => {
      pane.scrollTo(30, 10);
    });
    await expect.poll(seen).toEqual([
      [30, 10],
      [30, 10],
    ]);
  });

  test("the upload is restored as a new version, which shows the same", async () => {
    await page.getByRole("link", { name: "Back to the file" }).click();
    await page.getByRole("button", { name: "Restore version 1" }).click();
    await page.getByText("The older version was restored").waitFor();
    await page.getByRole("img", { name: "Redacted picture" }).waitFor();
    await page.getByText("Restored version 1 by Nils Newcomer").waitFor();
    const restoredUrl = page.url().replace(/\?.*/, "");
    expect(restoredUrl).not.toBe(fileUrl);
    expect(await resultOf(restoredUrl)).toBe(await resultOf(fileUrl));
    expect(complaints).toEqual([]);
  });
});
