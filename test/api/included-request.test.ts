import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { mediaSchema } from "../../src/records/media/media.schemas.ts";
import { requestSchema, type IncludedRequest } from "../../src/records/media-api/included-request.ts";
import { newUuid } from "../../src/ground/platform/ids.ts";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { bodyOf, call, errorOf } from "../support/api.ts";
import { uploadForm } from "../support/uploads.ts";

const DEFAULTS: IncludedRequest = {
  sensitivity: "normal",
  min_confidence: null,
  regions: [],
  ignore_regions: [],
  detect_only: false,
  audio: "keep",
  verify: true,
};

async function uploadedWith(
  { apiKey }: TestAccount,
  fields: Readonly<Record<string, unknown>>,
): Promise<string> {
  const form = await uploadForm();
  for (const [name, value] of Object.entries(fields))
    form.append(name, typeof value === "string" ? value : JSON.stringify(value));
  const response = await call("/media/redact", { method: "POST", apiKey, body: form });
  expect(response.status).toBe(201);
  return (await bodyOf(response, mediaSchema)).id;
}

async function read<Answer>({ apiKey }: TestAccount, path: string): Promise<Answer> {
  const response = await call(path, { apiKey });
  expect(response.status).toBe(200);
  return await response.json();
}

interface WithRequest {
  readonly id: string;
  readonly request: unknown;
}

const box = { x: 0.1, y: 0.2, width: 0.3, height: 0.4 };
const triangle = [
  [0, 0],
  [1, 0],
  [0.5, 1],
];

test.for<Partial<Record<keyof IncludedRequest, unknown>>>([
  {},
  { sensitivity: "high" },
  { min_confidence: 0.25, detect_only: true },
  { min_confidence: { heads: 0.25 } },
  { regions: [{ box }, { category: "heads", polygon: triangle }], ignore_regions: [{ box }] },
])("%o is read back as it was sent, of one media item and in the list", async (sent) => {
  const account = await createAccount();
  const id = await uploadedWith(account, sent);
  const { request } = await read<WithRequest>(account, `/media/${id}?include=request`);
  expect(request).toEqual({ ...DEFAULTS, ...sent });
  expect(requestSchema.safeParse(request).success).toBe(true);
  const { data } = await read<{ data: WithRequest[] }>(account, "/media?include=request,versions");
  expect(data).toMatchObject([{ id, request: { ...DEFAULTS, ...sent }, versions: { first: id } }]);
  // The returned options can be sent again.
  const again = await uploadedWith(account, sent);
  expect((await read<WithRequest>(account, `/media/${again}?include=request`)).request).toEqual(request);
});

test("the times and keyframes of a video's regions and its audio are read back as they were sent", async () => {
  const account = await createAccount();
  const id = await uploadedWith(account, {});
  const options = {
    regions: [
      { box: [0.1, 0.2, 0.3, 0.4], startSeconds: 1, endSeconds: 2.5 },
      { box: [0, 0, 1, 1], keyframes: [{ timeSeconds: 0.5, box: [0.1, 0.2, 0.3, 0.4] }] },
    ],
    audio: "mute",
  };
  await env.DB.prepare("INSERT INTO masking_options VALUES (?, ?, ?)")
    .bind(id, account.accountId, JSON.stringify(options))
    .run();
  expect((await read<WithRequest>(account, `/media/${id}?include=request`)).request).toEqual({
    ...DEFAULTS,
    regions: [{ box, start_seconds: 1, end_seconds: 2.5 }, { keyframes: [{ time_seconds: 0.5, box }] }],
    audio: "mute",
  });
});

test("regions that are long are null in a list, and whole for one media item", async () => {
  const account = await createAccount();
  const regions = Array.from({ length: 500 }, () => ({ category: "license_plates", box }));
  const id = await uploadedWith(account, { regions, sensitivity: "low" });
  const { data } = await read<{ data: WithRequest[] }>(account, "/media?include=request");
  expect(data[0]?.request).toEqual({
    ...DEFAULTS,
    sensitivity: "low",
    regions: null,
    ignore_regions: null,
  });
  const { request } = await read<WithRequest>(account, `/media/${id}?include=request`);
  expect(request).toEqual({ ...DEFAULTS, sensitivity: "low", regions });
});

test("a revision has no request of its own, a retry has that of its upload, and nothing is added where it is not asked for", async () => {
  const account = await createAccount();
  const id = await uploadedWith(account, { sensitivity: "low" });
  const [revision, retry] = [newUuid(), newUuid()];
  await addVersion(account.accountId, id, { id: revision, analysisMediaId: id });
  await addVersion(account.accountId, id, { id: retry, analysisMediaId: null });
  expect(await read(account, `/media/${revision}?include=request`)).toMatchObject({ request: null });
  const { data } = await read<{ data: WithRequest[] }>(account, "/media?include=request");
  expect(new Map(data.map((one) => [one.id, one.request]))).toEqual(
    new Map<string, unknown>([
      [id, { ...DEFAULTS, sensitivity: "low" }],
      [revision, null],
      [retry, { ...DEFAULTS, sensitivity: "low" }],
    ]),
  );
  expect(await read(account, `/media/${id}`)).not.toHaveProperty("request");
});

/** Adds a version of an uploaded media item: its record, its options and its analysis. */
async function addVersion(
  accountId: string,
  firstId: string,
  { id, analysisMediaId }: { id: string; analysisMediaId: string | null },
): Promise<void> {
  const row = await env.DB.prepare("SELECT * FROM media WHERE id = ?").bind(firstId).first();
  const copy = { ...row, id };
  const names = Object.keys(copy);
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO media (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    ).bind(...Object.values(copy)),
    env.DB.prepare(
      "INSERT INTO media_revisions (media_id, account_id, first_media_id, analysis_media_id) VALUES (?, ?, ?, ?)",
    ).bind(id, accountId, firstId, analysisMediaId),
    env.DB.prepare(
      "INSERT INTO masking_options SELECT ?, account_id, options FROM masking_options WHERE media_id = ?",
    ).bind(id, firstId),
  ]);
}

test("the error for a misspelled name lists the accepted names", async () => {
  const account = await createAccount();
  const response = await call("/media?include=requests", { apiKey: account.apiKey });
  expect((await errorOf(response)).details).toEqual({
    include: [
      '`include` is "requests"; expected one or more of versions, failure, metadata, request, with commas between.',
    ],
  });
});
