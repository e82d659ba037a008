import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createAccount } from "../support/accounts.ts";
import { call, callWith } from "../support/api.ts";
import { faultyBindings } from "../support/faulty-bindings.ts";
import { upload, uploadForm, uploaded } from "../support/uploads.ts";

const FILENAME = "Maria-Musterfrau.png";
const KEY = "veil_a-key-that-nobody-has-but-one";

let lines: string[];

beforeEach(() => {
  lines = [];
  for (const level of ["log", "warn", "error"] as const) {
    vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(line));
  }
});

afterEach(() => {
  vi.restoreAllMocks();
});

function requestsLogged(): Record<string, unknown>[] {
  return lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ event }) => event === "request");
}

test("a request is one event, with what it was about and how its stages went", async () => {
  const { apiKey, accountId } = await createAccount({ requestsPerMinute: 100 });
  const { id: mediaId } = await uploaded(apiKey);
  await call(`/media/${mediaId}`, { apiKey });
  await call(`/media/${mediaId}/download`, { apiKey });
  await call(`/media/${mediaId}`, { apiKey, method: "DELETE" });
  const ms = expect.any(Number) as number;
  const common = { accountId, mediaId, authenticationMs: ms, rateLimitMs: ms, durationMs: ms };
  expect(requestsLogged()).toEqual([
    expect.objectContaining({
      ...common,
      method: "POST",
      status: 201,
      receiveMs: ms,
      acceptMs: ms,
      format: "png",
    }),
    expect.objectContaining({ ...common, method: "GET", status: 200 }),
    expect.objectContaining({ ...common, method: "GET", status: 404, errorCode: "not_found" }),
    expect.objectContaining({ ...common, method: "DELETE", status: 204 }),
  ]);
});

test("whatever goes wrong, no event tells a file name or a key", async () => {
  const { apiKey } = await createAccount({ requestsPerMinute: 1000 });
  const idempotency = { "Idempotency-Key": KEY };
  const file = new Uint8Array(new TextEncoder().encode("not a picture, but Musterfrau"));
  await upload(apiKey, { filename: FILENAME, categories: ["Musterfrau"] }, idempotency);
  await upload(apiKey, { filename: FILENAME, file }, idempotency);
  await upload(KEY, { filename: FILENAME });
  await call(`/media/Musterfrau`, { apiKey });
  await call(`/media?status=Musterfrau&${KEY}`, { apiKey });
  for (let failing = 1; failing <= 12; failing++) {
    for (const when of ["before", "after"] as const) {
      const plan = (at: number) =>
        at >= failing ? new Error("D1_ERROR: UNIQUE constraint failed: media.id") : undefined;
      const { bindings } = faultyBindings(env, plan, when);
      const body = await uploadForm({ filename: FILENAME });
      const headers = { "Idempotency-Key": `${KEY}-${failing}-${when}` };
      await callWith(bindings, "/media/redact", { method: "POST", apiKey, headers, body });
    }
  }
  expect(requestsLogged().length).toBe(5 + 24);
  expect(requestsLogged().some(({ status }) => status === 500)).toBe(true);
  const text = lines.join("\n");
  for (const secret of ["Musterfrau", KEY, apiKey])
    expect([secret, text.includes(secret)]).toEqual([secret, false]);
});
