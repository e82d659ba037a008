/// <reference lib="dom" />
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { filesInZip } from "../support/zip.ts";
import { ffmpeg } from "../node-support/ffmpeg.ts";
import { HAS_CHROMIUM, launchChromium, lookAt, openWatchedPage } from "./chromium.ts";
import { drag, onScreen } from "./editor-page.ts";
import { signUpNewcomer } from "./newcomer.ts";
import { watchAndApprove } from "./review-steps.ts";
import { describe as describeService } from "./running-service.ts";
import { photo } from "./upload-photos.ts";
import { chooseFiles, figures, onUpload, redactFiles, sentRows } from "./upload-steps.ts";

const PHOTOS = 30;
/** Files that arrive before the page is loaded again. */
const BEFORE_RELOAD = 8;
/** Further files that arrive before it but whose answers are lost. */
const UNANSWERED = 2;
const MISSING = PHOTOS + 2 - BEFORE_RELOAD - UNANSWERED;
const SOURCE = "-f lavfi -i testsrc=size=160x120:rate=10:duration=1 -pix_fmt yuv420p";
/** The browser of the tests plays VP8, and no H.264. */
const FILMS = { "first.webm": "libvpx", "second.mkv": "libx264" } as const;

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
  for (let index = 1; index <= PHOTOS; index++)
    await writeFile(
      join(directory, "case 17", `photo-${index}.png`),
      await photo({ r: 8 * index, g: 167, b: 181 }),
    );
  for (const [name, codec] of Object.entries(FILMS)) {
    const { bytes } = await ffmpeg({}, `${SOURCE} -c:v ${codec}`.split(" "), name);
    await writeFile(join(directory, "case 17", "films", name), bytes);
  }
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

/** A version of a file in the manifest of a ZIP. */
interface Listed {
  readonly file_in_zip: string;
  readonly id: string;
  readonly folder: string;
  readonly result_sha256: string;
  readonly is_current: string;
}

let batchUrl: string;
let listed: readonly Listed[];

async function chooseFolder(): Promise<void> {
  await page.locator("form.upload:not([hidden])").waitFor();
  await page.setInputFiles("#folder", join(directory, "case 17"));
}

/** Drops the answers to `count` uploads after the first `after` ones. */
async function loseAnswers(after: number, count: number): Promise<void> {
  await page.evaluate(
    ({ first, end }) => {
      let opened = 0;
      globalThis.XMLHttpRequest = class extends XMLHttpRequest {
        override open(method: string, url: string | URL): void {
          super.open(method, url, true);
          if (method !== "POST") return;
          if (opened >= first && opened < end) this.addEventListener = () => undefined;
          this.setRequestHeader("X-Turn", String(opened++));
        }
      };
    },
    { first: after, end: after + count },
  );
}

/** Opens the page of a file of the upload. */
async function openFile(name: string): Promise<void> {
  await page.goto(batchUrl);
  await page.locator("#media-rows").getByRole("link", { name, exact: false }).first().click();
  await page.waitForURL(/\/dashboard\/media\/[0-9a-f-]{36}$/);
}

function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

describe.skipIf(!HAS_CHROMIUM)("an officer's folder of thirty photos and two films", () => {
  test("is chosen; a page that is loaded again shows what has arrived and asks for the rest alone", async () => {
    await page.goto(`${origin}/dashboard/upload`);
    await chooseFolder();
    await page.getByRole("button", { name: `Redact ${PHOTOS + 2} files` }).waitFor();
    expect(await page.locator("[data-notes]").textContent()).toContain("case 17/notes.txt");
    const held: string[] = [];
    await onUpload(page, async (route) => {
      const headers = route.request().headers();
      if (Number(headers["x-turn"]) < BEFORE_RELOAD + UNANSWERED) await route.continue();
      else held.push(headers["idempotency-key"] ?? "");
    });
    await loseAnswers(BEFORE_RELOAD, UNANSWERED);
    await redactFiles(page);
    await figures(page, `${BEFORE_RELOAD} of ${PHOTOS + 2} uploaded`);
    expect(page.url()).toMatch(/\/dashboard\/batches\/[0-9a-f]{32}$/);
    batchUrl = page.url();
    await expect
      .poll(async () => {
        const answer = await page.request.get(`${batchUrl}/files`);
        return ((await answer.json()) as { files: unknown[] }).files.length;
      })
      .toBe(BEFORE_RELOAD + UNANSWERED);
    await page.reload();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.getByText(`The page was reloaded before ${MISSING} files were sent.`).waitFor();
    expect(await page.locator("#media-rows > li").count()).toBe(BEFORE_RELOAD + UNANSWERED);
    await page.getByText("case 17/notes.txt: Not a photo or video.").waitFor();
    expect(await lookAt(page, "batch-unsent")).toEqual([]);
    await page.getByRole("link", { name: "Choose them again" }).click();
    await page.getByText(`${MISSING} files of this upload are missing.`).waitFor();
    expect(await page.locator("[data-missing-names]").textContent()).toMatch(
      /case 17\/photo-28\.png.*and 2 more/,
    );
    await chooseFolder();
    await page.getByRole("button", { name: `Redact ${MISSING} photos` }).waitFor();
    await page.getByText(`Already sent, so skipped: ${BEFORE_RELOAD + UNANSWERED} files`).waitFor();
    const again: string[] = [];
    await onUpload(page, async (route) => {
      again.push(route.request().headers()["idempotency-key"] ?? "");
      await route.continue();
    });
    await redactFiles(page);
    await figures(page, `${MISSING} of ${MISSING} uploaded`);
    // Files that were being sent when the page was closed have their keys stored, in case they arrived.
    expect(held.length).toBeGreaterThan(0);
    for (const key of held) expect(again).toContain(key);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    const names = (await sentRows(page)).map(({ name }) => name);
    expect(names.filter((name) => name.includes("/"))).toEqual([]);
    await page.goto(batchUrl);
    await page.getByText(`${PHOTOS + 2} of ${PHOTOS + 2} done`).waitFor();
    expect(await page.locator("#media-rows > li").count()).toBe(PHOTOS + 2);
    expect(await page.locator("[data-unsent]").isHidden()).toBe(true);
    expect(await lookAt(page, "batch")).toEqual([]);
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
    // Files in subfolders are found too.
    await page.goto(`${origin}/dashboard/media?folder=${encodeURIComponent("case 17")}`);
    await expect.poll(async () => await rows.count()).toBe(PHOTOS + 2);
  });

  test("has one photo corrected and one film reviewed", async () => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await openFile("photo-7.png");
    const before = page.url();
    // The picture is visible before the script that handles drags is loaded.
    await page.route(/\/editor[^/]*\.js/, async (route) => {
      await setTimeout(1_000);
      await route.continue();
    });
    await page.getByRole("link", { name: "Edit" }).click();
    const stage = page.locator("svg.stage");
    await stage.waitFor();
    await page.getByLabel("Box", { exact: true }).check();
    await drag(page, await onScreen(stage, 8, 8), await onScreen(stage, 40, 30));
    await page.getByRole("button", { name: "Apply" }).click();
    await page.waitForURL((url) => /\/media\/[0-9a-f-]{36}$/.test(url.href) && url.href !== before);
    await page.getByRole("img", { name: "Redacted picture" }).waitFor();

    await openFile("first.webm");
    await page.locator("summary", { hasText: "More" }).click();
    await page.getByRole("button", { name: "Send to review" }).click();
    await page.goto(batchUrl);
    await page.getByText("1 to review").waitFor();
    await page.getByRole("link", { name: "Start reviewing" }).click();
    await watchAndApprove(page);
    await page.waitForURL(/notice=review_end/);
  });

  test("is downloaded as a ZIP of every file's current version, byte for byte", async () => {
    await page.goto(batchUrl);
    expect(await page.locator("#media-rows > li").count()).toBe(PHOTOS + 2);
    await page.getByText("corrected").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download all as ZIP" }).click(),
    ]);
    const { "manifest.csv": manifest, ...files } = Object.fromEntries(
      filesInZip(new Uint8Array(await readFile(await download.path()))),
    );
    const [names = [], ...lines] = new TextDecoder()
      .decode(manifest)
      .split("\r\n")
      .slice(0, -1)
      .map((line) => line.slice(1, -1).split('","'));
    listed = lines.map(
      (cells) => Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ""])) as unknown as Listed,
    );
    expect(listed).toHaveLength(PHOTOS + 2);
    expect(Object.keys(files).toSorted()).toEqual(listed.map(({ file_in_zip: name }) => name).toSorted());
    const ids = await page
      .locator("#media-rows > li")
      .evaluateAll((rows) => rows.map((row) => row.id.replace("media-", "")));
    expect(listed.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    for (const { file_in_zip: name, id, is_current: isCurrent, result_sha256: hash } of listed) {
      expect(isCurrent).toBe("yes");
      expect(sha256Of(files[name] ?? new Uint8Array())).toBe(hash);
      const now = await page.request.get(`${origin}/dashboard/media/${id}/output`);
      expect(sha256Of(await now.body())).toBe(hash);
    }
    expect(listed.filter(({ folder }) => folder === "case 17/films")).toHaveLength(2);
  });

  test("is deleted, all of it, and the proof is printed", async () => {
    page.once("dialog", (dialog) => void dialog.accept());
    await page.getByRole("button", { name: "Delete all" }).click();
    await page
      .getByText(`${PHOTOS + 2} files and all their versions (${PHOTOS + 3} in all) were deleted.`)
      .waitFor();
    await page.getByRole("link", { name: "See the deletion record" }).click();
    await page.getByText(`were deleted (${PHOTOS + 2} uploads, 1 later version)`).waitFor();
    await page.getByText("Nothing is left of them in storage or the database").waitFor();
    const record = (await page.locator(".proofs").textContent()) ?? "";
    for (const { id, result_sha256: hash } of listed) {
      expect(record).toContain(id);
      expect(record).toContain(hash);
    }
    expect(record).not.toContain("photo-7.png");
    expect(await lookAt(page, "deletion-record")).toEqual([]);
    await page.emulateMedia({ media: "print", colorScheme: "light" });
    for (const selector of [".sections", ".bar", ".filters"])
      expect(await page.locator(selector).first().isHidden()).toBe(true);
    const printed = await page.pdf({ format: "A4" });
    expect(new TextDecoder("latin1").decode(printed.subarray(0, 5))).toBe("%PDF-");
    expect(printed.length).toBeGreaterThan(10_000);
    await page.emulateMedia({ media: "screen" });
    for (const { id } of listed)
      expect((await page.request.get(`${origin}/dashboard/media/${id}/output`)).status()).toBe(404);
    // Requests for deleted files get 404.
    expect(complaints.filter((text) => !text.includes("404"))).toEqual([]);
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
