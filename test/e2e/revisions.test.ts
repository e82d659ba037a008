import sharp from "sharp";
import { beforeAll, expect, inject, test } from "vitest";
import { VeilClient } from "../../packages/client/src/index.ts";
import { leakScripts } from "../video/compose/scripts.ts";
import { inSequence } from "../video/compose/sequence.ts";
import { qrSymbol } from "../video-node/support/qr-codes.ts";
import { call, ended, revise, upload, type Media } from "./client.ts";
import {
  downloadEveryWay,
  expectCodesHidden,
  expectNoTracesOfCamera,
  withTraces,
  type Downloaded,
} from "./leaks.ts";
import { loadCodes, pictureWithCodes, readableCodes, type Area } from "./pictures.ts";
import { describe as describeService } from "./running-service.ts";
import { decodeVideo, encodeScript, judgeOutput } from "./videos.ts";

const PICTURE = { width: 960, height: 720 };
/** Detections of codes include their quiet zones. */
const QUIET_PIXELS = 24;
const FRAMES_PER_SECOND = 30;
/** The listed boxes of a track have an error of up to a hundredth of the picture. */
const TOLD_MARGIN = 0.02;
/** Mean difference in levels between a thumbnail and the file scaled by another program. */
const MOST_MEAN_DIFFERENCE = 6;

interface Detection {
  readonly id: string;
  readonly category: string | null;
  readonly origin: string;
  readonly redacted: boolean;
  readonly start_seconds?: number;
  readonly end_seconds?: number;
  readonly keyframes?: readonly { readonly time_seconds: number; readonly box: Box }[];
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

beforeAll(loadCodes);

async function detectionsOf(media: Media): Promise<readonly Detection[]> {
  const response = await call(`/media/${media.id}/detections`);
  return ((await response.json()) as { detections: Detection[] }).detections;
}

/** The cookies of a dashboard session. */
async function sessionCookies(): Promise<string> {
  const { signInUrl } = await describeService(inject("service").directory);
  const answer = await fetch(signInUrl, { redirect: "manual" });
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}

/** The mean difference in levels between the thumbnail of a media item and a picture. */
async function differenceOfThumbnail(media: Media, picture: Buffer, cookie: string): Promise<number> {
  const { origin } = new URL(inject("service").baseUrl);
  const answer = await fetch(`${origin}/dashboard/media/${media.id}/thumbnail`, { headers: { cookie } });
  expect(answer.headers.get("Content-Type")).toBe("image/webp");
  const small = sharp(Buffer.from(await answer.arrayBuffer())).removeAlpha();
  const { data, info } = await small.raw().toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const other = await sharp(picture).removeAlpha().resize({ width, height, fit: "fill" }).raw().toBuffer();
  return data.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0) / data.length;
}

function regionOf({ left, top, width, height }: Area): Box {
  return {
    x: (left - QUIET_PIXELS) / PICTURE.width,
    y: (top - QUIET_PIXELS) / PICTURE.height,
    width: (width + 2 * QUIET_PIXELS) / PICTURE.width,
    height: (height + 2 * QUIET_PIXELS) / PICTURE.height,
  };
}

test.for(["jpeg", "png", "webp"] as const)(
  "revisions of a %s hide as a first run does, one after the other, and show nobody what another hides",
  async (format) => {
    const { picture, qr, bars } = await pictureWithCodes();
    const source = await withTraces(picture).toFormat(format, { quality: 90 }).toBuffer();
    expect(source.includes("Somebody")).toBe(true);
    const cookie = await sessionCookies();
    const first = await ended(
      await upload(new Uint8Array(source), {
        filename: `codes.${format}`,
        categories: ["qr_codes", "barcodes"],
      }),
    );
    const found = await detectionsOf(first);
    const idOf = (category: string): string => found.find((one) => one.category === category)?.id ?? "";
    const steps = [
      { readable: 0, revised: async () => await Promise.resolve(first) },
      { readable: 1, revised: async (of: Media) => await revise(of, { redact: [idOf("qr_codes")] }) },
      {
        readable: 0,
        revised: async (of: Media) =>
          await revise(of, { redact: "none", regions: [qr, bars].map((area) => ({ box: regionOf(area) })) }),
      },
      { readable: 0, revised: async (of: Media) => await revise(of, { except: [idOf("qr_codes")] }) },
      { readable: 2, revised: async () => await revise(first, { redact: "none" }) },
      { readable: 1, revised: async (of: Media) => await revise(of, { except: [idOf("barcodes")] }) },
      { readable: 0, revised: async (of: Media) => await revise(of, { redaction_method: "pixelation" }) },
    ];
    const files: Downloaded[] = [];
    let media = first;
    for (const { readable, revised } of steps) {
      media = await revised(media);
      expect(media.status).toBe("completed");
      const file = await downloadEveryWay(media, files);
      files.push(file);
      expect(await readableCodes(file.bytes)).toBe(readable);
      expectNoTracesOfCamera(file.bytes);
      expect(await differenceOfThumbnail(media, file.bytes, cookie)).toBeLessThan(MOST_MEAN_DIFFERENCE);
      if (readable === 0)
        expect(await differenceOfThumbnail(media, source, cookie)).toBeGreaterThan(MOST_MEAN_DIFFERENCE);
    }
    // The first output still hides what the first run hid.
    const again = await downloadEveryWay(first, files.slice(1));
    expect(again.bytes.equals(files[0]?.bytes ?? Buffer.alloc(0))).toBe(true);
  },
);

test("a revision from the current version keeps what earlier ones changed, whichever version is named", async () => {
  const { picture } = await pictureWithCodes();
  const source = new Uint8Array(await picture.png().toBuffer());
  const first = await ended(
    await upload(source, { filename: "codes.png", categories: ["qr_codes", "barcodes"] }),
  );
  const qr = (await detectionsOf(first)).find(({ category }) => category === "qr_codes")?.id ?? "";
  await revise(first, { except: [qr] });
  const client = new VeilClient(inject("service"));
  const { id } = await client.revise(first.id, {}, { fromCurrent: true });
  const files: Downloaded[] = [];
  const kept = await downloadEveryWay(await client.wait(id), files);
  expect(await readableCodes(kept.bytes)).toBe(1);
  const anew = await client.revise(first.id, {});
  const covered = await downloadEveryWay(await client.wait(anew.id), [...files, kept]);
  expect(await readableCodes(covered.bytes)).toBe(0);
});

test("a video's revisions hide as its first run does, by what was found and by what a person drew", async () => {
  const scripts = leakScripts(
    await Promise.all(
      ["HTTPS://EXAMPLE.ORG/7F3A", "HTTPS://EXAMPLE.ORG/90B1", "HTTPS://EXAMPLE.ORG/C24E"].map(qrSymbol),
    ),
  );
  const handheld = scripts.find(({ name }) => name === "handheld");
  if (handheld === undefined) throw new Error("There is no such script.");
  const script = inSequence("handheld", FRAMES_PER_SECOND, [
    { script: handheld, fromSeconds: 0, untilSeconds: 1.2 },
  ]);
  const filename = "clip.mp4";
  const codec = "-c:v libx264 -preset veryfast -crf 22 -bf 2 -g 30 -c:a aac".split(" ");
  const source = await encodeScript(script, FRAMES_PER_SECOND, codec, filename);
  const late = { box: { x: 0, y: 0, width: 1, height: 1 }, start_seconds: 10, end_seconds: 12 };
  const refused = upload(source, { filename, categories: ["qr_codes"], regions: [late] });
  await expect(refused).rejects.toThrow(
    /answered 422: .*`regions\[0\]\.start_seconds` is 10; expected a time before/,
  );
  const first = await ended(await upload(source, { filename, categories: ["qr_codes"] }));
  const hidden = await downloadEveryWay(first, []);

  const open = await revise(first, { redact: "none" });
  const bare = await downloadEveryWay(open, [hidden]);
  const verdict = await judgeOutput(
    script,
    await decodeVideo(source, filename),
    await decodeVideo(bare.bytes, filename),
  );
  expect(verdict.readableFrames.length).toBeGreaterThan(script.timestampsSeconds.length / 2);

  const found = (await detectionsOf(open)).filter(({ origin }) => origin === "detector");
  expect(found.map(({ redacted }) => redacted)).toEqual(found.map(() => false));
  const chosen = await revise(open, { redact: found.map(({ id }) => id) });
  const files = [hidden, bare, await downloadEveryWay(chosen, [hidden, bare])];
  await expectCodesHidden(script, { source, output: files[2]?.bytes ?? Buffer.alloc(0), filename });

  const drawn = await revise(chosen, { redact: "none", regions: found.map(grownRegion) });
  const output = await downloadEveryWay(drawn, files);
  await expectCodesHidden(script, { source, output: output.bytes, filename });
  const again = await downloadEveryWay(first, [bare, output]);
  expect(again.bytes.equals(hidden.bytes)).toBe(true);
});

/** A region slightly larger than a detection, as a person would draw it. */
function grownRegion({ start_seconds, end_seconds, keyframes = [] }: Detection): object {
  const grown = keyframes.map(({ time_seconds, box }) => {
    const [left, top] = [Math.max(0, box.x - TOLD_MARGIN), Math.max(0, box.y - TOLD_MARGIN)];
    const right = Math.min(1, box.x + box.width + TOLD_MARGIN);
    const bottom = Math.min(1, box.y + box.height + TOLD_MARGIN);
    return { time_seconds, box: { x: left, y: top, width: right - left, height: bottom - top } };
  });
  return { start_seconds, end_seconds, keyframes: grown };
}
