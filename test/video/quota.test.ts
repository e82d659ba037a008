import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DEFAULT_OPTIONS } from "../../src/records/masking/masking-options.ts";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { toHex } from "../../src/ground/platform/ids.ts";
import { withUpload } from "../../src/intake/uploads/upload.service.ts";
import { createAccount } from "../support/accounts.ts";
import { expectNothingLeft } from "../support/leftovers.ts";
import { clipOf } from "./support/video-jobs.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 15) });
});

afterEach(() => {
  vi.useRealTimers();
});

/** The configuration for the upload of a clip, which uses none of the API's other bindings. */
const config = parseApiEnv({
  ...env,
  IMAGE_JOBS: env.VIDEO_JOBS,
  RATE_LIMITER: { idFromName: () => undefined },
  ASSETS: { fetch: () => undefined },
  WEBHOOK_SECRET_KEYS: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
});

test("the error of a video that does not fit the quota says what it needs and what remains", async () => {
  const { accountId } = await createAccount();
  await env.DB.prepare("INSERT INTO usage VALUES (?, '2026-01-01', 'video', 80, 15)").bind(accountId).run();
  const file = clipOf("twoSegments");
  const options = {
    config,
    caller: {
      accountId,
      keyId: "key_test",
      plan: "Free",
      anchorDay: 1,
      requestsPerMinute: null,
      imagesPerPeriod: 50,
      videoMinutesPerPeriod: 1,
    },
    origin: "https://veil.test",
    requestId: "req_test",
    idempotencyKey: undefined,
  } as const;
  const sha256 = toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", file)));
  const received = {
    field: "file",
    filename: "clip.mp4",
    format: "mp4",
    sourceFormat: null,
    header: undefined,
    sizeBytes: file.length,
    sha256,
  } as const;
  const order = {
    file: received,
    categories: ["heads" as const],
    method: "blur" as const,
    options: DEFAULT_OPTIONS,
    labels: { folder: null, metadata: null, externalId: null },
  };
  const refused = withUpload(options, async (upload) => {
    await upload.open({ filename: "clip.mp4", format: "mp4", sourceFormat: null });
    await upload.write(file);
    return await upload.accept(order);
  });
  await expect(refused).rejects.toMatchObject({
    code: "quota_exceeded",
    message:
      "The video needs 0.10 minutes; 0.05 of the quota of 1 video minutes are left until the period ends on 2026-01-31.",
    details: { metric: "video_minutes", used: 0.95, limit: 1, period_end: "2026-01-31" },
  });
  await expectNothingLeft(accountId);
});
