/// <reference lib="dom" />
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { kindOf } from "../../src/web/dashboard/assets/upload-check.ts";
import { sniff } from "../../src/intake/uploads/files/sniff.ts";
import { HAS_CHROMIUM, launchChromium, lookAt, openWatchedPage } from "./chromium.ts";
import { dropFromDisk } from "./file-drags.ts";
import { describe as describeService } from "./running-service.ts";
import { categoriesOf, listed, photo, photosNamed, samplesOfAllKinds } from "./upload-photos.ts";
import {
  chooseCategories,
  chooseFiles,
  figures,
  holdUploads,
  onUpload,
  redactFiles,
  sentRows,
} from "./upload-steps.ts";

/** More than a browser returns of a folder at once. */
const FOLDER_FILES = 101;
const FOLDER_WAIT_MS = 180_000;
const BESIDE = { x: 40, y: 4 };
let browser: Browser;
let page: Page;
let origin: string;
let signInUrl: string;
let folder: string;
const complaints: string[] = [];

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  const service = await describeService(inject("service").directory);
  origin = new URL(service.baseUrl).origin;
  signInUrl = service.signInUrl;
  folder = await mkdtemp(join(tmpdir(), "veil-drop-"));
  browser = await launchChromium();
  page = await openWatchedPage(browser, complaints);
  await page.goto(signInUrl);
});

afterEach(async () => {
  if (!HAS_CHROMIUM) return;
  page.removeAllListeners("dialog");
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

afterAll(async () => {
  if (!HAS_CHROMIUM) return;
  await browser.close();
  await rm(folder, { recursive: true, force: true });
});

async function openUploads(on = page): Promise<void> {
  await on.goto(`${origin}/dashboard/upload`);
  await on.locator("form.upload:not([hidden])").waitFor();
}

/** Opens the page and sends these photos with the default settings. */
async function send(names: readonly string[], on = page): Promise<void> {
  await openUploads(on);
  await chooseFiles(on, await photosNamed(names));
  await redactFiles(on);
}

describe.skipIf(!HAS_CHROMIUM)("uploading in a real browser", () => {
  test("chooses first, then settings, then says on its button what it does", async () => {
    await openUploads();
    expect(await page.locator("[data-staging]").isVisible()).toBe(false);
    expect(await lookAt(page, "upload-empty")).toEqual([]);
    await chooseFiles(page, await photosNamed(["chosen-1.png", "chosen-2.png", "chosen-3.png"]));
    await page.getByRole("button", { name: "Redact 3 photos" }).waitFor();
    expect(await lookAt(page, "upload-chosen")).toEqual([]);
    await page.locator("[data-more] summary").click();
    await chooseCategories(page, ["Heads", "QR codes"]);
    await expect.poll(async () => await page.getByLabel("Your choice").isChecked()).toBe(true);
    expect(await lookAt(page, "upload-settings")).toEqual([]);
    await page.getByLabel("Review before redacting").check();
    await page.getByRole("button", { name: "Analyze 3 photos" }).waitFor();
    await page.getByRole("button", { name: "Remove chosen-2.png" }).click();
    await page.getByRole("button", { name: "Analyze 2 photos" }).waitFor();
    await page.getByRole("button", { name: "Remove all" }).click();
    await page.locator("[data-staging]").waitFor({ state: "hidden" });
  });

  test("of files that are reviewed before redacting says that they are analyzed, never that they are redacted", async () => {
    await openUploads();
    await page.evaluate(() => {
      const titles = new Set<string>();
      Object.assign(window, { titles });
      const work = document.querySelector("[data-work]");
      if (work === null) throw new Error("There is nothing to follow.");
      new MutationObserver(() => {
        for (const shown of work.querySelectorAll("[data-work-title], [data-state]"))
          titles.add(shown.textContent ?? "");
      }).observe(work, { childList: true, subtree: true, characterData: true });
    });
    await chooseFiles(page, await photosNamed(["look-1.png", "look-2.png"]));
    await page.locator("[data-more] summary").click();
    await page.getByLabel("Review before redacting").check();
    await redactFiles(page);
    await page.getByRole("heading", { name: "2 photos ready for review" }).waitFor();
    const titles = await page.evaluate(() => [...(window as unknown as { titles: Set<string> }).titles]);
    expect(titles).toContain("Analyzing 2 photos");
    expect(titles.filter((title) => title.includes("Redact"))).toEqual([]);
  });

  test("a file that cannot be sent says why at once, and is not sent", async () => {
    await openUploads();
    let sent = 0;
    await onUpload(page, async (route) => {
      sent++;
      await route.fallback();
    });
    await chooseFiles(page, [
      ...(await photosNamed(["sound.png"])),
      { name: "photo.jpg", mimeType: "image/jpeg", buffer: Buffer.from("no picture") },
      {
        name: "camera.cr3",
        mimeType: "image/x-canon-cr3",
        buffer: Buffer.from("\0\0\0\u0018ftypcrx \0\0\0\0crx isom"),
      },
      { name: "empty.png", mimeType: "image/png", buffer: Buffer.alloc(0) },
    ]);
    await page.getByText("not a photo or video that can be read here", { exact: false }).waitFor();
    await page.getByText("This is a camera raw file", { exact: false }).waitFor();
    await page.getByText("The file is empty.").waitFor();
    // Only accepted files count as added.
    await expect
      .poll(async () => await page.locator("[data-said]").textContent())
      .toBe("1 file added, 3 refused.");
    expect(await lookAt(page, "upload-refused")).toEqual([]);
    await page.getByRole("button", { name: "Redact 1 photo" }).click();
    await figures(page, "1 of 4 uploaded");
    expect(sent).toBe(1);
    // Refused files still show the reason.
    await page.getByText("The file is empty.").waitFor();
  });

  test("what the service takes by its content is refused by no page, and what it never takes is refused at once", async () => {
    const samples = await samplesOfAllKinds();
    const taken = samples.map((sample) => kindOf(sample).fault === undefined);
    const accepted = await Promise.all(samples.map(async (sample) => "format" in (await sniff(sample))));
    expect(taken).toEqual(accepted);
    expect(new Set(taken).size).toBe(2);
  });

  test("without a category nothing begins, and it says so", async () => {
    await openUploads();
    await chooseFiles(page, await photosNamed(["nothing.png"]));
    await chooseCategories(page, []);
    await redactFiles(page);
    await page.getByText("Choose what to redact", { exact: false }).waitFor();
    expect(await sentRows(page)).toEqual([]);
  });

  test("own presets are kept by the browser, and can be deleted", async () => {
    await openUploads();
    await chooseFiles(page, await photosNamed(["preset.png"]));
    await chooseCategories(page, ["Screens", "Name badges"]);
    await page.getByLabel("Pixelation").check();
    await page.getByLabel("Save these settings as").fill("Conference");
    await page.keyboard.press("Enter");
    await page.getByText("“Conference” is saved.", { exact: false }).waitFor();
    await openUploads();
    await chooseFiles(page, await photosNamed(["preset.png"]));
    await page.getByRole("radio", { name: "Conference" }).check();
    await expect.poll(async () => await page.getByLabel("Pixelation").isChecked()).toBe(true);
    expect(await lookAt(page, "upload-preset")).toEqual([]);
    await redactFiles(page);
    await figures(page, "1 of 1 uploaded");
    expect((await categoriesOf(["preset.png"])).get("preset.png")?.sort()).toEqual([
      "name_badges",
      "screens",
    ]);
    await openUploads();
    await chooseFiles(page, await photosNamed(["preset.png"]));
    await page.getByRole("button", { name: "Delete the preset Conference" }).click();
    await expect.poll(async () => await page.getByRole("radio", { name: "Conference" }).count()).toBe(0);
  });

  test("files are redacted with the settings chosen when the upload began, and further files have their own", async () => {
    await openUploads();
    const release = await holdUploads(page);
    const names = [
      "frozen-1.png",
      "frozen-2.png",
      "frozen-3.png",
      "frozen-4.png",
      "frozen-5.png",
      "frozen-6.png",
    ];
    await chooseFiles(page, await photosNamed(names));
    await redactFiles(page);
    await chooseFiles(page, await photosNamed(["later.png"]));
    await chooseCategories(page, ["QR codes"]);
    await redactFiles(page);
    release();
    await figures(page, "7 of 7 uploaded");
    const categories = await categoriesOf([...names, "later.png"]);
    for (const name of names) expect(categories.get(name)).toEqual(["heads", "license_plates"]);
    expect(categories.get("later.png")).toEqual(["qr_codes"]);
  });

  test("four are sent at once", async () => {
    let atOnce = 0;
    let most = 0;
    const { promise: areFour, resolve } = Promise.withResolvers<void>();
    await onUpload(page, async (route) => {
      most = Math.max(most, ++atOnce);
      if (most === 4) resolve();
      await areFour;
      // A fifth request would have arrived by then.
      await delay(200);
      atOnce--;
      await route.fulfill({ status: 201, json: { id: crypto.randomUUID() } });
    });
    const names = Array.from({ length: 9 }, (_, index) => `at-once-${index}.png`);
    await send(names);
    await figures(page, "9 of 9 uploaded");
    expect(most).toBe(4);
  });

  test("settings that few need are sent, and those of videos with videos alone", async () => {
    await openUploads();
    const bodies: string[] = [];
    await onUpload(page, async (route) => {
      bodies.push(route.request().postDataBuffer()?.toString("latin1") ?? "");
      await route.fulfill({ status: 201, json: { id: crypto.randomUUID() } });
    });
    const video = Buffer.from("\0\0\0\u0018ftypisom\0\0\0\0isommp42");
    await chooseFiles(page, [
      ...(await photosNamed(["still.png"])),
      { name: "moving.mp4", mimeType: "video/mp4", buffer: video },
    ]);
    await page.locator("[data-more] summary").click();
    await page.getByRole("radio", { name: "High" }).check();
    await page.getByLabel("Remove the sound of videos").check();
    await redactFiles(page);
    await figures(page, "2 of 2 uploaded");
    const [still = "", moving = ""] = bodies.sort((a) => (a.includes("still.png") ? -1 : 1));
    for (const body of bodies) {
      expect(body).toMatch(/name="sensitivity"\r\n\r\nhigh/);
      expect(body).not.toContain("detect_only");
    }
    expect(still).not.toContain(`name="audio"`);
    expect(moving).toMatch(/name="audio"\r\n\r\nmute/);
  });

  test("leaving the page while something is sent asks first, and not once all is sent", async () => {
    const release = await holdUploads(page);
    const asked: string[] = [];
    page.on("dialog", (dialog) => {
      asked.push(dialog.type());
      void dialog.dismiss();
    });
    await send(["leaving-1.png", "leaving-2.png"]);
    await page.getByRole("link", { name: "Team" }).click();
    await expect.poll(() => asked).toEqual(["beforeunload"]);
    expect(new URL(page.url()).pathname).toMatch(/^\/dashboard\/batches\//);
    release();
    await figures(page, "2 of 2 uploaded");
    await page.getByRole("link", { name: "Team" }).click();
    await page.waitForURL(/\/dashboard\/team$/);
    expect(asked).toEqual(["beforeunload"]);
  });

  test("a file that is dropped beside the zone is taken, and one that is pasted", async () => {
    await openUploads();
    const file = join(folder, "beside.png");
    await writeFile(file, await photo());
    await dropFromDisk(page, [file], BESIDE);
    await page.getByRole("button", { name: "Redact 1 photo" }).waitFor();
    const bytes = [...(await photo())];
    await page.evaluate((content) => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([new Uint8Array(content)], "image.png", { type: "image/png" }));
      document.body.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, clipboardData }));
    }, bytes);
    await page.getByRole("button", { name: "Redact 2 photos" }).waitFor();
    await page.getByText("pasted-1.png").waitFor();
  });

  test("a file that is dropped on a page without a zone does not take its place", async () => {
    await page.goto(`${origin}/dashboard/keys`);
    // A headless browser never opens a dropped file, so the test checks that the default action is prevented.
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

  test("a dropped folder is read completely, and files that are no photos or videos are named", async () => {
    await openUploads();
    let sent = 0;
    await onUpload(page, async (route) => {
      sent++;
      await route.fulfill({ status: 201, json: { id: crypto.randomUUID() } });
    });
    const top = join(folder, "holiday");
    await mkdir(join(top, "second day"), { recursive: true });
    const picture = await photo();
    for (let index = 1; index <= FOLDER_FILES; index++)
      await writeFile(join(top, `photo-${index}.png`), picture);
    await writeFile(join(top, "second day", "sea.JPG"), picture);
    await writeFile(join(top, "second day", "notes.txt"), "no picture");
    await dropFromDisk(page, [top], BESIDE);
    await page.getByRole("button", { name: `Redact ${FOLDER_FILES + 1} photos` }).waitFor();
    expect(await page.locator("[data-notes]").textContent()).toContain("holiday/second day/notes.txt");
    await redactFiles(page);
    await page
      .locator("[data-figures]", { hasText: `${FOLDER_FILES + 1} of ${FOLDER_FILES + 1} uploaded` })
      .waitFor({ timeout: FOLDER_WAIT_MS });
    expect(sent).toBe(FOLDER_FILES + 1);
    expect(await page.locator("[data-sent] li", { hasText: "sea.JPG" }).textContent()).toContain(
      "holiday/second day",
    );
  });

  test("an exhausted quota is reported for every photo, which is sent when the user retries", async () => {
    let sent = 0;
    const json = {
      error: { code: "quota_exceeded", message: "The quota is used up.", details: { metric: "images" } },
    };
    await onUpload(page, async (route) => {
      if (++sent > 4) await route.continue();
      else await route.fulfill({ status: 429, headers: { "Retry-After": "90000" }, json });
    });
    const names = Array.from({ length: 8 }, (_, index) => `quota-${index}.png`);
    await send(names);
    await figures(page, "8 not sent");
    expect(sent).toBeLessThanOrEqual(4);
    await page.getByText("The quota is used up.").first().waitFor();
    expect(await lookAt(page, "upload-refused-for-now")).toEqual([]);
    sent = 4;
    await page.getByRole("button", { name: "Try failed files again" }).click();
    await figures(page, "8 of 8 uploaded");
    await categoriesOf(names);
  });

  test("a file is cancelled and sent after all; one whose cancelling comes too late is deleted", async () => {
    // The service has the whole file, and its answer is held back.
    const debugging = await page.context().newCDPSession(page);
    try {
      const held: string[] = [];
      debugging.on("Fetch.requestPaused", ({ requestId }) => held.push(requestId));
      const patterns = [{ urlPattern: "*/dashboard/media", requestStage: "Response" as const }];
      await debugging.send("Fetch.enable", { patterns });
      await send(["stored-and-cancelled.png"]);
      await expect
        .poll(async () => (await listed()).map(({ filename }) => filename))
        .toContain("stored-and-cancelled.png");
      await page.locator("[data-sent] .status", { hasText: "Saving" }).waitFor();
      // The service lists the file before its answer is on the way.
      await expect.poll(() => held.length).toBe(1);
      await page.getByRole("button", { name: "Cancel stored-and-cancelled.png" }).click();
      for (const requestId of held) await debugging.send("Fetch.continueRequest", { requestId });
      await figures(page, "1 cancelled");
      await expect
        .poll(async () => (await listed()).map(({ filename }) => filename))
        .not.toContain("stored-and-cancelled.png");
    } finally {
      // Releases the answers that are still held.
      await debugging.detach();
    }
    await page.getByRole("button", { name: "Try again: stored-and-cancelled.png" }).click();
    await figures(page, "1 of 1 uploaded");
    await categoriesOf(["stored-and-cancelled.png"]);
  });

  test("a session that ends is waited for: who signs in again in another tab loses nothing", async () => {
    const visitor = await openWatchedPage(browser, complaints);
    await visitor.goto(signInUrl);
    // Stops the page's own updates every ten seconds, so that only the person's action counts.
    await visitor.clock.setFixedTime(Date.now());
    const release = await holdUploads(visitor);
    await send(["signed-out-1.png", "signed-out-2.png"], visitor);
    const cookies = await visitor.context().cookies();
    await visitor.context().clearCookies();
    release();
    await visitor.locator("[data-pause-text]", { hasText: "Sign in again in another tab." }).waitFor();
    await visitor.context().addCookies(cookies);
    await visitor.getByRole("button", { name: "Continue now" }).click();
    await figures(visitor, "2 of 2 uploaded");
    await visitor.context().close();
    await categoriesOf(["signed-out-1.png", "signed-out-2.png"]);
  });

  test("says turning points alone to whoever hears the page", async () => {
    await openUploads();
    await page.evaluate(() => {
      const heard: string[] = [];
      Object.assign(window, { heard });
      const said = document.querySelector("[data-said]");
      if (said === null) return;
      new MutationObserver(() => heard.push(said.textContent ?? "")).observe(said, { childList: true });
    });
    const names = Array.from({ length: 8 }, (_, index) => `heard-${index}.png`);
    await chooseFiles(page, await photosNamed(names));
    await redactFiles(page);
    await page.getByRole("button", { name: "Download all as ZIP" }).waitFor();
    const heard = await page.evaluate(() => (window as unknown as { heard: string[] }).heard);
    expect(heard[0]).toBe("8 files added.");
    expect(heard.at(-1)).toBe("8 photos done.");
    expect(heard.length).toBeLessThanOrEqual(5);
  });

  test("does all of that without one complaint of the pages' policy or scripts", () => {
    expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  });
});
