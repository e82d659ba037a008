import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { saveReasonList } from "../../src/records/masking/reasons.repository.ts";
import type { ReasonList } from "../../src/records/masking/reasons.schemas.ts";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { bodyOf, call, errorOf } from "../support/api.ts";
import { completed } from "../support/leftovers.ts";
import { uploaded, uploadForm } from "../support/uploads.ts";
import { detectionsSchema, type DetectionsResponse } from "../../src/records/media-api/detections.schemas.ts";
import { mediaSchema } from "../../src/records/media/media.schemas.ts";

const LIST: ReasonList = {
  reasons: [
    { code: "(b)(6)", text: "Personal privacy" },
    { code: "(b)(7)(C)", text: "Law enforcement" },
  ],
  defaults: { heads: "(b)(6)" },
};
const DETECTIONS = [
  { id: "det_1", category: "heads", confidence: 0.9, box: [0, 0, 0.5, 0.5], reason: "(b)(6)" },
  {
    id: "det_2",
    category: "heads",
    confidence: 0.1,
    box: [0.5, 0, 0.5, 0.5],
    isOpen: true,
    isOpenByDefault: true,
  },
  { id: "det_3", category: "documents", confidence: 0.8, box: [0.5, 0.5, 0.5, 0.5] },
];
const BOX = { x: 0.1, y: 0.2, width: 0.3, height: 0.4 };

let account: TestAccount;
let mediaId: string;

async function setReasons(list: ReasonList): Promise<void> {
  const deed = {
    accountId: account.accountId,
    actor: { kind: "operator", id: "operator" },
    requestId: "req_1",
    nowMs: 1,
  } as const;
  await saveReasonList(openDatabase(env.DB, "primary"), list, deed);
}

beforeEach(async () => {
  account = await createAccount();
  await setReasons(LIST);
  const { id } = await uploaded(account.apiKey, { filename: "street.png" });
  mediaId = id;
  await completed(account.accountId, id);
  await env.DB.prepare("UPDATE media SET source_expires_at = ? WHERE id = ?")
    .bind(Date.now() + 3_600_000, id)
    .run();
  await env.DB.prepare(
    `INSERT INTO media_detections (media_id, account_id, detections, orientation, is_truncated, reason_texts)
     VALUES (?, ?, ?, 1, 0, ?)`,
  )
    .bind(id, account.accountId, JSON.stringify(DETECTIONS), JSON.stringify({ "(b)(6)": "Personal privacy" }))
    .run();
});

async function revise(body: object, id = mediaId): Promise<Response> {
  return await call(`/media/${id}/revisions`, {
    method: "POST",
    apiKey: account.apiKey,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** What a revision hides, with the reasons, after its job. */
async function reasonsOfRevision(body: object, id = mediaId) {
  const response = await revise(body, id);
  expect(response.status).toBe(201);
  const { id: revisionId } = await bodyOf(response, mediaSchema);
  await completed(account.accountId, revisionId);
  return { revisionId, reasons: reasonsIn(await detectionsOf(revisionId)) };
}

async function detectionsOf(id: string): Promise<DetectionsResponse> {
  return await bodyOf(await call(`/media/${id}/detections`, { apiKey: account.apiKey }), detectionsSchema);
}

function reasonsIn({ detections }: DetectionsResponse): Record<string, string> {
  return Object.fromEntries(
    detections.flatMap(({ id, reason }) =>
      reason === undefined ? [] : [[id, `${reason.code}: ${reason.text}`]],
    ),
  );
}

test("a mask carries the reason that it got, with its text of then", async () => {
  expect(reasonsIn(await detectionsOf(mediaId))).toEqual({ det_1: "(b)(6): Personal privacy" });
  await setReasons({ reasons: [{ code: "(b)(6)", text: "Something else" }], defaults: {} });
  expect(reasonsIn(await detectionsOf(mediaId))).toEqual({ det_1: "(b)(6): Personal privacy" });
  await setReasons({ reasons: [], defaults: {} });
  const { reasons } = await reasonsOfRevision({ redact: ["det_1"] });
  expect(reasons).toEqual({ det_1: "(b)(6): Personal privacy" });
});

test("a revision gives reasons to detections and regions; hidden ones without get that of their category", async () => {
  const { revisionId, reasons } = await reasonsOfRevision({
    redact: ["det_1", "det_2", "det_3"],
    reasons: { det_1: "(b)(7)(C)" },
    regions: [{ box: BOX, reason: "(b)(7)(C)" }, { box: BOX }, { box: BOX, category: "heads" }],
  });
  const region = (index: number): string => `reg_${revisionId.slice(-12)}_${index}`;
  expect(reasons).toEqual({
    det_1: "(b)(7)(C): Law enforcement",
    det_2: "(b)(6): Personal privacy",
    [region(1)]: "(b)(7)(C): Law enforcement",
    [region(3)]: "(b)(6): Personal privacy",
  });
  await env.DB.prepare("UPDATE media SET processed_at = 1 WHERE id = ?").bind(revisionId).run();
  const next = await reasonsOfRevision({ redact: ["det_1", "det_2"], reasons: { det_2: null } }, revisionId);
  expect(next.reasons).toEqual({ det_1: "(b)(7)(C): Law enforcement" });
});

test("a code that the account does not have is named, and so are detections that are unknown", async () => {
  const refused = await revise({
    reasons: { det_1: "(b)(9)", det_77: "(b)(6)" },
    regions: [{ box: BOX, reason: "nobody" }],
  });
  expect(refused.status).toBe(422);
  expect((await errorOf(refused)).details).toEqual({
    reasons: [
      "`reasons` names det_77; expected IDs of this media item's detections.",
      '`reasons.det_1` is "(b)(9)"; expected a code of the account\'s list of reasons: (b)(6), (b)(7)(C).',
    ],
    regions: [
      '`regions[0].reason` is "nobody"; expected a code of the account\'s list of reasons: (b)(6), (b)(7)(C).',
    ],
  });
  const wrong = await revise({ reasons: { det_1: "näh" }, burn_in_reasons: "yes" });
  expect(Object.keys((await errorOf(wrong)).details)).toEqual(["reasons", "burn_in_reasons"]);
});

/** Uploads with JSON fields. */
async function send(fields: Record<string, object[]>): Promise<Response> {
  const body = await uploadForm();
  for (const [name, value] of Object.entries(fields)) body.append(name, JSON.stringify(value));
  return await call("/media/redact", { method: "POST", apiKey: account.apiKey, body });
}

test("an upload keeps the text of its regions' reasons, and refuses codes that the account does not have", async () => {
  const refused = await send({ regions: [{ box: BOX, reason: "nobody" }] });
  expect((await errorOf(refused)).details).toEqual({
    regions: [
      '`regions[0].reason` is "nobody"; expected a code of the account\'s list of reasons: (b)(6), (b)(7)(C).',
    ],
  });
  const ignored = await send({ ignore_regions: [{ box: BOX, reason: "(b)(6)" }] });
  expect((await errorOf(ignored)).details).toEqual({
    ignore_regions: ["`ignore_regions[0].reason` is for masks; expected a region without it."],
  });
  const { id } = await bodyOf(await send({ regions: [{ box: BOX, reason: "(b)(6)" }] }), mediaSchema);
  const row = await env.DB.prepare("SELECT options FROM masking_options WHERE media_id = ?")
    .bind(id)
    .first<{ options: string }>();
  expect(JSON.parse(row?.options ?? "null")).toMatchObject({
    regions: [{ reason: "(b)(6)" }],
    reasonTexts: { "(b)(6)": "Personal privacy" },
  });
});

/** The stored options of a revision. */
async function optionsOf(id: string): Promise<unknown> {
  const row = await env.DB.prepare("SELECT options FROM masking_options WHERE media_id = ?")
    .bind(id)
    .first<{ options: string }>();
  return row === null ? undefined : JSON.parse(row.options);
}

test("printing codes is kept from version to version, and can be ended", async () => {
  const first = await reasonsOfRevision({ redact: ["det_1"], burn_in_reasons: true });
  expect(await optionsOf(first.revisionId)).toEqual({ burnsInReasons: true });
  const second = await reasonsOfRevision({ redact: "all" }, first.revisionId);
  expect(await optionsOf(second.revisionId)).toEqual({ burnsInReasons: true });
  const third = await reasonsOfRevision({ redact: "all", burn_in_reasons: false }, second.revisionId);
  expect(await optionsOf(third.revisionId)).toBeUndefined();
});
