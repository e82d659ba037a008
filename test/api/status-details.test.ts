import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { FAILURE_CODES, FAILURE_MESSAGES } from "../../src/ground/vocabulary/failures.ts";
import { mediaSchema } from "../../src/records/media/media.schemas.ts";
import {
  statusDetailsSchema,
  type StatusDetailsResponse,
} from "../../src/records/media-api/status-details.schemas.ts";
import { createAccount, type TestAccount } from "../support/accounts.ts";
import { bodyOf, call, errorOf } from "../support/api.ts";
import { uploaded } from "../support/uploads.ts";

const UNKNOWN_ID = "019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10";
const LATER_MS = Date.UTC(2030, 0, 1);

let account: TestAccount;

beforeAll(async () => {
  account = await createAccount();
});

/** The status details of a new media item with some columns changed. */
async function detailsOf(columns: Readonly<Record<string, string | number>>): Promise<StatusDetailsResponse> {
  const { id } = await uploaded(account.apiKey);
  const assignments = Object.keys(columns).map((name) => `${name} = ?`);
  await env.DB.prepare(`UPDATE media SET ${assignments.join(", ")} WHERE id = ?`)
    .bind(...Object.values(columns), id)
    .run();
  const response = await call(`/media/${id}/status-details`, { apiKey: account.apiKey });
  expect(response.status).toBe(200);
  const { media_id: mediaId, ...details } = await bodyOf(response, statusDetailsSchema);
  expect(mediaId).toBe(id);
  return { media_id: "", ...details };
}

const nothing = {
  media_id: "",
  progress: null,
  step: null,
  failure: null,
  source_expires_at: null,
  output_expires_at: null,
};

describe("the status details of a media that is", () => {
  test.for([
    [{ status: "pending" }, { progress: null, step: "upload" }],
    [{ status: "queued" }, { progress: 0 }],
    [{ status: "processing" }, {}],
    [
      { status: "processing", media_type: "video" },
      { progress: 0, step: "plan" },
    ],
    [
      { status: "completed", source_expires_at: LATER_MS, output_expires_at: LATER_MS + 1 },
      {
        progress: 1,
        source_expires_at: "2030-01-01T00:00:00.000Z",
        output_expires_at: "2030-01-01T00:00:00.001Z",
      },
    ],
    [
      { status: "failed", failure_code: "source_undecodable", source_expires_at: LATER_MS },
      {
        failure: { code: "source_undecodable", message: FAILURE_MESSAGES.source_undecodable },
        source_expires_at: "2030-01-01T00:00:00.000Z",
      },
    ],
    [
      { status: "failed", failure_code: "of_an_older_version" },
      { failure: { code: "unexpected", message: FAILURE_MESSAGES.unexpected } },
    ],
    [
      { status: "quota_exceeded" },
      { failure: { code: "quota_exceeded", message: FAILURE_MESSAGES.quota_exceeded } },
    ],
  ] as const)("%j", async ([columns, expected]) => {
    expect(await detailsOf(columns)).toEqual({ ...nothing, status: columns.status, ...expected });
  });
});

test("the media itself, failed, has the fields of the contract and no others", async () => {
  const { id } = await uploaded(account.apiKey);
  await env.DB.prepare("UPDATE media SET status = 'failed', failure_code = 'worker_lost' WHERE id = ?")
    .bind(id)
    .run();
  const media = await bodyOf(await call(`/media/${id}`, { apiKey: account.apiKey }), mediaSchema);
  expect(media.status).toBe("failed");
});

test.for([UNKNOWN_ID, "not-a-uuid"])("of %s there are none", async (id) => {
  const response = await call(`/media/${id}/status-details`, { apiKey: account.apiKey });
  expect(response.status).toBe(404);
  expect((await errorOf(response)).code).toBe("not_found");
});

test("every failure says in full sentences what to do", () => {
  for (const code of FAILURE_CODES) {
    expect(FAILURE_MESSAGES[code]).toMatch(/^[A-Z][^`]+\. [A-Z][^`]+\.$|: [a-z][^`]+\.$/);
  }
});
