/// <reference lib="dom" />
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { ffmpeg } from "../node-support/ffmpeg.ts";
import { SPEECH_RATE, syntheticSpeech } from "../support/synthetic-speech.ts";
import { HAS_CHROMIUM, keepPdf, launchChromium, openWatchedPage } from "./chromium.ts";
import { failFiles } from "./failed-files.ts";
import { signUpNewcomer } from "./newcomer.ts";
import { loadCodes, pictureWithCodes, readableCodes } from "./pictures.ts";
import { describe as describeService } from "./running-service.ts";
import { chooseCategories, chooseFiles, redactFiles, type ChosenFile } from "./upload-steps.ts";

const execute = promisify(execFile);

const PHOTOS = 10;
const FILM = "talk.webm";
const CORRECTED = "way-01.jpg";
const RETRIED = "way-02.jpg";
const FILM_SECONDS = 6;
/** When somebody talks in the film, in seconds. */
const TALK = { from: 1.5, until: 4 };
/** Opus is decoded with a delay, and its frames overlap. */
const CODEC_SECONDS = 0.1;
const SILENT = 0.001;

let browser: Browser;
let page: Page;
let origin: string;
let directory: string;
const complaints: string[] = [];

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  await loadCodes();
  directory = await mkdtemp(join(tmpdir(), "veil-way-"));
  ({ origin } = new URL((await describeService(inject("service").directory)).baseUrl));
  browser = await launchChromium();
  page = await openWatchedPage(browser, complaints);
  await signUpNewcomer(page, origin, "way@example.com");
});

afterAll(async () => {
  if (!HAS_CHROMIUM) return;
  await browser.close();
  await rm(directory, { recursive: true, force: true });
});

/** Ten photos with a QR code and a barcode, and a film of the same, in which somebody talks over a hum. */
async function files(): Promise<ChosenFile[]> {
  const { picture } = await pictureWithCodes();
  const photos = Array.from({ length: PHOTOS }, async (_, index) => ({
    name: `way-${String(index + 1).padStart(2, "0")}.jpg`,
    mimeType: "image/jpeg",
    buffer: await picture
      .clone()
      .jpeg({ quality: 80 + index })
      .toBuffer(),
  }));
  const still = await picture.clone().resize(480, 360).png().toBuffer();
  return [...(await Promise.all(photos)), { name: FILM, mimeType: "video/webm", buffer: await film(still) }];
}

async function film(still: Buffer): Promise<Buffer> {
  const sound = Int16Array.from({ length: FILM_SECONDS * SPEECH_RATE }, (_, at) => 600 * Math.sin(at / 5));
  const talk = syntheticSpeech(TALK.until - TALK.from);
  const start = TALK.from * SPEECH_RATE;
  for (const [at, value] of talk.entries()) sound[start + at] = (sound[start + at] ?? 0) + 30_000 * value;
  const { bytes } = await ffmpeg(
    { "still.png": still, "talk.pcm": new Uint8Array(sound.buffer) },
    [
      ...`-loop 1 -framerate 10 -t ${FILM_SECONDS} -i still.png -f s16le -ar ${SPEECH_RATE} -ac 1 -i talk.pcm`.split(
        " ",
      ),
      ..."-pix_fmt yuv420p -c:v libvpx -deadline realtime -cpu-used 8 -b:v 1M -g 20 -c:a libopus -b:a 48k".split(
        " ",
      ),
    ],
    FILM,
  );
  return Buffer.from(bytes);
}

/** The loudest sample of a time range of a film, 0…1. */
async function loudness(video: Uint8Array, fromSeconds: number, untilSeconds: number): Promise<number> {
  const { bytes } = await ffmpeg(
    { [FILM]: video },
    `-i ${FILM} -f s16le -ar ${SPEECH_RATE} -ac 1`.split(" "),
    "sound.pcm",
  );
  const samples = new Int16Array(bytes.slice().buffer);
  return samples
    .subarray(fromSeconds * SPEECH_RATE, untilSeconds * SPEECH_RATE)
    .reduce((most, value) => Math.max(most, Math.abs(value) / 32_768), 0);
}

async function openFile(name: string): Promise<void> {
  await page.goto(`${origin}/dashboard/media?sort=name&order=asc`);
  await page.locator("#media-rows").getByRole("link", { name, exact: true }).click();
  await page.waitForURL(/\/dashboard\/media\/[0-9a-f-]{36}$/);
}

async function bytesAt(address: string): Promise<Buffer> {
  return await (await page.request.get(address)).body();
}

/** Prints the report of the page's file, and verifies it with the command. Returns the report's text. */
async function report(name: string): Promise<string> {
  const file = page.url();
  await page.goto(`${file}/report`);
  await page.getByRole("heading", { name: `Report on ${name}` }).waitFor();
  await keepPdf(`way-${name}`, await page.pdf({ preferCSSPageSize: true }));
  const kept = async (as: string, address: string): Promise<string> => {
    const path = join(directory, as);
    await writeFile(path, await bytesAt(address));
    return path;
  };
  const { stdout } = await execute(
    join(import.meta.dirname, "../../node_modules/.bin/veil"),
    [
      "verify",
      await kept(`${name}.jws`, `${file}/report/export?format=jws`),
      await kept(name, `${file}/download`),
      "--jwks",
      await kept("jwks.json", `${origin}/.well-known/jwks.json`),
    ],
    { cwd: directory, env: { PATH: process.env["PATH"] } },
  );
  expect(stdout).toContain("is, byte by byte, the redacted file of media");
  return (await page.locator(".record").textContent()) ?? "";
}

describe.skipIf(!HAS_CHROMIUM)("a person with ten photos and a film in which somebody talks", () => {
  test("gives a reason for QR codes, and has all of it redacted, with speech muted", async () => {
    await page.goto(`${origin}/dashboard/reasons?list=foia`);
    await page.getByLabel("Reason of QR codes").selectOption("(b)(6)");
    await page.getByRole("button", { name: "Save reasons" }).click();
    await page.getByText("The reasons were saved.").waitFor();
    await page.goto(`${origin}/dashboard/upload`);
    await chooseFiles(page, await files());
    await chooseCategories(page, ["QR codes", "Barcodes"]);
    await page.locator("[data-more] summary").click();
    await page.getByLabel("Mute speech in videos").check();
    await redactFiles(page);
    await page.getByRole("link", { name: "See them in Media" }).waitFor();
    await page.goto(`${origin}/dashboard/media`);
    await expect
      .poll(async () => await page.locator("#media-rows .status.completed").count())
      .toBe(PHOTOS + 1);
  });

  test("retries a photo that failed", async () => {
    await page.goto("about:blank");
    await failFiles([RETRIED]);
    await page.goto(`${origin}/dashboard/media`);
    await page.getByRole("button", { name: `Retry ${RETRIED}` }).click();
    await page.getByText("1 file is being retried.").waitFor();
    await expect
      .poll(async () => await page.locator("#media-rows .status.completed").count())
      .toBe(PHOTOS + 1);
  });

  test("corrects a photo, and has its report printed and verified", async () => {
    await openFile(CORRECTED);
    const first = page.url();
    await page.getByRole("link", { name: "Edit" }).click();
    const bars = page.locator('.stage .thing[data-category="barcodes"]').first();
    await bars.click();
    await expect.poll(async () => await bars.getAttribute("aria-checked")).toBe("false");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.waitForURL((url) => /\/media\/[0-9a-f-]{36}$/.test(url.href) && url.href !== first);
    await page.getByRole("img", { name: "Redacted picture" }).waitFor();
    expect(await readableCodes(await bytesAt(`${page.url()}/download`))).toBe(1);
    const text = await report(CORRECTED);
    expect(text).toContain("(b)(6)");
    expect(text).toContain("Barcodes");
  });

  test("finds nobody's voice in the film and the hum where nobody talks, as its report says", async () => {
    await openFile(FILM);
    const video = await bytesAt(`${page.url()}/download`);
    const hum = await loudness(video, 0.2, TALK.from - 0.8);
    expect(hum).toBeGreaterThan(5 * SILENT);
    expect(await loudness(video, FILM_SECONDS - 0.8, FILM_SECONDS - 0.2)).toBeGreaterThan(5 * SILENT);
    expect(await loudness(video, TALK.from + CODEC_SECONDS, TALK.until - CODEC_SECONDS)).toBeLessThan(SILENT);
    expect(await report(FILM)).toMatch(/Sound.*silent/s);
  });

  test("deletes all of it, and nothing is left", async () => {
    await page.goto(`${origin}/dashboard/media`);
    await page.getByLabel("Select all").click();
    page.once("dialog", (dialog) => {
      void dialog.accept();
    });
    await page.locator(".selection-bar").getByRole("button", { name: "Delete" }).click();
    await page
      .getByText(`${PHOTOS + 1} files and all their versions (${PHOTOS + 3} in all) were deleted.`)
      .waitFor();
    await expect.poll(async () => await page.locator("#media-rows > li").count()).toBe(0);
    await page.goto(`${origin}/dashboard/media?sort=name&order=asc`);
    expect(await page.getByText(CORRECTED).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
