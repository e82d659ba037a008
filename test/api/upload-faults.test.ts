import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findMediaById } from "../../src/records/media/media.repository.ts";
import { mediaSchema } from "../../src/records/media/media.schemas.ts";
import { HOUR_MS } from "../../src/ground/platform/clock.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import { createAccount } from "../support/accounts.ts";
import { callWith } from "../support/api.ts";
import { faultyBindings } from "../support/faulty-bindings.ts";
import { png } from "../support/images.ts";
import { storedOf } from "../support/leftovers.ts";
import { uploadForm } from "../support/uploads.ts";

const NOW = Date.UTC(2026, 6, 1);
const SMALL = await png({ width: 8, height: 8 });
const LARGE = await png({ width: 8, height: 8, paddingBytes: 6 * 1024 * 1024 });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
});

afterEach(() => {
  vi.useRealTimers();
});

interface Attempt {
  readonly accountId: string;
  readonly apiKey: string;
  readonly response: Response;
  readonly sent: string[];
  readonly calls: number;
}

/** Uploads while the storage call with this number fails, before or after it takes effect. */
async function attempt(
  file: Uint8Array<ArrayBuffer>,
  failing: number,
  when: "before" | "after",
): Promise<Attempt> {
  vi.setSystemTime(NOW);
  const account = await createAccount({ imagesPerPeriod: 1 });
  const sent: string[] = [];
  const faulty = faultyBindings(
    env,
    (count) => (count === failing ? new Error("Storage failed.") : undefined),
    when,
  );
  const IMAGE_JOBS = queueInto(sent);
  const response = await callWith({ ...faulty.bindings, IMAGE_JOBS }, "/media/redact", {
    method: "POST",
    apiKey: account.apiKey,
    headers: { "Idempotency-Key": "k" },
    body: await uploadForm({ file }),
  });
  return { ...account, response, sent, calls: faulty.calls() };
}

async function outOfReach(): Promise<never> {
  return await Promise.reject(new Error("The queue is out of reach."));
}

/** A queue that records the media items of its messages. */
function queueInto(sent: string[]) {
  return {
    send: async ({ mediaId }: { mediaId: string }) => {
      sent.push(mediaId);
      await Promise.resolve();
    },
    sendBatch: async (messages: readonly { body: { mediaId: string } }[]) => {
      sent.push(...messages.map(({ body }) => body.mediaId));
      await Promise.resolve();
    },
  };
}

async function reservedBy(accountId: string): Promise<number> {
  const row = await env.DB.prepare("SELECT reserved_units AS units FROM usage WHERE account_id = ?")
    .bind(accountId)
    .first<{ units: number }>();
  return row?.units ?? 0;
}

async function expectQueuedOnce({ accountId, response, sent }: Attempt, sizeBytes: number): Promise<void> {
  const media = mediaSchema.parse(await response.json());
  expect((await findMediaById(openDatabase(env.DB, "primary"), media.id))?.status).toBe("queued");
  expect(sent).toEqual([media.id]);
  expect(await reservedBy(accountId)).toBe(1);
  expect((await env.MEDIA.head(`${accountId}/${media.id}/source`))?.size).toBe(sizeBytes);
  vi.setSystemTime(NOW + 2 * HOUR_MS);
  await sweep(parseApiEnv({ ...env }));
  expect(await storedOf(accountId)).toEqual({ media: 1, objects: 1, keys: 1, purges: 0 });
}

async function expectNothing({ accountId, apiKey, response, sent }: Attempt, file: Uint8Array<ArrayBuffer>) {
  expect(response.status).toBe(500);
  expect(sent).toEqual([]);
  vi.setSystemTime(NOW + 2 * HOUR_MS);
  await sweep(parseApiEnv({ ...env }));
  expect(await storedOf(accountId)).toMatchObject({ media: 0, objects: 0, purges: 0 });
  expect(await reservedBy(accountId)).toBe(0);
  const retry = await callWith({}, "/media/redact", {
    method: "POST",
    apiKey,
    headers: { "Idempotency-Key": "k" },
    body: await uploadForm({ file }),
  });
  expect([retry.status, retry.headers.get("Idempotency-Replayed")]).toEqual([201, null]);
}

test.for([
  ["a small file, the call fails", SMALL, "before"],
  ["a small file, the answer is lost", SMALL, "after"],
  ["a large file, the call fails", LARGE, "before"],
  ["a large file, the answer is lost", LARGE, "after"],
] as const)(
  "storage failing once at any call: queued exactly once or nothing left — %s",
  async ([, file, when]) => {
    const { calls } = await attempt(file, 0, when);
    expect(calls).toBeGreaterThan(5);
    let accepted = 0;
    for (let failing = 1; failing <= calls; failing++) {
      const result = await attempt(file, failing, when);
      if (result.response.status === 201) {
        accepted += 1;
        await expectQueuedOnce(result, file.length);
      } else await expectNothing(result, SMALL);
    }
    expect(accepted).toBeGreaterThan(0);
  },
);

test("a queue that cannot be reached leaves the job to the sweeper", async () => {
  const { apiKey } = await createAccount();
  const IMAGE_JOBS = { send: outOfReach, sendBatch: outOfReach };
  const response = await callWith({ IMAGE_JOBS }, "/media/redact", {
    method: "POST",
    apiKey,
    body: await uploadForm(),
  });
  const { id } = mediaSchema.parse(await response.json());
  const sent: string[] = [];
  vi.setSystemTime(NOW + 2 * HOUR_MS);
  await sweep(parseApiEnv({ ...env, IMAGE_JOBS: queueInto(sent) }));
  expect(sent).toEqual([id]);
});
