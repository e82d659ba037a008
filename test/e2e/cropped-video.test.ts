/// <reference lib="dom" />
import sharp from "sharp";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { concatBytes } from "../../src/pixels/redaction/bytes/bytes.ts";
import { box, u32 } from "../../src/work/video/containers/boxes.ts";
import { ffmpeg } from "../node-support/ffmpeg.ts";
import { withSampleEntry } from "../video/formats/edit-movie.ts";
import { HAS_CHROMIUM, launchChromium, openWatchedPage } from "./chromium.ts";
import { call, ended, upload } from "./client.ts";
import { describe as describeService } from "./running-service.ts";

const CODED = { width: 320, height: 240 };
const SHOWN = { left: 96, top: 40, width: 160, height: 120 };
const FILM = "-f lavfi -i testsrc2=size=320x240:rate=10:duration=1 -c:v libx264 -pix_fmt yuv420p".split(" ");
/** By how many levels pixels of a screenshot may differ on average, because it is scaled and colors are converted twice. */
const SAME_LEVELS = 20;

let browser: Browser;
let page: Page;
let origin: string;
let whole: Uint8Array<ArrayBuffer>;
const complaints: string[] = [];

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  const service = await describeService(inject("service").directory);
  origin = new URL(service.baseUrl).origin;
  browser = await launchChromium();
  page = await openWatchedPage(browser, complaints, { viewport: { width: 1280, height: 900 } });
  await page.goto(service.signInUrl);
  whole = (await ffmpeg({}, FILM, "film.mp4")).bytes;
});

afterAll(async () => {
  if (HAS_CHROMIUM) await browser.close();
});

/** The film with a clean aperture (ISO/IEC 14496-12 §12.1.4), which Chromium does not apply. */
function croppedFilm(): Uint8Array<ArrayBuffer> {
  const right = 2 * SHOWN.left + SHOWN.width - CODED.width;
  const down = 2 * SHOWN.top + SHOWN.height - CODED.height;
  const clap = box("clap", u32(SHOWN.width, 1, SHOWN.height, 1, right, 2, down, 2));
  return Uint8Array.from(withSampleEntry(whole, "vide", (entry) => concatBytes([entry, clap])));
}

describe.skipIf(!HAS_CHROMIUM)("a film of which its container crops a part away", () => {
  test("is edited as it is shown: what is cropped away is not seen, what is left lies under the masks", async () => {
    const media = await ended(
      await upload(croppedFilm(), { filename: "cropped.mp4", categories: ["qr_codes"] }),
    );
    expect(media.status).toBe("completed");
    const found = (await (await call(`/media/${media.id}/detections`)).json()) as {
      width: number;
      height: number;
    };
    expect(found).toMatchObject({ width: SHOWN.width, height: SHOWN.height });

    await page.goto(`${origin}/dashboard/media/${media.id}/edit`);
    await page.locator("[data-editor][data-ready]").waitFor();
    const stage = await page.locator("svg.stage").boundingBox();
    if (stage === null) throw new Error("There is no stage.");
    const scale = Math.min(stage.width / SHOWN.width, stage.height / SHOWN.height);
    const seen = { width: SHOWN.width * scale, height: SHOWN.height * scale };
    const clip = {
      x: stage.x + (stage.width - seen.width) / 2,
      y: stage.y + (stage.height - seen.height) / 2,
      ...seen,
    };
    const frame = (await ffmpeg({ "film.mp4": whole }, "-i film.mp4 -frames:v 1".split(" "), "frame.png"))
      .bytes;
    const { left, top, width, height } = SHOWN;
    const expected = await sharp(frame).extract({ left, top, width, height }).removeAlpha().raw().toBuffer();
    await expect
      .poll(async () => {
        const shot = await page.screenshot({ clip });
        const pixels = await sharp(shot)
          .resize(width, height, { fit: "fill" })
          .removeAlpha()
          .raw()
          .toBuffer();
        const difference = expected.reduce((sum, value, at) => sum + Math.abs(value - (pixels[at] ?? 0)), 0);
        return difference / expected.length;
      })
      .toBeLessThan(SAME_LEVELS);
    // There is nothing beside the cropped picture.
    const [beside] = await sharp(await page.screenshot({ clip: { ...clip, x: clip.x - 12, width: 8 } }))
      .stats()
      .then(({ channels }) => [Math.max(...channels.map(({ stdev }) => stdev))]);
    if (clip.x - 12 > stage.x) expect(beside).toBeLessThan(2);
    expect(complaints).toEqual([]);
  });
});
