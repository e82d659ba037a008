/// <reference lib="dom" />
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page, Route } from "playwright-core";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { HAS_CHROMIUM, launchChromium, lookAt, openWatchedPage } from "./chromium.ts";
import { call } from "./client.ts";
import { dropFromDisk, swipe } from "./file-drags.ts";
import { signUpNewcomer } from "./newcomer.ts";
import { loadCodes, pictureWithCodes } from "./pictures.ts";
import { describe as describeService } from "./running-service.ts";

const WAIT_MS = 60_000;
/** More than a browser hands over of a folder at once. */
const FOLDER_FILES = 101;
const BESIDE = { x: 40, y: 4 };
const UPLOADS = "**/dashboard/media";
const LIMITED = {
  error: { code: "rate_limit_exceeded", message: "", details: { limit: 60, reset: 0 } },
  request_id: "req_1",
};

let browser: Browser;
let page: Page;
let origin: string;
let signInUrl: string;
let inferencePid: number;
let codes: Buffer;
let folder: string;
const complaints: string[] = [];

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  await loadCodes();
  const service = await describeService(inject("service").directory);
  origin = new URL(service.baseUrl).origin;
  signInUrl = service.signInUrl;
  inferencePid = service.pids[1] ?? Number.NaN;
  codes = await (await pictureWithCodes()).picture.jpeg({ quality: 90 }).toBuffer();
  folder = await mkdtemp(join(tmpdir(), "veil-drop-"));
  browser = await launchChromium();
  page = await openWatchedPage(browser, complaints);
  await page.goto(signInUrl);
});

afterEach(async () => {
  if (HAS_CHROMIUM) await page.unrouteAll({ behavior: "ignoreErrors" });
});

afterAll(async () => {
  if (!HAS_CHROMIUM) return;
  await browser.close();
  await rm(folder, { recursive: true, force: true });
});

async function photo(): Promise<Buffer> {
  return await sharp({ create: { width: 64, height: 48, channels: 3, background: "#7fa7b5" } })
    .png()
    .toBuffer();
}

/** Opens the page of all media with its upload form. */
async function openUploads(on = page): Promise<void> {
  await on.goto(`${origin}/dashboard/media`);
  const panel = on.locator("details.panel");
  if ((await panel.getAttribute("open")) === null) await panel.locator("summary").click();
}

async function choose(names: readonly string[], on = page): Promise<void> {
  const buffer = await photo();
  await on.setInputFiles(
    "input[type=file]",
    names.map((name) => ({ name, mimeType: "image/png", buffer })),
  );
}

/** Lets uploads wait until they are released. */
async function holdUploads(): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await onUpload(async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

/** Answers the uploads of the page in place of the service, or lets them through. */
async function onUpload(answer: (route: Route) => Promise<void>): Promise<void> {
  await page.route(UPLOADS, async (route) => {
    if (route.request().method() === "POST") await answer(route);
    else await route.fallback();
  });
}

/** The categories of the local account's media by file name, once `names` are all there: each test has names of its own. */
async function categoriesOf(names: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  await expect
    .poll(
      async () => {
        const { data } = (await (await call("/media?per_page=100")).json()) as {
          data: { filename: string; categories: string[] }[];
        };
        // While a file is on its way, its media has no categories yet.
        for (const { filename, categories } of data) {
          if (categories.length > 0) found.set(filename, categories);
        }
        return names.filter((name) => !found.has(name));
      },
      { timeout: WAIT_MS },
    )
    .toEqual([]);
  return found;
}

/** Lets nothing be looked at while `work` lasts: what is uploaded stays under way. */
async function withoutInference(work: () => Promise<void>): Promise<void> {
  process.kill(-inferencePid, "SIGSTOP");
  try {
    await work();
  } finally {
    process.kill(-inferencePid, "SIGCONT");
  }
}

describe.skipIf(!HAS_CHROMIUM)("uploading in a real browser", () => {
  test("what is redacted is what was chosen when the files were, whatever is changed meanwhile", async () => {
    await openUploads();
    const release = await holdUploads();
    const names = ["frozen-1.png", "frozen-2.png", "frozen-3.png"];
    await choose(names);
    await page.getByLabel("Heads").uncheck();
    await page.getByLabel("QR codes").check();
    release();
    const categories = await categoriesOf(names);
    for (const name of names) expect(categories.get(name)).toEqual(["heads", "license_plates"]);
  });

  test("a second batch is sent after the first, and the page is not left between them", async () => {
    await openUploads();
    const release = await holdUploads();
    await choose(["batch-1.png"]);
    await choose(["batch-2.png", "batch-3.png"]);
    release();
    await categoriesOf(["batch-1.png", "batch-2.png", "batch-3.png"]);
    await page.getByText("3 of 3 uploaded").waitFor();
    expect(new URL(page.url()).pathname).toBe("/dashboard/media");
    expect(await page.locator(".uploads a").allTextContents()).toEqual([
      "batch-1.png",
      "batch-2.png",
      "batch-3.png",
    ]);
  });

  test("leaving the page while something is sent asks first, and not once all is sent", async () => {
    await openUploads();
    const release = await holdUploads();
    const asked: string[] = [];
    page.on("dialog", (dialog) => {
      asked.push(dialog.type());
      void dialog.dismiss();
    });
    await choose(["leaving-1.png", "leaving-2.png"]);
    await page.getByRole("link", { name: "Team" }).click();
    await expect.poll(() => asked, { timeout: WAIT_MS }).toEqual(["beforeunload"]);
    expect(new URL(page.url()).pathname).toBe("/dashboard/media");
    release();
    await page.getByText("2 of 2 uploaded").waitFor();
    await page.getByRole("link", { name: "Team" }).click();
    await page.waitForURL(/\/dashboard\/team$/);
    expect(asked).toEqual(["beforeunload"]);
    page.removeAllListeners("dialog");
  });

  test("a file that is dropped beside the zone is uploaded", async () => {
    await openUploads();
    const file = join(folder, "beside.png");
    await writeFile(file, await photo());
    await dropFromDisk(page, [file], BESIDE);
    // One photo is followed to its result.
    await page.waitForURL(/\/dashboard\/media\/[0-9a-f-]{36}$/);
    await page.getByRole("heading", { name: "beside.png" }).waitFor();
  });

  test("a file that is dropped on a page without a zone does not take its place", async () => {
    await page.goto(`${origin}/dashboard/keys`);
    // A browser that runs without a window never shows a dropped file, so what would keep it from that is looked at.
    const isKept = await page.evaluate(() =>
      ["dragover", "drop"].map((kind) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(["stray"], "stray.png", { type: "image/png" }));
        const event = new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer });
        document.body.dispatchEvent(event);
        return event.defaultPrevented;
      }),
    );
    expect(isKept).toEqual([true, true]);
  });

  test("a dropped folder is walked to its end, and what is no photo or video is named", async () => {
    await openUploads();
    let sent = 0;
    await onUpload(async (route) => {
      sent++;
      await route.fulfill({ status: 201, json: { id: `media-${sent}` } });
    });
    const top = join(folder, "holiday");
    await mkdir(join(top, "second day"), { recursive: true });
    const picture = await photo();
    for (let index = 1; index <= FOLDER_FILES; index++)
      await writeFile(join(top, `photo-${index}.png`), picture);
    await writeFile(join(top, "second day", "sea.JPG"), picture);
    await writeFile(join(top, "second day", "notes.txt"), "no picture");
    await dropFromDisk(page, [top], BESIDE);
    await page
      .getByText(`${FOLDER_FILES + 1} of ${FOLDER_FILES + 1} uploaded`)
      .waitFor({ timeout: 3 * WAIT_MS });
    expect(sent).toBe(FOLDER_FILES + 1);
    await page.getByRole("link", { name: "holiday/second day/sea.JPG" }).waitFor();
    const skipped = page.locator(".uploads li", { hasText: "Skipped, not a photo or video" });
    expect(await skipped.textContent()).toContain("holiday/second day/notes.txt");
  });

  test("an answer of 429 is waited for as long as it says, which is shown", async () => {
    await openUploads();
    const times: number[] = [];
    await onUpload(async (route) => {
      times.push(performance.now());
      if (times.length > 1) await route.continue();
      else await route.fulfill({ status: 429, headers: { "Retry-After": "3" }, json: LIMITED });
    });
    await choose(["limited-1.png", "limited-2.png"]);
    await page.getByText(/trying again in \d s/).waitFor();
    await page.getByText("The plan allows 60 requests per minute. The upload continues in 3 s.").waitFor();
    await page.getByText("2 of 2 uploaded").waitFor();
    await categoriesOf(["limited-1.png", "limited-2.png"]);
    expect(times).toHaveLength(3);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(3000);
  });

  test("a wait that is too long is left to a person, who can try again", async () => {
    await openUploads();
    let sent = 0;
    const json = { error: { code: "quota_exceeded", message: "The quota is used up.", details: {} } };
    await onUpload(async (route) => {
      if (++sent > 1) await route.continue();
      else await route.fulfill({ status: 429, headers: { "Retry-After": "90000" }, json });
    });
    await choose(["later-1.png", "later-2.png"]);
    await page.getByText("1 of 2 uploaded, 1 refused").waitFor();
    await page.getByText("The quota is used up.").waitFor();
    expect(sent).toBe(2);
    expect(await lookAt(page, "upload-refused-for-now")).toEqual([]);
    await page.getByRole("button", { name: "Try again: later-1.png" }).click();
    await page.getByText("2 of 2 uploaded").waitFor();
    await categoriesOf(["later-1.png", "later-2.png"]);
  });
});

describe.skipIf(!HAS_CHROMIUM)("the result of a photo", () => {
  let mediaUrl: string;

  test("comes with its download while the page is looked at", async () => {
    await page.goto(`${origin}/dashboard/media`);
    await withoutInference(async () => {
      await openUploads();
      for (const name of ["Heads", "License plates"]) await page.getByLabel(name).uncheck();
      for (const name of ["QR codes", "Barcodes"]) await page.getByLabel(name).check();
      await page.setInputFiles("input[type=file]", {
        name: "codes.jpg",
        mimeType: "image/jpeg",
        buffer: codes,
      });
      await page.getByText("This page updates when the result is ready.").waitFor();
      expect(await page.getByRole("link", { name: "Download" }).count()).toBe(0);
      await page.evaluate(() => Object.assign(window, { isSamePage: true }));
      mediaUrl = page.url();
      // A request for the page that is never answered must not be the last.
      await page.route(mediaUrl, () => undefined, { times: 1 });
    });
    await page.getByRole("img", { name: "Redacted picture" }).waitFor();
    await page.getByRole("link", { name: "Download" }).waitFor();
    expect(await page.evaluate(() => "isSamePage" in window)).toBe(true);
    await page.getByText(/Kept until/).waitFor();
  });

  test("says under the pointer what a box is", async () => {
    await page.goto(mediaUrl);
    await page.locator(".sliding").waitFor();
    // Half of the width shows the original, which lies above.
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
    for (const title of titles) expect(title).toMatch(/^(QR codes|Barcodes), \d+%$/);
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
    await swipe(phone, { x: x + width * 0.5, y: middle }, { x: x + width * 0.9, y: middle });
    await expect.poll(share).toBeGreaterThan(85);
    const before = await phone.evaluate(() => window.scrollY);
    await swipe(phone, { x: x + width * 0.2, y: middle }, { x: x + width * 0.2, y: middle - 150 });
    await expect.poll(async () => await phone.evaluate(() => window.scrollY)).toBeGreaterThan(before + 50);
    expect(await share()).toBeGreaterThan(85);
    await phone.context().close();
  });
});

describe.skipIf(!HAS_CHROMIUM)("a newcomer who uploads", () => {
  test("sees the list grow under a refused file, and a quota that counts what is reserved", async () => {
    const newcomer = await openWatchedPage(browser, complaints);
    await signUpNewcomer(newcomer, origin, `${crypto.randomUUID()}@example.com`);
    await newcomer.goto(`${origin}/dashboard/media`);
    await newcomer.getByText("No media yet").waitFor();
    const buffer = await photo();
    await withoutInference(async () => {
      await newcomer.setInputFiles("input[type=file]", [
        { name: "listed-1.png", mimeType: "image/png", buffer },
        { name: "broken.png", mimeType: "image/png", buffer: Buffer.from("no picture") },
        { name: "listed-2.png", mimeType: "image/png", buffer },
      ]);
      await newcomer.locator("#media-rows").getByText("listed-1.png").waitFor();
      await newcomer.locator("#media-rows").getByText("listed-2.png").waitFor();
      expect(await newcomer.getByText("No media yet").count()).toBe(0);
      await newcomer.getByText("2 of 3 uploaded, 1 refused").waitFor();
      expect(await lookAt(newcomer, "upload-list")).toEqual([]);
      await newcomer.goto(`${origin}/dashboard`);
      await newcomer.locator(".figure", { hasText: "2 of 50" }).waitFor();
      await newcomer.getByText("0 done, 2 reserved for files in progress").waitFor();
      expect(await lookAt(newcomer, "quota-reserved")).toEqual([]);
    });
    await expect
      .poll(async () => await newcomer.locator(".rows .completed").count(), { timeout: WAIT_MS })
      .toBe(2);
    await newcomer.getByText("reserved for files in progress").waitFor({ state: "detached" });
    await newcomer.context().close();
  });

  test("does all of that without one complaint of the pages' policy or scripts", () => {
    expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  });
});
