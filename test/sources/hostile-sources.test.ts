import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createAccount } from "../support/accounts.ts";
import { callWith, errorOf } from "../support/api.ts";
import { HOSTILE_URLS } from "../support/hostile-urls.ts";
import { expectNothingLeft } from "../support/leftovers.ts";

const DEPLOYED = { LOCAL_DEVELOPMENT: "false" };
const START = "https://files.example.com/start";
const IMAGE_URL = `${env.SOURCE_SERVER_URL}/image`;

const table = [
  ...Object.entries(HOSTILE_URLS).flatMap(([attempt, urls]) => urls.map((url) => ({ attempt, url }))),
  { attempt: "very long", url: `https://example.com/${"a".repeat(8192)}` },
  { attempt: "a fragment that looks like a host", url: "https://10.0.0.1/#https://example.com/" },
  { attempt: "a query that looks like a host", url: "https://169.254.169.254/?@example.com" },
  { attempt: "control characters", url: "https://127.0.\t0.1/\r\nHost: example.com" },
  { attempt: "blanks around it", url: "  https://10.0.0.1/  " },
  { attempt: "nothing at all", url: "" },
];

afterEach(() => {
  vi.restoreAllMocks();
});

/** Answers requests to public hosts from `answers`, and records the requested hosts. The resolver is the test's own. */
function answerWith(answers: Readonly<Record<string, () => Promise<Response>>>): string[] {
  const original = globalThis.fetch;
  const asked: string[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (url.startsWith(`${env.SOURCE_SERVER_URL}/dns-query`)) return await original(input, init);
    // The service requests the detector's categories.
    if (url.startsWith("http://127.0.0.1:9/")) throw new TypeError("There is no detector.");
    asked.push(url);
    const answer = answers[url];
    if (answer === undefined) throw new TypeError("Network connection lost.");
    return await answer();
  });
  return asked;
}

function redirectTo(location: string): () => Promise<Response> {
  return async () =>
    await Promise.resolve(new Response(null, { status: 302, headers: { Location: location } }));
}

async function send(sourceUrl: string) {
  const { accountId, apiKey } = await createAccount();
  const response = await callWith(DEPLOYED, "/media/redact", {
    method: "POST",
    apiKey,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ source_url: sourceUrl, categories: ["heads"] }),
  });
  return { accountId, response };
}

/** Expects a 422 only on `source_url` that leaves nothing behind. Returns its sentence. */
async function refusalOf(sourceUrl: string): Promise<string> {
  const { accountId, response } = await send(sourceUrl);
  expect(response.status).toBe(422);
  const { details } = await errorOf(response);
  expect(Object.keys(details)).toEqual(["source_url"]);
  await expectNothingLeft(accountId);
  return String(details["source_url"]);
}

test("the table is long enough to mean something", () => {
  expect(new Set(table.map(({ url }) => url)).size).toBe(table.length);
  expect(table.length).toBeGreaterThanOrEqual(100);
});

describe("no request goes to", () => {
  test.for(table)("$attempt: $url", async ({ url }) => {
    const asked = answerWith({});
    expect(await refusalOf(url)).toMatch(/expected|use a public host|remove them|the limit is/);
    expect(asked).toEqual([]);
  });
});

// A header cannot hold other characters, and a location without a scheme inherits the source's.
const locations = table.filter(({ url }) => /^[\x21-\x7e]+$/.test(url) && !url.startsWith("//"));

describe("no redirect is followed to", () => {
  test.for(locations)("$attempt: $url", async ({ url }) => {
    const asked = answerWith({ [START]: redirectTo(url) });
    expect(await refusalOf(START)).toMatch(/redirects to|use a public host/);
    expect(asked).toEqual([START]);
  });
});

test("redirects are checked at each step, not only at the first", async () => {
  const asked = answerWith({
    [START]: redirectTo("/second"),
    "https://files.example.com/second": redirectTo("//other.example.com/third"),
    "https://other.example.com/third": redirectTo("https://inward-metadata.example.com/latest"),
  });
  expect(await refusalOf(START)).toMatch(/^The host inward-metadata\.example\.com leads to an address/);
  expect(asked).toEqual([START, "https://files.example.com/second", "https://other.example.com/third"]);
});

async function innerFile(): Promise<Response> {
  return await Promise.resolve(new Response("the secret of an inner service"));
}

describe("a name whose address changes", () => {
  test("before it is asked again for a redirect is not asked", async () => {
    const start = "https://flips-2-redirect.example.com/a";
    const asked = answerWith({ [start]: redirectTo("/b") });
    expect(await refusalOf(start)).toMatch(/not on the public internet/);
    expect(asked).toEqual([start]);
  });

  test("between the check and the request has its answer thrown away unread", async () => {
    const start = "https://flips-1-answer.example.com/a";
    const asked = answerWith({ [start]: innerFile });
    expect(await refusalOf(start)).toMatch(/^The host flips-1-answer\.example\.com leads to an address/);
    expect(asked).toEqual([start]);
  });
});

test("while names cannot be looked up nothing is asked, and the client may try again", async () => {
  const asked = answerWith({});
  const { accountId, response } = await send("https://resolver-down.example.com/a.png");
  expect(response.status).toBe(503);
  expect(response.headers.get("Retry-After")).toBe("5");
  expect(await errorOf(response)).toMatchObject({
    code: "service_unavailable",
    message: expect.stringContaining("cannot look up the host of `source_url`") as unknown,
  });
  await expectNothingLeft(accountId);
  expect(asked).toEqual([]);
});

test("a name that the resolver refuses has no address", async () => {
  const asked = answerWith({});
  expect(await refusalOf("https://refused-name.example.com/a.png")).toBe(
    "The host refused-name.example.com has no address; use a public host.",
  );
  expect(asked).toEqual([]);
});

test("of a name whose servers tell of its IPv4 addresses alone nothing is asked, and the answer says why", async () => {
  const asked = answerWith({});
  expect(await refusalOf("https://untold-aaaa.example.com/a.png")).toBe(
    "The name servers of untold-aaaa.example.com do not answer; try again later, or use a public host.",
  );
  expect(asked).toEqual([]);
});

test("name servers that are silent once are asked once more", async () => {
  const url = "https://untold-once.example.com/a.png";
  const image = await (await fetch(IMAGE_URL)).bytes();
  const asked = answerWith({ [url]: async () => await Promise.resolve(new Response(image)) });
  expect((await send(url)).response.status).toBe(201);
  expect(asked).toEqual([url]);
});

test("a public host is asked, without what follows #", async () => {
  const image = await (await fetch(IMAGE_URL)).bytes();
  const asked = answerWith({
    "https://files.example.com/a.png?x=1": async () => await Promise.resolve(new Response(image)),
  });
  const { response } = await send("https://FILES.example.com:443/a.png?x=1#https://10.0.0.1/");
  expect(response.status).toBe(201);
  expect(asked).toEqual(["https://files.example.com/a.png?x=1"]);
});
