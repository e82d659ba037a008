import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { mediaSchema } from "../../src/records/media/media.schemas.ts";
import { writeGif, type GifPicture } from "../redaction-node/support/write-gif.ts";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { bodyOf, call, callWith, errorOf } from "../support/api.ts";
import { expectNothingLeft } from "../support/leftovers.ts";
import { arrived, redact as redactUpload } from "../support/resumable-uploads.ts";
import { uploadForm } from "../support/uploads.ts";

const PALETTE = [
  [1, 2, 3],
  [200, 100, 50],
] as const;

/** A GIF whose frames have these delays, in hundredths of a second. */
function gif(delays: readonly number[], size = { width: 6, height: 4 }): Uint8Array<ArrayBuffer> {
  const pictures = delays.map((delay, frame): GifPicture => ({ rows: [[frame % 2]], delay }));
  return writeGif(pictures, { ...size, palette: PALETTE });
}

async function redact(
  account: TestAccount,
  file: Uint8Array<ArrayBuffer>,
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const body = await uploadForm({ file, filename: "dance.gif" });
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  return await call("/media/redact", { method: "POST", apiKey: account.apiKey, body });
}

test("an animated GIF is taken in as a video of its duration, and counts as one", async () => {
  const account = await createAccount();
  const file = gif([10, 0, 200, 1000]);
  const response = await redact(account, file);
  expect(response.status).toBe(201);
  const media = await bodyOf(response, mediaSchema);
  expect(media).toMatchObject({
    media_type: "video",
    filename: "dance.gif",
    file_size_bytes: file.length,
    duration_seconds: 12.2,
  });
  const row = await env.DB.prepare(
    `SELECT format, source_format AS source, media_type AS type, width_pixels AS width, height_pixels AS height,
       quota_units AS units FROM media WHERE id = ?`,
  )
    .bind(media.id)
    .first();
  expect(row).toEqual({ format: "webm", source: "gif", type: "video", width: 6, height: 4, units: 20 });
  const usage = await env.DB.prepare(
    "SELECT media_type AS type, reserved_units AS reserved FROM usage WHERE account_id = ?",
  )
    .bind(account.accountId)
    .all();
  expect(usage.results).toEqual([{ type: "video", reserved: 20 }]);
  const counts = await env.DB.prepare(
    "SELECT status, media_type AS type, total FROM media_counts WHERE account_id = ? AND total <> 0",
  )
    .bind(account.accountId)
    .all();
  expect(counts.results).toEqual([{ status: "queued", type: "video", total: 1 }]);
  const list = await call("/media?media_type=video", { apiKey: account.apiKey });
  expect(await list.json()).toMatchObject({ pagination: { total: 1 } });
});

test("a GIF of one picture stays a picture", async () => {
  const media = await bodyOf(await redact(await createAccount(), gif([10])), mediaSchema);
  expect(media).toMatchObject({ media_type: "image", duration_seconds: null });
});

test("options of videos are taken with an animated GIF, and refused with a still one", async () => {
  const account = await createAccount();
  const fields = { audio: "mute" };
  expect((await redact(account, gif([10, 10]), fields)).status).toBe(201);
  const response = await redact(account, gif([10]), fields);
  expect(response.status).toBe(422);
  expect(Object.keys((await errorOf(response)).details)).toEqual(["audio"]);
});

test("it needs room in the quota of videos, and none in that of images", async () => {
  const account = await createAccount({ imagesPerPeriod: 0 });
  await env.DB.prepare("UPDATE accounts SET video_minutes_per_period = 1 WHERE id = ?")
    .bind(account.accountId)
    .run();
  expect((await redact(account, gif([3000, 2000]))).status).toBe(201);
  const response = await redact(account, gif([1000, 1000]));
  expect(response.status).toBe(429);
  expect((await errorOf(response)).details).toMatchObject({ metric: "video_minutes" });
});

test.for([
  [
    "larger than videos may be",
    gif([10, 10], { width: 1921, height: 1080 }),
    /1921×1080 pixels; the limit is 1920×1088/,
  ],
  [
    "of more frames than the limit",
    gif(Array<number>(10_001).fill(2)),
    /The GIF has 10001 frames; the limit is 10000\. Export it as MP4 or WebM\./,
  ],
  [
    "longer than videos may be",
    gif([65_000, 65_000, 65_000, 65_000, 65_000, 65_000]),
    /lasts 3900\.0 seconds/,
  ],
] as const)("one that is %s is refused", async ([, file, words]) => {
  const account = await createAccount();
  const response = await redact(account, file);
  expect(response.status).toBe(422);
  expect(String((await errorOf(response)).details["file"])).toMatch(words);
  await expectNothingLeft(account.accountId);
});

test("one that only the inference service would have room for is refused even where there is one", async () => {
  const account = await createAccount();
  const body = await uploadForm({
    file: gif([10, 10], { width: 2560, height: 1440 }),
    filename: "dance.gif",
  });
  const larger = { MAX_VIDEO_LONG_SIDE_PIXELS: "3840", MAX_VIDEO_SHORT_SIDE_PIXELS: "2160" };
  const options = { method: "POST", apiKey: account.apiKey, body };
  const response = await callWith(larger, "/media/redact", options);
  expect(response.status).toBe(422);
  expect(String((await errorOf(response)).details["file"])).toMatch(/the limit is 1920×1088/);
});

test("a resumable upload of one is a video too", async () => {
  const account = await createAccount();
  const file = gif([50, 50]);
  const { uploadId } = await arrived(account, file);
  const media = await bodyOf(await redactUpload(account, uploadId), mediaSchema);
  expect(media).toMatchObject({ media_type: "video", duration_seconds: 1 });
  const row = await env.DB.prepare("SELECT media_type AS type, format FROM media WHERE id = ?")
    .bind(media.id)
    .first();
  expect(row).toEqual({ type: "video", format: "webm" });
});

test.for([
  {
    regions: [
      { start_seconds: 0.5, box: { x: 0, y: 0, width: 1, height: 1 } },
      late({ start_seconds: 10, end_seconds: 12 }),
    ],
    details: {
      regions: ["`regions[1].start_seconds` is 10; expected a time before the end of the video, 1 seconds."],
    },
  },
  {
    regions: [late(undefined)],
    details: {
      regions: [
        "`regions[0].keyframes[1].time_seconds` is 500; expected a time before the end of the video, 1 seconds.",
      ],
    },
  },
])(
  "a region after the end of the video is refused, and leaves nothing: $details",
  async ({ regions, details }) => {
    const account = await createAccount();
    const response = await redact(account, gif([50, 50]), { regions: JSON.stringify(regions) });
    expect(response.status).toBe(422);
    expect((await errorOf(response)).details).toEqual(details);
    await expectNothingLeft(account.accountId);
  },
);

test("an ignored region after the end is refused too; one that only ends behind it is not", async () => {
  const account = await createAccount();
  const ignored = JSON.stringify([late({ start_seconds: 1 })]);
  expect((await redact(account, gif([50, 50]), { ignore_regions: ignored })).status).toBe(422);
  const regions = JSON.stringify([late({ start_seconds: 0.9, end_seconds: 12 })]);
  expect((await redact(account, gif([50, 50]), { regions })).status).toBe(201);
});

function late(times: { start_seconds: number; end_seconds?: number } | undefined): object {
  const box = { x: 0.1, y: 0.1, width: 0.2, height: 0.2 };
  if (times !== undefined) return { ...times, box };
  return {
    keyframes: [
      { time_seconds: 0, box },
      { time_seconds: 500, box },
      { time_seconds: 900, box },
    ],
  };
}
