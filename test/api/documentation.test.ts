import { exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { SEARCH_KEYWORDS } from "../../src/web/docs/docs.app.tsx";
import { PAGES } from "../../src/web/docs/pages/files.generated.ts";
import { REDACTION_CATEGORIES } from "../../src/ground/vocabulary/categories.ts";
import keptDocument from "../../openapi.json";
import { BASE, ORIGIN } from "../support/api.ts";

test("the document that is served is the one that is kept", async () => {
  const request = new Request(`${ORIGIN}/openapi/v1.json`);
  const served = await (await exports.default.fetch(request)).text();
  expect(JSON.parse(served.replaceAll(ORIGIN, "https://veil.example.com"))).toEqual(keptDocument);
});

test("the reference page and the document need no key and no other host", async () => {
  const page = await exports.default.fetch(new Request(`${ORIGIN}/docs`));
  expect(page.status).toBe(200);
  expect(page.headers.get("Content-Type")).toContain("text/html");
  expect(page.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
  const html = await page.text();
  expect(html.replaceAll(`${BASE}/`, "")).not.toMatch(/(?:src|href)="https?:/);
  for (const path of ["/media/redact", "/media/{mediaId}/download", "/usage"]) expect(html).toContain(path);
  const style = await exports.default.fetch(new Request(`${ORIGIN}/docs/assets/${PAGES.all.styles[0]}`));
  expect(style.headers.get("Content-Type")).toContain("text/css");
  expect(page.headers.get("X-Request-Id")).toMatch(/^req_/);
});

async function fetchPage(path: string): Promise<Response> {
  return await exports.default.fetch(new Request(`${ORIGIN}${path}`));
}

describe("the documentation", () => {
  test("every page it links to is there, with the heading that is meant, and nothing it loads is elsewhere", async () => {
    const addresses = new Set(["/docs"]);
    const pages = new Map<string, string>();
    for (const address of addresses) {
      const response = await fetchPage(address);
      expect([address, response.status]).toEqual([address, 200]);
      if (response.headers.get("Content-Type") === "image/webp") {
        const bytes = new Uint8Array(await response.arrayBuffer());
        expect(new TextDecoder().decode(bytes.subarray(8, 12))).toBe("WEBP");
        continue;
      }
      const page = await response.text();
      pages.set(address, page);
      expect(page).not.toMatch(/<[^>]+ (?:src="|style=)(?!\/)/);
      if (!page.startsWith("<!doctype html>")) continue;
      expect(response.headers.get("Content-Security-Policy")).toContain(
        "default-src 'none'; script-src 'self'",
      );
      for (const [, link = ""] of page.matchAll(/(?:href|src)="(\/(?:docs|openapi)[^"#]*)/g))
        addresses.add(link);
    }
    expect(addresses.size).toBeGreaterThan(8);
    for (const [address, page] of pages) {
      for (const [, path = "", id = ""] of page.matchAll(/href="(\/docs[^"#]*)?#([^"]+)"/g)) {
        const target = path === "" ? address : path;
        expect([target, id, pages.get(target)?.includes(`id="${id}"`)]).toEqual([target, id, true]);
      }
    }
  });

  test("every category has a picture of before and after, with words for those who do not see it", async () => {
    const page = await (await fetchPage("/docs/categories")).text();
    for (const category of REDACTION_CATEGORIES)
      expect(page).toMatch(
        new RegExp(
          `id="${category}"[^]*src="/docs/pictures/categories/${category}.webp" alt="Before: .+After: `,
        ),
      );
  });

  test("the search has every guide and operation", async () => {
    const entries = await (await fetchPage("/docs/search.json")).json<{ title: string; address: string }[]>();
    for (const address of ["/docs#redactMedia", "/docs/schemas#Media"])
      expect(entries.map((entry) => entry.address)).toContain(address);
    expect(entries.map(({ title }) => title)).toContain("Webhooks");
    for (const { address } of entries) expect(address).toMatch(/^\/docs(?:\/[a-z-]+)?#./);
  });

  test("keywords are of sections that there are", async () => {
    const entries = await (await fetchPage("/docs/search.json")).json<{ address: string }[]>();
    const addresses = entries.map(({ address }) => address);
    for (const address of Object.keys(SEARCH_KEYWORDS)) expect(addresses).toContain(address);
  });

  test("the reference is lighter than 120 kB, with an upload's fields and a form that sends its file", async () => {
    const page = await (await fetchPage("/docs")).text();
    expect(new TextEncoder().encode(page).length).toBeLessThan(120_000);
    const upload = page.slice(page.indexOf('id="redactMedia"'), page.indexOf('id="listMedia"'));
    expect(upload).toContain("<td><code>redaction_method</code> (optional)</td>");
    const [, formPath = ""] = /data-try="([^"]+)"/.exec(upload) ?? [];
    const form = await (await fetchPage(formPath)).text();
    expect(form).toMatch(/<input type="file" name="file" [^>]*required/);
  });

  test.for([`/docs/assets/${PAGES.all.scripts[0]}`, "/docs/search.json"])(
    "%s that is known is answered 304",
    async (path) => {
      const first = await fetchPage(path);
      await first.body?.cancel();
      const headers = { "If-None-Match": first.headers.get("ETag") ?? "" };
      const again = await exports.default.fetch(new Request(`${ORIGIN}${path}`, { headers }));
      expect(again.status).toBe(304);
    },
  );
});
