import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { MediaOwnership } from "../../src/records/media/media.repository.ts";
import { deleteMedia } from "../../src/records/media/media-deletion.repository.ts";
import { findModels } from "../../src/records/media/models.repository.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { createAccount } from "../support/accounts.ts";
import { answerDetections, deliver, queuedMedia } from "../support/jobs.ts";
import { beginQuietly } from "../support/quiet-start.ts";
import { revise } from "../support/revise.ts";
import { png } from "../support/images.ts";

const MODELS = [
  { id: "heads", version: "3.1.0", sha256: "a".repeat(64) },
  { id: "second-look", version: "1.0.0", sha256: "b".repeat(64) },
];

beginQuietly();

async function modelsOf(owned: MediaOwnership) {
  return await findModels(openDatabase(env.DB, "primary"), owned);
}

async function lookedAt(models: unknown): Promise<MediaOwnership> {
  const { accountId } = await createAccount();
  const source = await png({ width: 64, height: 48 });
  const media = await queuedMedia(accountId, { source, format: "png" });
  answerDetections(() =>
    Response.json({
      frames: [{ width: 64, height: 48, detections: [] }],
      ...(models === undefined ? {} : { models }),
    }),
  );
  await deliver(media.mediaId);
  return { accountId, mediaId: media.mediaId };
}

test("the models that looked are recorded with the media item, once", async () => {
  const media = await lookedAt(MODELS.toReversed());
  await deliver(media.mediaId);
  expect(await modelsOf(media)).toEqual(MODELS);
  expect(await modelsOf({ ...media, accountId: "acc_other" })).toEqual([]);
});

test("a service that names no models is no fault", async () => {
  expect(await modelsOf(await lookedAt(undefined))).toEqual([]);
});

test("a revision has the models of its analysis, also after the first version is deleted", async () => {
  const media = await lookedAt(MODELS);
  const revision = await revise(media, { redact: "all" });
  await deliver(revision.mediaId);
  expect(await modelsOf(revision)).toEqual(MODELS);
  const order = { nowMs: Date.now(), settledAtMs: Date.now(), requestId: "req_1" };
  await deleteMedia(openDatabase(env.DB, "primary"), media, order);
  expect(await modelsOf(media)).toEqual([]);
  expect(await modelsOf(revision)).toEqual(MODELS);
});
