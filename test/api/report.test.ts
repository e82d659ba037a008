import { env, exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { StoredDetection } from "../../src/records/media/detections.ts";
import { detectionsKey } from "../../src/records/media/media.objects.ts";
import { mediaSchema } from "../../src/records/media/media.schemas.ts";
import { fromBase64Url, newUuid, toHex } from "../../src/ground/platform/ids.ts";
import { replaceSigningKey } from "../../src/records/report/report-keys.repository.ts";
import { newReportKey, signReport } from "../../src/records/report/report-keys.service.ts";
import { reportSchema, signedReportSchema, type Report } from "../../src/records/report/report.schemas.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { BETWEEN } from "../../src/records/video-tasks/listed-detections.ts";
import { pieceKey } from "../../src/records/video-tasks/pieces.ts";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { ORIGIN, bodyOf, call, errorOf } from "../support/api.ts";
import { completed, correctedMedia } from "../support/leftovers.ts";
import { uploadForm, uploaded } from "../support/uploads.ts";

const jwksSchema = z.strictObject({
  keys: z.array(
    z.strictObject({
      kty: z.literal("OKP"),
      crv: z.literal("Ed25519"),
      alg: z.literal("EdDSA"),
      use: z.literal("sig"),
      kid: z.string(),
      x: z.string(),
    }),
  ),
});

const BOX = { x: 0.1, y: 0.2, width: 0.3, height: 0.4 };
const OUTPUT = new Uint8Array(new TextEncoder().encode("the redacted picture"));

function detection(id: string, more: Partial<StoredDetection> = {}): StoredDetection {
  return { id, category: "heads", confidence: 0.9, box: [0.1, 0.2, 0.3, 0.4], ...more };
}

async function keepDetections(
  { accountId }: { accountId: string },
  mediaId: string,
  detections: readonly StoredDetection[],
): Promise<void> {
  await env.DB.prepare(
    "INSERT INTO media_detections (media_id, account_id, detections, orientation, is_truncated) VALUES (?, ?, ?, 1, 0)",
  )
    .bind(mediaId, accountId, JSON.stringify(detections))
    .run();
}

/** A completed photo in which a head is hidden and another one is below the threshold. */
async function reportedPhoto(): Promise<TestAccount & { id: string }> {
  const account = await createAccount();
  const { id } = await uploaded(account.apiKey, { filename: "=street.png" });
  await completed(account.accountId, id, OUTPUT);
  await keepDetections(account, id, [
    detection("det_0_1"),
    detection("det_0_2", { confidence: 0.1, isOpen: true, isOpenByDefault: true }),
    detection(`reg_${id.slice(-12)}_1`, { category: null, confidence: null, isRequested: true }),
  ]);
  return { ...account, id };
}

async function jwks(): Promise<z.output<typeof jwksSchema>> {
  return await bodyOf(
    await exports.default.fetch(new Request(`${ORIGIN}/.well-known/jwks.json`)),
    jwksSchema,
  );
}

function decoded(part: string): unknown {
  return JSON.parse(new TextDecoder().decode(fromBase64Url(part)));
}

/** Verifies a compact signature with the served keys; returns its header and payload. */
async function verified(jws: string): Promise<{ header: unknown; report: Report }> {
  const [header = "", payload = "", signature = ""] = jws.split(".");
  const { kid } = z.object({ kid: z.string() }).parse(decoded(header));
  const jwk = (await jwks()).keys.find((key) => key.kid === kid);
  if (jwk === undefined) throw new Error("The key is not listed.");
  const key = await crypto.subtle.importKey("jwk", jwk, "Ed25519", false, ["verify"]);
  const signed = new TextEncoder().encode(`${header}.${payload}`);
  expect(await crypto.subtle.verify("Ed25519", key, fromBase64Url(signature), signed)).toBe(true);
  return { header: decoded(header), report: reportSchema.parse(decoded(payload)) };
}

/** The signed report as text. `application/jose` is no type of text, so workerd warns of `text()`. */
async function signedOf({ apiKey, id }: { apiKey: string; id: string }): Promise<string> {
  const response = await call(`/media/${id}/report`, { apiKey });
  return new TextDecoder().decode(await response.arrayBuffer());
}

async function reportOf(media: { apiKey: string; id: string }): Promise<Report> {
  return (await verified(await signedOf(media))).report;
}

describe("a report", () => {
  test("is a compact signature that the served key verifies", async () => {
    const photo = await reportedPhoto();
    const response = await call(`/media/${photo.id}/report`, { apiKey: photo.apiKey });
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("application/jose");
    expect(response.headers.get("Cache-Control")).toBe("private, no-store");
    const jws = new TextDecoder().decode(await response.arrayBuffer());
    expect(jws).toMatch(/^[\w-]+\.[\w-]+\.[\w-]{86}$/);
    const { header, report } = await verified(jws);
    expect(header).toEqual({ alg: "EdDSA", kid: expect.any(String) as string, typ: "veil-report+jws" });
    expect(report).toMatchObject({
      report_version: 1,
      account_id: photo.accountId,
      media: { id: photo.id, filename: "=street.png", media_type: "image" },
      request: { categories: ["heads"], redaction_method: "blur", sensitivity: "normal", audio: "keep" },
      versions: [{ id: photo.id, kind: "upload", status: "completed", current: true, by: "request" }],
      masks: [
        { id: "det_0_1", category: "heads", origin: "detector", box: BOX, reason: null, by: "detector" },
        { category: null, origin: "request", by: "request" },
      ],
      left_open: [{ id: "det_0_2", category: "heads", by: "detector", reason: null }],
      truncated: false,
      sound: [],
      verification: { status: "not_done" },
      review: null,
    });
  });

  test("has no picture, no place in storage, and nothing that was read", async () => {
    const photo = await reportedPhoto();
    await env.DB.prepare("UPDATE media SET folder = 'cases/17' WHERE id = ?").bind(photo.id).run();
    const text = JSON.stringify(await reportOf(photo));
    for (const secret of [`${photo.accountId}/`, "cases/17", "data:"]) {
      expect(text).not.toContain(secret);
    }
  });

  test("has the hash of the upload, which was taken as it arrived", async () => {
    const { apiKey, id } = await reportedPhoto();
    const { media } = await reportOf({ apiKey, id });
    const row = await env.DB.prepare("SELECT account_id, file_size_bytes FROM media WHERE id = ?")
      .bind(id)
      .first<{ account_id: string; file_size_bytes: number }>();
    const source = await env.MEDIA.get(`${row?.account_id}/${id}/source`, {});
    const bytes = await source?.arrayBuffer();
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes ?? new ArrayBuffer(0)));
    expect(media.source_sha256).toBe(toHex(digest));
    expect(media.source_bytes).toBe(bytes?.byteLength);
  });

  test("is JSON beside its signature where that is asked for", async () => {
    const { apiKey, id } = await reportedPhoto();
    const headers = { Accept: "application/json" };
    const response = await call(`/media/${id}/report`, { apiKey, headers });
    expect(response.headers.get("Vary")).toContain("Accept");
    const { payload, signature } = await bodyOf(response, signedReportSchema);
    expect((await verified(signature)).report).toEqual(payload);
    const any = await call(`/media/${id}/report`, { apiKey, headers: { Accept: "text/html, */*;q=0.8" } });
    expect(any.headers.get("Content-Type")).toBe("application/jose");
  });

  test("as CSV has one mask a row, and no cell is a formula", async () => {
    const { apiKey, id } = await reportedPhoto();
    const response = await call(`/media/${id}/report?format=csv`, { apiKey });
    expect(response.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
    const lines = (await response.text()).split("\r\n");
    expect(lines).toHaveLength(4);
    expect(lines[1]).toBe(
      `"${id}","'=street.png","det_0_1","heads","detector","detector","","0.1","0.2","0.3","0.4","",""`,
    );
    expect(lines[2]).toContain('"","request","request",""');
  });

  test("is refused in an unknown format, and before the media is completed", async () => {
    const account = await createAccount();
    const { id } = await uploaded(account.apiKey);
    const bad = await errorOf(await call(`/media/${id}/report?format=pdf&x=1`, { apiKey: account.apiKey }));
    expect(bad.details).toEqual({
      format: ['`format` is "pdf"; expected csv.'],
      x: [expect.stringContaining("unknown query parameter")],
    });
    const early = await errorOf(await call(`/media/${id}/report`, { apiKey: account.apiKey }));
    expect(early).toMatchObject({
      code: "not_found",
      message: "This media item is queued. Its report is available once it is completed.",
    });
  });

  test("says who made which version, and who decided on each mask", async () => {
    const photo = await reportedPhoto();
    const revisionId = await correctedMedia(photo.accountId, photo.id, OUTPUT);
    await env.DB.prepare("UPDATE media_revisions SET made_by = 'usr_ann' WHERE media_id = ?")
      .bind(revisionId)
      .run();
    await keepDetections(photo, revisionId, [
      detection("det_0_1", { isOpen: true }),
      detection("det_0_2", { confidence: 0.1, isOpenByDefault: true }),
      detection("det_0_3"),
      detection(`reg_${photo.id.slice(-12)}_1`, { isRequested: true, confidence: null }),
      detection(`reg_${revisionId.slice(-12)}_1`, { isRequested: true, confidence: null }),
    ]);
    await env.DB.prepare(
      `INSERT INTO media_reviews (media_id, account_id, state, reasons, flagged_at, decided_at, decided_by, result_media_id)
       VALUES (?, ?, 'corrected', '[]', 1, 2000, 'usr_ann', ?)`,
    )
      .bind(photo.id, photo.accountId, revisionId)
      .run();
    const report = await reportOf({ ...photo, id: revisionId });
    expect(report.versions.map(({ id, kind, by }) => [id, kind, by])).toEqual([
      [photo.id, "upload", "request"],
      [revisionId, "revision", "usr_ann"],
    ]);
    expect(report.masks.map(({ id, by }) => [id, by])).toEqual([
      ["det_0_2", "usr_ann"],
      ["det_0_3", "detector"],
      [`reg_${photo.id.slice(-12)}_1`, "request"],
      [`reg_${revisionId.slice(-12)}_1`, "usr_ann"],
    ]);
    expect(report.left_open.map(({ id, by }) => [id, by])).toEqual([["det_0_1", "usr_ann"]]);
    expect(report.review).toEqual({ decision: "corrected", by: "usr_ann", at: "1970-01-01T00:00:02.000Z" });
  });

  test("has what a second reading found, and whether it was asked for", async () => {
    const photo = await reportedPhoto();
    const finding = { kind: "found_again", category: "heads", confidence: 0.7, box: [0.1, 0.2, 0.3, 0.4] };
    await env.DB.prepare(
      "INSERT INTO media_verifications (media_id, account_id, status, pictures, frames, findings) VALUES (?, ?, 'findings', 1, 0, ?)",
    )
      .bind(photo.id, photo.accountId, JSON.stringify([finding]))
      .run();
    const { request, verification } = await reportOf(photo);
    expect(request.verify).toBe(true);
    expect(verification).toEqual({
      status: "findings",
      looked_at: { pictures: 1, frames: 0 },
      findings: [{ ...finding, id: `fnd_${photo.id.slice(-12)}_1`, box: BOX }],
    });
  });

  test("lists the models that looked", async () => {
    const photo = await reportedPhoto();
    const model = { id: "heads", version: "3.1.0", sha256: "a".repeat(64) };
    await env.DB.prepare("INSERT INTO media_models VALUES (?, ?, ?, ?, ?)")
      .bind(photo.id, photo.accountId, ...Object.values(model))
      .run();
    expect((await reportOf(photo)).models).toEqual([model]);
  });

  test("names what a rule of the upload left open", async () => {
    const account = await createAccount();
    const ignore_regions = JSON.stringify([{ box: { x: 0, y: 0, width: 1, height: 1 } }]);
    const body = await uploadForm();
    body.append("ignore_regions", ignore_regions);
    const answer = await call("/media/redact", { method: "POST", apiKey: account.apiKey, body });
    const { id } = await bodyOf(answer, mediaSchema);
    await completed(account.accountId, id);
    await keepDetections(account, id, [detection("det_0_1", { isOpen: true, isOpenByDefault: true })]);
    expect((await reportOf({ ...account, id })).left_open[0]?.by).toBe("request");
  });
});

describe("the report of a video", () => {
  const box = { x: 0, y: 0, width: 0.5, height: 0.5 };
  const times = {
    start_seconds: 1,
    end_seconds: 2,
    keyframes: [{ time_seconds: 1, box }],
  };

  /** Stores the list of a video's detections as its job does: those with these IDs, hidden or not. */
  async function keepList(
    { accountId, id }: { accountId: string; id: string },
    listed: Readonly<Record<string, boolean>>,
  ): Promise<void> {
    const lines = Object.entries(listed).map(([detectionId, redacted]) => {
      const origin = detectionId.startsWith("reg") ? "request" : "detector";
      const confidence = origin === "request" ? null : 0.8;
      return JSON.stringify({
        id: detectionId,
        category: "heads",
        confidence,
        origin,
        redacted,
        box,
        ...times,
      });
    });
    await env.MEDIA.put(pieceKey(detectionsKey({ accountId, mediaId: id }), 0), lines.join(BETWEEN));
  }

  async function reportedVideo(): Promise<TestAccount & { id: string }> {
    const account = await createAccount();
    const { id } = await uploaded(account.apiKey);
    await completed(account.accountId, id, OUTPUT);
    await env.DB.prepare(
      "UPDATE media SET media_type = 'video', format = 'mp4', duration_seconds = 5 WHERE id = ?",
    )
      .bind(id)
      .run();
    await keepList({ ...account, id }, { det_0_1: true, det_0_2: false });
    return { ...account, id };
  }

  test("has times and keyframes, and where sound was removed", async () => {
    const video = await reportedVideo();
    await env.DB.prepare(`INSERT INTO masking_options VALUES (?, ?, '{"audio":"mute"}')`)
      .bind(video.id, video.accountId)
      .run();
    const { masks, left_open, sound, request } = await reportOf(video);
    expect(masks).toEqual([
      { id: "det_0_1", category: "heads", origin: "detector", ...times, reason: null, by: "detector" },
    ]);
    expect(left_open.map(({ id, by }) => [id, by])).toEqual([["det_0_2", "detector"]]);
    expect(sound).toEqual([{ start_seconds: 0, end_seconds: 5, kind: "whole_track", sound: "silence" }]);
    expect(request.audio).toBe("mute");
    const csv = await (await call(`/media/${video.id}/report?format=csv`, { apiKey: video.apiKey })).text();
    expect(csv.split("\r\n")[1]).toContain(
      '"det_0_1","heads","detector","detector","","0","0","0.5","0.5","1","2"',
    );
  });

  test("says which parts of the sound are muted, why, and which sound replaces them", async () => {
    const video = await reportedVideo();
    const muted = [
      { startSeconds: 1, endSeconds: 2, kind: "requested", sound: "tone" },
      { startSeconds: 3, endSeconds: 4.5, kind: "speech", sound: "silence" },
    ];
    await env.DB.batch([
      env.DB.prepare("INSERT INTO media_sound (media_id, account_id, muted) VALUES (?, ?, ?)").bind(
        video.id,
        video.accountId,
        JSON.stringify(muted),
      ),
      env.DB.prepare(`INSERT INTO masking_options VALUES (?, ?, '{"audio":"mute_speech"}')`).bind(
        video.id,
        video.accountId,
      ),
    ]);
    const { sound, request } = await reportOf(video);
    expect(sound).toEqual([
      { start_seconds: 1, end_seconds: 2, kind: "requested", sound: "tone" },
      { start_seconds: 3, end_seconds: 4.5, kind: "speech", sound: "silence" },
    ]);
    expect([request.audio, request.verify]).toEqual(["mute_speech", false]);
  });

  test("compares a correction with the analysis, as long as that is there", async () => {
    const video = await reportedVideo();
    const revisionId = await correctedMedia(video.accountId, video.id, OUTPUT);
    await env.DB.prepare("UPDATE media_revisions SET made_by = 'usr_ann' WHERE media_id = ?")
      .bind(revisionId)
      .run();
    const revision = { ...video, id: revisionId };
    const region = `reg_${revisionId.slice(-12)}_1`;
    await keepList(revision, { det_0_1: false, det_0_2: true, [region]: true });
    const decided = async (): Promise<unknown> => {
      const { masks, left_open } = await reportOf(revision);
      return [...masks, ...left_open].map(({ id, by }) => [id, by]);
    };
    expect(await decided()).toEqual([
      ["det_0_2", "usr_ann"],
      [region, "usr_ann"],
      ["det_0_1", "usr_ann"],
    ]);
    await call(`/media/${video.id}`, { method: "DELETE", apiKey: video.apiKey });
    expect(await decided()).toEqual([
      ["det_0_2", null],
      [region, "usr_ann"],
      ["det_0_1", null],
    ]);
    const { request, versions } = await reportOf(revision);
    expect(request).toMatchObject({ categories: ["heads"], sensitivity: null, regions: null });
    expect(versions.map(({ id }) => id)).toEqual([revisionId]);
  });

  test("with more than a signed text holds says that it is cut, and its CSV is whole", async () => {
    const video = await reportedVideo();
    await keepList(
      video,
      Object.fromEntries(Array.from({ length: 10_050 }, (_, index) => [`det_0_${index}`, true])),
    );
    const { masks, truncated } = await reportOf(video);
    expect([masks.length, truncated]).toEqual([10_000, true]);
    const csv = await (await call(`/media/${video.id}/report?format=csv`, { apiKey: video.apiKey })).text();
    expect(csv.trimEnd().split("\r\n")).toHaveLength(10_051);
  });
});

describe("the keys of reports", () => {
  test("are one key, however many requests need the first one at once", async () => {
    await env.DB.exec("DELETE FROM report_keys");
    expect(await jwks()).toEqual({ keys: [] });
    const config = parseApiEnv({ ...env });
    const all = await Promise.all(Array.from({ length: 8 }, async () => await signReport(config, "{}")));
    expect(new Set(all.map((jws) => jws.split(".")[0])).size).toBe(1);
    expect((await jwks()).keys).toHaveLength(1);
  });

  test("are named by their thumbprint and stored encrypted", async () => {
    const key = await newReportKey([btoa("k".repeat(32))], 1);
    const members = `{"crv":"Ed25519","kty":"OKP","x":"${key.publicKey}"}`;
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(members));
    expect(fromBase64Url(key.id)).toEqual(new Uint8Array(digest));
    expect(key.privateKey).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]+$/);
  });

  test("stay listed when they are replaced, so an old report still verifies", async () => {
    const photo = await reportedPhoto();
    const old = await signedOf(photo);
    const config = parseApiEnv({ ...env });
    const next = await newReportKey(config.WEBHOOK_SECRET_KEYS, Date.now());
    const replaced = await replaceSigningKey(openDatabase(env.DB, "primary"), next);
    const now = await signedOf(photo);
    expect((await verified(old)).header).toMatchObject({ kid: replaced });
    expect((await verified(now)).header).toMatchObject({ kid: next.id });
  });

  test("are served to anyone, to be cached for a while, without the private parts", async () => {
    const { apiKey, id } = await reportedPhoto();
    await call(`/media/${id}/report`, { apiKey });
    const address = `${ORIGIN}/.well-known/jwks.json`;
    const response = await exports.default.fetch(new Request(address));
    expect(response.headers.get("Content-Type")).toBe("application/jwk-set+json");
    expect(response.headers.get("Cache-Control")).toBe("public, max-age=300");
    expect(await response.text()).not.toContain('"d"');
    const etag = response.headers.get("ETag") ?? "";
    const again = await exports.default.fetch(new Request(address, { headers: { "If-None-Match": etag } }));
    expect(again.status).toBe(304);
  });
});

test("an unknown media item has no report", async () => {
  const { apiKey } = await createAccount();
  expect((await call(`/media/${newUuid()}/report`, { apiKey })).status).toBe(404);
});
