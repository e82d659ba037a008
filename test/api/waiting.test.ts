import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { mediaSchema } from "../../src/records/media/media.schemas.ts";
import { MINUTE_MS } from "../../src/ground/platform/clock.ts";
import { createAccount, revokeKey, suspendAccount, type TestAccount } from "../support/accounts.ts";
import { bodyOf, call, callWith, errorOf } from "../support/api.ts";
import { completed } from "../support/leftovers.ts";
import { uploaded } from "../support/uploads.ts";

/** The shortest pause between two reads of a wait. */
const FIRST_PAUSE_MS = 150;

let account: TestAccount;
let id: string;

beforeEach(async () => {
  account = await createAccount();
  id = (await uploaded(account.apiKey)).id;
});

/** Stops the clock and the timers. `pass` advances both and counts the database reads of a request meanwhile. */
function heldTime(): {
  bindings: object;
  reads: () => number;
  pass: (ms: number) => Promise<void>;
} {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  let reads = 0;
  const counted: D1Database = Object.assign(Object.create(env.DB), {
    withSession: (constraint: string) => {
      const session = env.DB.withSession(constraint);
      return {
        prepare: (sql: string) => {
          reads += 1;
          return session.prepare(sql);
        },
        batch: session.batch.bind(session),
      };
    },
  }) as D1Database;
  return {
    bindings: { DB: counted },
    reads: () => reads,
    pass: async (ms) => {
      // The next timer is set only once the read before it has been answered.
      for (let left = ms; left > 0; left -= 50) {
        await vi.advanceTimersByTimeAsync(50);
        await env.DB.prepare("SELECT 1").run();
        await env.DB.prepare("SELECT 1").run();
      }
    },
  };
}

/** A request in flight, and whether it has been answered. */
function begin(request: Promise<Response>): {
  readonly answer: Promise<Response>;
  readonly state: { isAnswered: boolean };
} {
  const state = { isAnswered: false };
  const answer = request.finally(() => {
    state.isAnswered = true;
  });
  answer.catch(() => undefined);
  return { answer, state };
}

test.for(["0", "21", "-1", "1.5", "1e1", "", "soon", "5&wait=6"])(
  "wait=%s is refused by name, at once",
  async (wait) => {
    const response = await call(`/media/${id}?wait=${wait}`, { apiKey: account.apiKey });
    expect(response.status).toBe(422);
    const { details } = await errorOf(response);
    expect(Object.keys(details)).toEqual(["wait"]);
    expect(details["wait"]).toEqual([expect.stringContaining("from 1 to 20")]);
  },
);

test("lists take no wait", async () => {
  expect((await call("/media?wait=5", { apiKey: account.apiKey })).status).toBe(422);
});

test.for(["completed", "failed", "quota_exceeded"])(
  "a media item that is %s is answered at once",
  async (status) => {
    await env.DB.prepare("UPDATE media SET status = ?2 WHERE id = ?1").bind(id, status).run();
    const { bindings, reads } = heldTime();
    const response = await callWith(bindings, `/media/${id}?wait=20`, { apiKey: account.apiKey });
    expect(await response.json()).toMatchObject({ status });
    expect(reads()).toBe(1);
  },
);

test("the answer comes as soon as the status is final, and costs one request of the rate limit", async () => {
  account = await createAccount({ requestsPerMinute: 1_000 });
  id = (await uploaded(account.apiKey)).id;
  const { bindings, pass } = heldTime();
  // The whole wait fits into this minute of the rate limit.
  vi.setSystemTime(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS);
  const before = await call("/usage", { apiKey: account.apiKey });
  const { answer, state } = begin(callWith(bindings, `/media/${id}?wait=20`, { apiKey: account.apiKey }));
  await pass(1_000);
  await env.DB.prepare("UPDATE media SET status = 'processing' WHERE id = ?1").bind(id).run();
  await pass(1_000);
  expect(state.isAnswered).toBe(false);
  await completed(account.accountId, id);
  await pass(500);
  expect(state.isAnswered).toBe(true);
  const response = await answer;
  expect(await bodyOf(response, mediaSchema)).toMatchObject({ id, status: "completed" });
  expect(remainingOf(response)).toBe(remainingOf(before) - 1);
});

test.for([1, 3, 20])("after %i seconds the answer is the state of then", async (seconds) => {
  const { bindings, pass, reads } = heldTime();
  const { answer, state } = begin(
    callWith(bindings, `/media/${id}?wait=${seconds}`, { apiKey: account.apiKey }),
  );
  await pass(seconds * 1_000 - 100);
  expect(state.isAnswered).toBe(false);
  await env.DB.prepare("UPDATE media SET status = 'processing' WHERE id = ?1").bind(id).run();
  await pass(200);
  expect(state.isAnswered).toBe(true);
  expect(await bodyOf(await answer, mediaSchema)).toMatchObject({ status: "processing" });
  expect(reads()).toBeLessThanOrEqual(46);
});

test("a client that disconnects stops the reads", async () => {
  const { bindings, pass, reads } = heldTime();
  const client = new AbortController();
  const { answer } = begin(
    callWith(bindings, `/media/${id}?wait=20`, { apiKey: account.apiKey, signal: client.signal }),
  );
  await pass(1_000);
  const made = reads();
  expect(made).toBeGreaterThan(1);
  client.abort();
  await answer.catch(() => undefined);
  expect(vi.getTimerCount()).toBe(0);
  await pass(5_000);
  expect(reads()).toBe(made);
});

test("the runtime reports a client that disconnects, so the wait ends and is logged", async () => {
  const lines: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
  const timers = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  const client = new AbortController();
  const answer = call(`/media/${id}?wait=20`, { apiKey: account.apiKey, signal: client.signal });
  answer.catch(() => undefined);
  await expect.poll(() => timers.mock.calls.some(([, ms]) => ms === FIRST_PAUSE_MS)).toBe(true);
  client.abort();
  await expect(answer).rejects.toThrow("The operation was aborted");
  const waited = () =>
    lines.map((line) => JSON.parse(line) as { waitedMs?: number }).find((one) => one.waitedMs);
  await expect.poll(waited).toBeDefined();
  expect(waited()?.waitedMs).toBeLessThan(15_000);
});

test("an unchanged media item is answered with 304 when the time is over", async () => {
  const tag = (await call(`/media/${id}`, { apiKey: account.apiKey })).headers.get("ETag") ?? "";
  const { bindings, pass } = heldTime();
  const headers = { "If-None-Match": tag };
  const { answer } = begin(callWith(bindings, `/media/${id}?wait=1`, { apiKey: account.apiKey, headers }));
  await pass(1_200);
  expect((await answer).status).toBe(304);
});

describe("while a request waits", () => {
  const cases: [string, () => Promise<unknown>, number][] = [
    ["its media item is deleted", async () => await deleted(), 404],
    ["its key is revoked", async () => await revokeKey(account.keyId), 401],
    ["its account is suspended", async () => await suspendAccount(account.accountId), 401],
  ];
  test.for(cases)("%s", async ([, change, status]) => {
    const other = await createAccount();
    const { bindings, pass } = heldTime();
    const { answer } = begin(callWith(bindings, `/media/${id}?wait=20`, { apiKey: account.apiKey }));
    await pass(500);
    await change();
    await pass(1_000);
    expect((await answer).status).toBe(status);
    expect((await call(`/media/${id}?wait=20`, { apiKey: other.apiKey })).status).toBe(404);
  });
});

function remainingOf({ headers }: Response): number {
  return Number(headers.get("X-RateLimit-Remaining"));
}

async function deleted(): Promise<void> {
  await env.DB.prepare("DELETE FROM media WHERE id = ?1").bind(id).run();
}
