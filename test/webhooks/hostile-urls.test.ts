import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { parseApiEnv } from "../../src/platform/env.ts";
import { checkEndpointUrl } from "../../src/webhooks/endpoint-url.ts";
import { findDelivery } from "../../src/webhooks/delivery-history.service.ts";
import { createEndpoint, listEndpoints } from "../../src/webhooks/webhook-endpoints.service.ts";
import { createAccount } from "../support/accounts.ts";
import { consume, endpointAt, writeEvent } from "../support/webhooks.ts";

const deployed = { ...env, LOCAL_DEVELOPMENT: "false" };

/** URLs that must never get a request from a deployed service, by what they try. */
const HOSTILE: Readonly<Record<string, readonly string[]>> = {
  "loopback and its spellings": [
    "https://127.0.0.1/",
    "https://127.1/",
    "https://127.0.1/",
    "https://127.255.255.254/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.0x0.0x0.0x1/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://017700000001/",
    "https://00000000177.0.0.1/",
    "https://127.0.0.1./",
    "https://%31%32%37.0.0.1/",
    "https://１２７.０.０.１/",
    "https://①②⑦.⓪.⓪.①/",
    "https://127。0。0。1/",
    "https://0/",
    "https://0.0.0.0/",
    "https://0.1.2.3/",
    "https://localhost/",
    "https://LOCALHOST/",
    "https://localhost./",
    "https://localhost:443/",
    "https://hook.localhost/",
    "https://localhost.localdomain/",
    "https://ＬＯＣＡＬＨＯＳＴ/",
  ],
  "private, shared and link-local networks": [
    "https://10.0.0.1/",
    "https://167772161/",
    "https://0xa000001/",
    "https://012.0.0.1/",
    "https://172.16.0.1/",
    "https://172.31.255.255/",
    "https://192.168.0.1/",
    "https://3232235521/",
    "https://192.168.257/",
    "https://100.64.0.1/",
    "https://198.18.0.1/",
    "https://169.254.1.1/",
  ],
  "metadata services": [
    "https://169.254.169.254/latest/meta-data/",
    "https://2852039166/",
    "https://0xa9fea9fe/",
    "https://0251.0376.0251.0376/",
    "https://169.254.43518/",
    "https://metadata.google.internal/computeMetadata/v1/",
    "https://metadata.google.internal./",
    "https://[fd00:ec2::254]/",
    "https://100.100.100.200/",
  ],
  "addresses that are nobody's or everybody's": [
    "https://192.0.0.1/",
    "https://192.0.2.1/",
    "https://198.51.100.1/",
    "https://203.0.113.1/",
    "https://192.88.99.1/",
    "https://224.0.0.1/",
    "https://240.0.0.1/",
    "https://255.255.255.255/",
    "https://4294967295/",
  ],
  IPv6: [
    "https://[::]/",
    "https://[::1]/",
    "https://[0:0:0:0:0:0:0:1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[0:0:0:0:0:ffff:a9fe:a9fe]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[::127.0.0.1]/",
    "https://[::ffff:0:127.0.0.1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[64:ff9b:1::a00:1]/",
    "https://[2002:7f00:1::]/",
    "https://[2001:0:7f00:1::]/",
    "https://[fe80::1]/",
    "https://[fec0::1]/",
    "https://[fc00::1]/",
    "https://[fd12:3456:789a::1]/",
    "https://[ff02::1]/",
    "https://[100::1]/",
    "https://[2001:db8::1]/",
    "https://[3fff::1]/",
    "https://[5f00::1]/",
    "https://[4000::1]/",
    "https://[fe80::1%25eth0]/",
  ],
  "names of inner networks": [
    "https://router/",
    "https://printer.local/",
    "https://db.internal/",
    "https://wiki.corp/",
    "https://nas.lan/",
    "https://router.home.arpa/",
    "https://1.0.0.127.in-addr.arpa/",
    "https://hidden.onion/",
    "https://something.test/",
    "https://x.example/",
    "https://x.invalid/",
  ],
  "names that resolve inward": [
    "https://inward-10.example.com/",
    "https://inward-127.example.com/",
    "https://inward-127.example.com./",
    "https://INWARD-127.example.com/",
    "https://inward-metadata.example.com/",
    "https://inward-mixed.example.com/",
    "https://inward-ula.example.com/",
    "https://inward-mapped.example.com/",
    "https://inward-loopback6.example.com/",
    "https://inward-nat64.example.com/",
    "https://missing.example.com/",
  ],
  "schemes, ports and credentials": [
    "http://example.com/",
    "HTTP://example.com/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://example.com/",
    "data:text/plain,hello",
    "javascript:alert(1)",
    "ws://example.com/",
    "blob:https://example.com/x",
    "//example.com/",
    "https://",
    "https:///",
    "https://example.com:22/",
    "https://example.com:25/",
    "https://example.com:80/",
    "https://example.com:6379/",
    "https://example.com:9200/",
    "https://example.com:65536/",
    "https://user@example.com/",
    "https://user:password@example.com/",
    "https://example.com@127.0.0.1/",
    "https://127.0.0.1#@example.com/",
    "https://127.0.0.1\\@example.com/",
    "https://127.0.0.1%00.example.com/",
    "https://exa mple.com/",
    "https://example.com%2f@127.0.0.1/",
  ],
};

const table = Object.entries(HOSTILE).flatMap(([attempt, urls]) => urls.map((url) => ({ attempt, url })));

afterEach(() => {
  vi.restoreAllMocks();
});

/** The hosts that are asked while `run` runs, the resolver's aside. */
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
    ({ accountId } = await createAccount());
    ({ endpointId } = await endpointAt(accountId, "ok"));
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

    // Whatever brought the URL into the database, as a name whose address has changed since, an attempt looks again.
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
  return "refusal" in checkEndpointUrl(url, { isLocal: true });
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
