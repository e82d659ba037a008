import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { StoredDetection } from "../../src/records/media/detections.ts";
import { detectionsSchema } from "../../src/records/media-api/detections.schemas.ts";
import { createAccount } from "../support/accounts.ts";
import { bodyOf, call, errorOf } from "../support/api.ts";
import { completed } from "../support/leftovers.ts";
import { uploaded } from "../support/uploads.ts";

interface Kept {
  readonly detections?: readonly StoredDetection[];
  readonly orientation?: number | null;
  readonly isTruncated?: boolean;
}

/** A completed photo of 32 × 24 stored pixels with these detections. */
async function completedWith({ detections = [], orientation = 1, isTruncated = false }: Kept) {
  const { accountId, apiKey } = await createAccount();
  const { id } = await uploaded(apiKey);
  await completed(accountId, id);
  await env.DB.prepare(
    "INSERT INTO media_detections (media_id, account_id, detections, orientation, is_truncated) VALUES (?, ?, ?, ?, ?)",
  )
    .bind(id, accountId, JSON.stringify(detections), orientation, isTruncated ? 1 : 0)
    .run();
  return { accountId, apiKey, id };
}

async function detectionsOf({ apiKey, id }: { apiKey: string; id: string }) {
  return await bodyOf(await call(`/media/${id}/detections`, { apiKey }), detectionsSchema);
}

const head: StoredDetection = {
  id: "det_0_1",
  category: "heads",
  box: [0.1, 0.2, 0.3, 0.4],
  confidence: 0.9,
};

test("are listed, whether hidden or not", async () => {
  const media = await completedWith({
    detections: [
      head,
      { ...head, id: "det_0_2", confidence: 0.1, isOpen: true, isOpenByDefault: true },
      {
        id: "reg_0_1",
        category: null,
        confidence: null,
        isRequested: true,
        box: [0, 0, 1, 1],
        polygon: [
          [0, 0],
          [1, 0],
          [0.5, 1],
        ],
      },
    ],
  });
  const box = { x: 0.1, y: 0.2, width: 0.3, height: 0.4 };
  expect(await detectionsOf(media)).toEqual({
    media_id: media.id,
    width: 32,
    height: 24,
    duration_seconds: null,
    source_available_until: null,
    revision_of: null,
    detections: [
      { id: "det_0_1", category: "heads", confidence: 0.9, origin: "detector", redacted: true, box },
      { id: "det_0_2", category: "heads", confidence: 0.1, origin: "detector", redacted: false, box },
      {
        id: "reg_0_1",
        category: null,
        confidence: null,
        origin: "request",
        redacted: true,
        box: { x: 0, y: 0, width: 1, height: 1 },
        polygon: [
          [0, 0],
          [1, 0],
          [0.5, 1],
        ],
      },
    ],
    truncated: false,
  });
  expect(await detectionsOf(media)).toEqual(await detectionsOf(media));
});

test("are where a person sees them, in the size that a person sees", async () => {
  const media = await completedWith({ detections: [head], orientation: 6 });
  const { width, height, detections } = await detectionsOf(media);
  expect([width, height]).toEqual([24, 32]);
  // Turned clockwise: the left edge becomes the top, and the top becomes the right.
  expect(detections[0]?.box).toEqual({ x: 0.4, y: 0.1, width: 0.4, height: 0.3 });
});

test("are cut off at the picture's edges", async () => {
  const { detections } = await detectionsOf(
    await completedWith({ detections: [{ ...head, box: [-0.01, 0.5, 0.2, 0.505] }] }),
  );
  expect(detections[0]?.box).toEqual({ x: 0, y: 0.5, width: 0.19, height: 0.5 });
});

test("tell until when the source is there", async () => {
  const media = await completedWith({});
  const until = Date.now() + 60_000;
  const update = env.DB.prepare(
    "UPDATE media SET source_expires_at = ?2, source_deleted_at = ?3 WHERE id = ?1",
  );
  await update.bind(media.id, until, null).run();
  expect((await detectionsOf(media)).source_available_until).toBe(new Date(until).toISOString());
  await update.bind(media.id, null, Date.now()).run();
  expect((await detectionsOf(media)).source_available_until).toBeNull();
  await update.bind(media.id, Date.now() - 1, null).run();
  expect((await detectionsOf(media)).source_available_until).toBeNull();
});

test("say where more was found than is listed, or where too little was kept", async () => {
  expect((await detectionsOf(await completedWith({ isTruncated: true }))).truncated).toBe(true);
  const tooMany = await completedWith({ detections: [head], orientation: null });
  expect(await detectionsOf(tooMany)).toMatchObject({ detections: [], truncated: true });
});

describe("answer 404", () => {
  test("until the media is completed, saying so", async () => {
    const { apiKey } = await createAccount();
    const { id } = await uploaded(apiKey);
    const response = await call(`/media/${id}/detections`, { apiKey });
    expect(response.status).toBe(404);
    expect((await errorOf(response)).message).toContain("This media item is queued");
  });

  test("once it is deleted, and keep nothing", async () => {
    const media = await completedWith({ detections: [head] });
    await call(`/media/${media.id}`, { method: "DELETE", apiKey: media.apiKey });
    expect((await call(`/media/${media.id}/detections`, { apiKey: media.apiKey })).status).toBe(404);
    const left = await env.DB.prepare("SELECT 1 FROM media_detections WHERE media_id = ?")
      .bind(media.id)
      .first();
    expect(left).toBeNull();
  });
});

describe("are filtered", () => {
  const plate: StoredDetection = { ...head, id: "det_0_2", category: "license_plates", isOpen: true };
  const sign: StoredDetection = { ...head, id: "det_0_3", category: "street_signs" };
  const region: StoredDetection = { ...head, id: "reg_0_1", category: null, isRequested: true };

  test.for([
    ["redacted=true", ["det_0_1", "det_0_3", "reg_0_1"]],
    ["redacted=false", ["det_0_2"]],
    ["category=heads", ["det_0_1"]],
    ["category=heads&category=license_plates", ["det_0_1", "det_0_2"]],
    ["category=heads&category=license_plates&redacted=false", ["det_0_2"]],
    ["category=tattoos", []],
  ] as const)("by %s", async ([query, ids]) => {
    const { apiKey, id } = await completedWith({ detections: [head, plate, sign, region] });
    const response = await call(`/media/${id}/detections?${query}`, { apiKey });
    const { detections } = await bodyOf(response, detectionsSchema);
    expect(detections.map((one) => one.id)).toEqual(ids);
  });

  test("by accepted values alone: the error names any other value and the accepted ones", async () => {
    const { apiKey, id } = await completedWith({});
    const response = await call(
      `/media/${id}/detections?redacted=yes&category=heads&category=faces&redacted=no`,
      { apiKey },
    );
    expect(response.status).toBe(422);
    expect((await errorOf(response)).details).toEqual({
      redacted: ['`redacted` is ["yes","no"]; expected one of true, false.'],
      category: [
        expect.stringMatching(
          /^`category` is "faces"; the category for that is `heads`; expected one of heads, /,
        ),
      ],
    });
  });
});

test("an unknown query parameter is refused", async () => {
  const media = await completedWith({});
  const response = await call(`/media/${media.id}/detections?page=2`, { apiKey: media.apiKey });
  expect(response.status).toBe(422);
});
