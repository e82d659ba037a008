/// <reference lib="dom" />
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { ffmpeg } from "../node-support/ffmpeg.ts";
import { HAS_CHROMIUM, launchChromium, lookAt, openWatchedPage } from "./chromium.ts";
import { signUpNewcomer } from "./newcomer.ts";
import { describe as describeService } from "./running-service.ts";
import { photo } from "./upload-photos.ts";
import { chooseFiles, figures, onUpload, redactFiles, sentRows } from "./upload-steps.ts";

const PHOTOS = 30;
const CLIP = "-f lavfi -i testsrc=size=160x120:rate=10:duration=1 -c:v libx264 -pix_fmt yuv420p".split(" ");

let browser: Browser;
let page: Page;
let origin: string;
let directory: string;
const complaints: string[] = [];

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  origin = new URL((await describeService(inject("service").directory)).baseUrl).origin;
  directory = await mkdtemp(join(tmpdir(), "veil-folder-"));
  await mkdir(join(directory, "case 17", "films"), { recursive: true });
  const picture = await photo();
  for (let index = 1; index <= PHOTOS; index++)
    await writeFile(join(directory, "case 17", `photo-${index}.png`), picture);
  for (const name of ["first.mp4", "second.mkv"])
    await writeFile(join(directory, "case 17", "films", name), (await ffmpeg({}, CLIP, name)).bytes);
  await writeFile(join(directory, "case 17", "notes.txt"), "no picture");
  browser = await launchChromium();
  page = await openWatchedPage(browser, complaints);
  await signUpNewcomer(page, origin, "folders@example.com");
});

afterAll(async () => {
  if (!HAS_CHROMIUM) return;
  await browser.close();
  await rm(directory, { recursive: true, force: true });
});

describe.skipIf(!HAS_CHROMIUM)("a folder that is chosen", () => {
  test("is uploaded with plain names, its films among them, and each file keeps its folder", async () => {
    await page.goto(`${origin}/dashboard/upload`);
    await page.locator("form.upload:not([hidden])").waitFor();
    await page.setInputFiles("#folder", join(directory, "case 17"));
    await page.getByRole("button", { name: `Redact ${PHOTOS + 2} files` }).waitFor();
    expect(await page.locator("[data-notes]").textContent()).toContain("case 17/notes.txt");
    await redactFiles(page);
    await figures(page, `${PHOTOS + 2} of ${PHOTOS + 2} uploaded`);
    const names = (await sentRows(page)).map(({ name }) => name);
    expect(names).toHaveLength(PHOTOS + 2);
    expect(names.filter((name) => name.includes("/"))).toEqual([]);
    await figures(page, `${PHOTOS + 2} done`);
  });

  test("is a filter of the list, and each row names it", async () => {
    await page.goto(`${origin}/dashboard/media?sort=name&order=asc`);
    const rows = page.locator("#media-rows > li");
    expect(await rows.count()).toBe(PHOTOS + 2);
    expect(await rows.first().locator(".row-folder").textContent()).toBe("case 17/films");
    expect(await lookAt(page, "media-folders")).toEqual([]);
    await page.getByText("More filters").click();
    await page.getByLabel("Folder").fill("case 17/films");
    await page.getByRole("button", { name: "Search" }).click();
    await expect.poll(async () => await rows.count()).toBe(2);
    // What lies in folders inside is found too.
    await page.goto(`${origin}/dashboard/media?folder=${encodeURIComponent("case 17")}`);
    await expect.poll(async () => await rows.count()).toBe(PHOTOS + 2);
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(!HAS_CHROMIUM)("a file that the service refuses", () => {
  test("fills no bar, and is sent again from its row", async () => {
    await page.goto(`${origin}/dashboard/upload`);
    let refusals = 1;
    await onUpload(page, async (route) => {
      if (refusals-- <= 0) await route.continue();
      else
        await route.fulfill({
          status: 422,
          json: { error: { code: "validation_error", message: "Not so." } },
        });
    });
    await chooseFiles(page, [{ name: "refused.png", mimeType: "image/png", buffer: await photo() }]);
    await redactFiles(page);
    await figures(page, "0 of 1 uploaded");
    await figures(page, "1 not sent");
    expect(await page.locator("[data-total]").evaluate((bar) => (bar as HTMLProgressElement).value)).toBe(0);
    await page.getByRole("button", { name: "Try again: refused.png" }).click();
    await figures(page, "1 of 1 uploaded");
  });
});
