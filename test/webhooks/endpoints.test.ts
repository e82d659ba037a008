import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DAY_MS, HOUR_MS } from "../../src/ground/platform/clock.ts";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { newId } from "../../src/ground/platform/ids.ts";
import { MAX_ENDPOINTS } from "../../src/work/webhooks/new-endpoint.ts";
import { decryptSecret, encryptSecret } from "../../src/ground/platform/encrypted-secret.ts";
import {
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  findEndpoint,
  listEndpoints,
  rotateSecret,
  updateEndpoint,
} from "../../src/work/webhooks/webhook-endpoints.service.ts";
import { createAccount } from "../support/accounts.ts";

const config = parseApiEnv(env);
const URL_OF_HOOK = "https://hooks.example.com/veil";
const NOW = Date.UTC(2026, 5, 1);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
});

afterEach(() => {
  vi.useRealTimers();
});

async function storedEndpoints(): Promise<string> {
  return JSON.stringify((await env.DB.prepare("SELECT * FROM webhook_endpoints").all()).results);
}

test("an endpoint is made with a secret that is shown once and stored encrypted", async () => {
  const { accountId } = await createAccount();
  const { endpoint, secret } = await createEndpoint(
    config,
    { accountId },
    {
      url: URL_OF_HOOK,
      event_kinds: ["media.failed", "media.processed", "media.failed"],
    },
  );
  expect(secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
  expect(endpoint).toEqual({
    id: endpoint.id,
    url: URL_OF_HOOK,
    eventKinds: ["media.processed", "media.failed"],
    createdAt: NOW,
    failingSince: null,
    disabledAt: null,
    disabledReason: null,
    previousSecretsUntil: [],
    nextRotationAt: null,
  });
  expect(endpoint.id).toMatch(/^whe_/);
  expect(await listEndpoints(config, accountId)).toEqual([endpoint]);
  const stored = await storedEndpoints();
  expect(stored).not.toContain(secret);
  expect(stored).not.toContain(secret.slice(6, 20));
  expect(JSON.stringify(endpoint)).not.toContain("v1.");
});

test("without a choice an endpoint gets every kind of event", async () => {
  const { accountId } = await createAccount();
  const { endpoint } = await createEndpoint(config, { accountId }, { url: URL_OF_HOOK });
  expect(endpoint.eventKinds).toEqual(["media.processed", "media.failed", "media.source_deleted"]);
});

describe("what cannot be accepted is refused by field and leaves nothing", () => {
  test.for([
    ["no URL", { url: "not a url" }, "url", /cannot be read/],
    ["nothing", { url: "" }, "url", /cannot be read/],
    ["a name without an address", { url: "https://missing.example.com/" }, "url", /has no address/],
    [
      "a name that leads inward",
      { url: "https://inward-10.example.com/" },
      "url",
      /not on the public internet/,
    ],
    ["a long URL", { url: `https://example.com/${"a".repeat(2048)}` }, "url", /limit is 2048/],
    ["no events", { url: URL_OF_HOOK, event_kinds: [] }, "event_kinds", /No event is selected/],
    [
      "an unknown event",
      { url: URL_OF_HOOK, event_kinds: ["media.eaten"] },
      "event_kinds",
      /media\.eaten.*expected one of media\.processed/,
    ],
  ] as const)("%s", async ([, input, field, sentence]) => {
    const { accountId } = await createAccount();
    await expect(createEndpoint(config, { accountId }, input)).rejects.toMatchObject({
      code: "validation_failed",
      details: { [field]: [expect.stringMatching(sentence)] },
    });
    expect(await listEndpoints(config, accountId)).toEqual([]);
  });

  test("more endpoints than an account may have, even when they are made at once", async () => {
    const { accountId } = await createAccount();
    const made = await Promise.allSettled(
      Array.from(
        { length: MAX_ENDPOINTS + 5 },
        async () => await createEndpoint(config, { accountId }, { url: URL_OF_HOOK }),
      ),
    );
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(MAX_ENDPOINTS);
    expect(await listEndpoints(config, accountId)).toHaveLength(MAX_ENDPOINTS);
  });
});

test("a resolver that is out of reach keeps nobody from making an endpoint", async () => {
  const { accountId } = await createAccount();
  const { endpoint } = await createEndpoint(
    config,
    { accountId },
    { url: "https://resolver-down.example.com/" },
  );
  expect(endpoint.url).toBe("https://resolver-down.example.com/");
});

test("a rotation makes a new secret and keeps the old one for 24 hours", async () => {
  const { accountId } = await createAccount();
  const made = await createEndpoint(config, { accountId }, { url: URL_OF_HOOK });
  const owned = { accountId, endpointId: made.endpoint.id };
  const rotated = await rotateSecret(config, owned);
  expect(rotated.secret).not.toBe(made.secret);
  expect(rotated.endpoint.previousSecretsUntil).toEqual([NOW + DAY_MS]);
  vi.setSystemTime(NOW + DAY_MS);
  expect((await findEndpoint(config, owned)).previousSecretsUntil).toEqual([]);
});

test("a fourth rotation within 24 hours is refused, and is done once the first secret stops", async () => {
  const { accountId } = await createAccount();
  const { endpoint } = await createEndpoint(config, { accountId }, { url: URL_OF_HOOK });
  const owned = { accountId, endpointId: endpoint.id };
  for (const hour of [0, 1, 2]) {
    vi.setSystemTime(NOW + hour * HOUR_MS);
    await rotateSecret(config, owned);
  }
  expect(await findEndpoint(config, owned)).toMatchObject({
    previousSecretsUntil: [NOW + DAY_MS, NOW + DAY_MS + HOUR_MS, NOW + DAY_MS + 2 * HOUR_MS],
    nextRotationAt: NOW + DAY_MS,
  });
  const before = await storedEndpoints();
  await expect(rotateSecret(config, owned)).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining(new Date(NOW + DAY_MS).toISOString()) as string,
  });
  expect(await storedEndpoints()).toBe(before);
  vi.setSystemTime(NOW + DAY_MS);
  expect((await rotateSecret(config, owned)).endpoint.previousSecretsUntil).toEqual([
    NOW + DAY_MS + HOUR_MS,
    NOW + DAY_MS + 2 * HOUR_MS,
    NOW + 2 * DAY_MS,
  ]);
});

test("an endpoint's URL and events change, and it is switched off and on", async () => {
  const { accountId } = await createAccount();
  const { endpoint } = await createEndpoint(config, { accountId }, { url: URL_OF_HOOK });
  const owned = { accountId, endpointId: endpoint.id };
  await updateEndpoint(config, owned, { event_kinds: ["media.failed"] });
  await updateEndpoint(config, owned, { url: "https://other.example.com/" });
  await updateEndpoint(config, owned, {});
  expect(await findEndpoint(config, owned)).toMatchObject({
    url: "https://other.example.com/",
    eventKinds: ["media.failed"],
  });
  expect(await disableEndpoint(config, owned)).toMatchObject({ disabledAt: NOW, disabledReason: "by_owner" });
  expect(await enableEndpoint(config, owned)).toMatchObject({ disabledAt: null, disabledReason: null });
});

test("another account's endpoint can be neither seen nor changed", async () => {
  const { accountId } = await createAccount();
  const stranger = await createAccount();
  const { endpoint } = await createEndpoint(config, { accountId }, { url: URL_OF_HOOK });
  const stolen = { accountId: stranger.accountId, endpointId: endpoint.id };
  const before = await storedEndpoints();
  for (const attack of [findEndpoint, rotateSecret, disableEndpoint, enableEndpoint, deleteEndpoint]) {
    await expect(attack(config, stolen)).rejects.toMatchObject({ code: "not_found" });
  }
  await expect(updateEndpoint(config, stolen, { url: URL_OF_HOOK })).rejects.toMatchObject({
    code: "not_found",
  });
  expect(await listEndpoints(config, stranger.accountId)).toEqual([]);
  expect(await storedEndpoints()).toBe(before);
});

test("a deleted endpoint leaves nothing", async () => {
  const { accountId } = await createAccount();
  const { endpoint } = await createEndpoint(config, { accountId }, { url: URL_OF_HOOK });
  await deleteEndpoint(config, { accountId, endpointId: endpoint.id });
  expect(await storedEndpoints()).not.toContain(endpoint.id);
});

describe("secrets at rest", () => {
  const [first = "", second = ""] = ["a", "b"].map((letter) => btoa(letter.repeat(32)));
  const endpointId = newId("webhookEndpoint");

  test("are read with the key that made them, whichever place it has in the list", async () => {
    const stored = await encryptSecret([first], endpointId, "whsec_x");
    expect(await decryptSecret([second, first], endpointId, stored)).toBe("whsec_x");
    expect(await encryptSecret([first], endpointId, "whsec_x")).not.toBe(stored);
  });

  test("cannot be read with another key, for another endpoint, or after a change", async () => {
    const stored = await encryptSecret([first], endpointId, "whsec_x");
    await expect(decryptSecret([second], endpointId, stored)).rejects.toThrow(/not configured/);
    await expect(decryptSecret([first], newId("webhookEndpoint"), stored)).rejects.toThrow(/decrypt/i);
    const [format, key, nonce, ciphertext = ""] = stored.split(".");
    const changed = `${ciphertext.startsWith("A") ? "B" : "A"}${ciphertext.slice(1)}`;
    await expect(decryptSecret([first], endpointId, [format, key, nonce, changed].join("."))).rejects.toThrow(
      /decrypt/i,
    );
  });

  test.for(["", "short", "not base64!", btoa("x".repeat(16))])("need keys of 32 bytes: %j", (keys) => {
    expect(() => parseApiEnv({ ...env, WEBHOOK_SECRET_KEYS: keys })).toThrow(/WEBHOOK_SECRET_KEYS/);
  });
});
