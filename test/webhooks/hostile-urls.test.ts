import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { checkPublicUrl } from "../../src/ground/public-hosts/public-url.ts";
import { findDelivery } from "../../src/work/webhooks/delivery-history.service.ts";
import { createEndpoint, listEndpoints } from "../../src/work/webhooks/webhook-endpoints.service.ts";
import { createAccount } from "../support/accounts.ts";
import { HOSTILE_URLS } from "../support/hostile-urls.ts";
import { consume, endpointAt, writeEvent } from "../support/webhooks.ts";

const deployed = { ...env, LOCAL_DEVELOPMENT: "false" };

const table = Object.entries(HOSTILE_URLS).flatMap(([attempt, urls]) =>
  urls.map((url) => ({ attempt, url })),
);

afterEach(() => {
  vi.restoreAllMocks();
});

/** The hosts that are requested while `run` runs, without the resolver. */
async function hostsAsked(run: () => Promise<unknown>): Promise<string[]> {
  const original = globalThis.fetch;
  const asked: string[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (!url.startsWith(`${env.RECEIVER_URL}/dns-query`)) asked.push(url);
    return await original(input, init);
  });
  await run();
  vi.restoreAllMocks();
  return asked;
}

test("the table is long enough to mean something", () => {
  expect(new Set(table.map(({ url }) => url)).size).toBe(table.length);
  expect(table.length).toBeGreaterThanOrEqual(100);
});

describe("no request goes to", () => {
  const config = parseApiEnv(deployed);
  let accountId = "";
  let endpointId = "";

  beforeAll(async () => {
    // A permit attempts any due delivery, so the clock is stopped to keep failed deliveries of other tests from becoming due.
    vi.useFakeTimers({ toFake: ["Date"] });
    ({ accountId } = await createAccount());
    ({ endpointId } = await endpointAt(accountId, "ok"));
  });

  afterAll(() => {
    vi.useRealTimers();
  });

  test.for(table)("$attempt: $url", async ({ url }) => {
    const endpoints = await listEndpoints(config, accountId);
    const whenMade = await hostsAsked(async () => {
      await expect(createEndpoint(config, { accountId }, { url })).rejects.toMatchObject({
        code: "validation_failed",
        details: { url: [expect.stringMatching(/expected|use a public host|remove them|the limit is/)] },
      });
    });
    expect(whenMade).toEqual([]);
    expect(await listEndpoints(config, accountId)).toHaveLength(endpoints.length);

    // The URL may have been stored before its address changed, so each attempt checks it again.
    await env.DB.prepare("UPDATE webhook_endpoints SET url = ? WHERE id = ?").bind(url, endpointId).run();
    const eventId = await writeEvent(accountId);
    const made = await env.DB.prepare("SELECT id FROM webhook_deliveries WHERE event_id = ?")
      .bind(eventId)
      .first<{ id: string }>();
    const deliveryId = made?.id ?? "";
    const whenSent = await hostsAsked(async () => await consume([deliveryId], { bindings: deployed }));
    expect(whenSent).toEqual([]);
    const delivery = await findDelivery(config, { accountId, deliveryId });
    expect(["address_not_public", "host_not_found"]).toContain(delivery.attempts[0]?.outcome);
  });
});

describe("public hosts are accepted as they are", () => {
  test.for([
    ["https://example.com/hook?token=a%20b", "https://example.com/hook?token=a%20b"],
    ["https://EXAMPLE.com:443/hook#part", "https://example.com/hook"],
    ["https://example.com:8443/", "https://example.com:8443/"],
    ["https://8.8.8.8/", "https://8.8.8.8/"],
    ["https://172.32.0.1/", "https://172.32.0.1/"],
    ["https://[2606:4700::1111]/", "https://[2606:4700::1111]/"],
    ["https://bücher.example.com/", "https://xn--bcher-kva.example.com/"],
    ["https://localhost.example.com/", "https://localhost.example.com/"],
    ["https://internal.example.com/", "https://internal.example.com/"],
  ] as const)("%s", async ([url, kept]) => {
    const { accountId } = await createAccount();
    const { endpoint } = await createEndpoint(parseApiEnv(deployed), { accountId }, { url });
    expect(endpoint.url).toBe(kept);
  });
});

function isRefused(url: string): boolean {
  return "refusal" in checkPublicUrl(url, { isLocal: true });
}

describe("in local development", () => {
  test.for([
    "http://127.0.0.1:9/",
    "http://localhost:3000/hook",
    "https://localhost:3000/",
    "http://[::1]:3000/",
    "http://example.com/",
  ])("%s is accepted", (url) => {
    expect(isRefused(url)).toBe(false);
  });

  test.for([
    "http://10.0.0.1/",
    "http://169.254.169.254/",
    "http://192.168.1.1:8080/",
    "http://[fd00::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://0.0.0.0/",
    "http://router/",
    "http://db.internal/",
    "http://user:x@127.0.0.1/",
    "ftp://127.0.0.1/",
    "http://example.com:22/",
  ])("%s is not", (url) => {
    expect(isRefused(url)).toBe(true);
  });
});
