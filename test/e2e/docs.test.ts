/// <reference lib="dom" />
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { HAS_CHROMIUM, launchChromium, lookAt, openWatchedPage } from "./chromium.ts";
import { describe as describeService } from "./running-service.ts";

/** Searches, and the first result of each. */
const SEARCHES = [
  ["missed face", "/docs/corrections#cover-a-missed-face-or-remove-a-wrong-mask"],
  ["sdk", "/docs/quick-start#install-the-clients"],
  ["403", "/docs/errors#errors"],
  ["quickstart", "/docs/quick-start#quick-start"],
  ["changelog", "/docs/quick-start#what-to-expect"],
  ["replay", "/docs/quick-start#what-to-expect"],
  ["unblur", "/docs/corrections#cover-a-missed-face-or-remove-a-wrong-mask"],
  ["stuck", "/docs#getStatusDetails"],
  ["cors", "/docs/quick-start#from-a-browser-or-a-phone"],
  ["false positive", "/docs/corrections#cover-a-missed-face-or-remove-a-wrong-mask"],
  ["create api key", "/docs/quick-start#quick-start"],
  ["accuracy", "/docs/categories#categories"],
  ["max file size", "/docs/limits#limits"],
  ["delete everything", "/docs#deleteMedia"],
  ["large files", "/docs/quick-start#large-files"],
] as const;

let browser: Browser;
let page: Page;
let origin: string;
let apiKey: string;
let signInUrl: string;
const complaints: string[] = [];

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  const service = await describeService(inject("service").directory);
  origin = new URL(service.baseUrl).origin;
  ({ apiKey, signInUrl } = service);
  browser = await launchChromium();
  page = await openWatchedPage(browser, complaints);
  await page.goto(`${origin}/docs`);
});

afterAll(async () => {
  if (HAS_CHROMIUM) await browser.close();
});

describe.skipIf(!HAS_CHROMIUM)("the documentation in a browser", () => {
  test("the search finds an operation with the keyboard alone, and asks for its index once", async () => {
    const indexes: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/docs/search.json")) indexes.push(request.url());
    });
    await page.keyboard.press("/");
    await page.keyboard.type("upload a file to redact");
    await page.locator("#results a").first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${origin}/docs#redactMedia`);
    await expect.poll(async () => await page.locator("#redactMedia").isVisible()).toBe(true);
    await page.keyboard.press("/");
    await page.locator("#search").fill("zyzzyva quokkas");
    await page.getByText("No matches.").waitFor();
    expect(indexes).toHaveLength(1);
    await page.locator("#search").fill("");
  });

  test("people's own words find what a page calls otherwise", async () => {
    const first = page.locator("#results a").first();
    for (const [text, address] of SEARCHES) {
      await page.locator("#search").fill(text);
      await expect.poll(async () => [text, await first.getAttribute("href")]).toEqual([text, address]);
    }
    await page.locator("#search").fill("");
  });

  test("every block of code of the quick start is copied by its button, with the service's own address", async () => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin });
    const guide = await page.context().newPage();
    await guide.goto(`${origin}/docs/quick-start`);
    await guide.getByRole("button", { name: "Copy" }).first().waitFor();
    expect(await guide.locator("main pre + button").count()).toBe(await guide.locator("main pre").count());
    await guide.getByRole("button", { name: "Copy" }).first().click();
    await guide.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await guide.evaluate(async () => await navigator.clipboard.readText());
    expect(copied).toContain(`VEIL_BASE_URL=${origin}/api/v1`);
    await guide.close();
  });

  test("a test key of the account is put into the examples and forms by one click, and stays in the tab", async () => {
    const context = await browser.newContext();
    const reader = await context.newPage();
    await reader.goto(`${origin}/docs/quick-start`);
    await reader.getByRole("button", { name: "Use a test key" }).click();
    await reader.getByText("Sign in first").waitFor();
    expect(await reader.locator("main pre").first().textContent()).toContain("VEIL_API_KEY=veil_…");

    await reader.goto(signInUrl);
    await reader.goto(`${origin}/docs/quick-start`);
    await reader.getByRole("button", { name: "Use a test key" }).click();
    await reader.getByText("The examples show a test key").waitFor();
    const [key = ""] =
      /veil_[\w-]{43}/.exec(String(await reader.locator("main pre").first().textContent())) ?? [];
    const headers = { Authorization: `Bearer ${key}` };
    expect((await fetch(`${origin}/api/v1/usage`, { headers })).status).toBe(200);

    await reader.goto(`${origin}/docs`);
    expect(await reader.locator("main pre").first().textContent()).toContain(
      `VEIL_BASE_URL=${origin}/api/v1\nexport VEIL_API_KEY=${key}`,
    );
    const usage = reader.locator("section.operation", { has: reader.locator("#getUsage") });
    await usage.getByText("Try it").click();
    await usage.getByRole("button", { name: /^Send GET/ }).click();
    await usage.getByText(/^200 in \d+ ms/).waitFor();

    // Another tab does not have the key.
    const other = await context.newPage();
    await other.goto(`${origin}/docs/quick-start`);
    await other.getByRole("button", { name: "Use a test key" }).waitFor();
    expect(await other.locator("main").textContent()).not.toContain(key);
    await context.close();
  });

  test("a language that is chosen is chosen for every operation", async () => {
    const first = page.locator("section.operation", { has: page.locator("#redactMedia") });
    const other = page.locator("section.operation", { has: page.locator("#getMedia") });
    await first.getByRole("tab", { name: "Python" }).click();
    for (const operation of [first, other]) {
      const shown = operation.getByRole("tabpanel").filter({ visible: true });
      expect(await shown.count()).toBe(1);
      expect(await shown.textContent()).toContain("from veil_redact import Client");
    }
  });

  test("a request is sent with one's own key, and an upload's form takes a file", async () => {
    const usage = page.locator("section.operation", { has: page.locator("#getUsage") });
    await usage.getByText("Try it").click();
    await usage.getByLabel("API key").fill(apiKey);
    await usage.getByRole("button", { name: /^Send GET/ }).click();
    await usage.getByText(/^200 in \d+ ms/).waitFor();
    await expect
      .poll(async () => await usage.locator("[data-answer] pre").textContent())
      .toContain('"period_start"');

    const upload = page.locator("section.operation", { has: page.locator("#redactMedia") });
    await upload.getByText("Try it").click();
    await expect.poll(async () => await upload.getByLabel("API key").inputValue()).toBe(apiKey);
    expect(await upload.locator('input[type="file"]').isVisible()).toBe(true);
  });

  test("a guide opens from its group, with pictures that load, and nothing complains", async () => {
    await page.goto(`${origin}/docs/quick-start`);
    const contents = page.getByRole("navigation", { name: "Contents" });
    await contents.getByText("Run it yourself").click();
    await contents.getByRole("link", { name: "Operating" }).click();
    await page.waitForURL(`${origin}/docs/operating`);
    expect(await contents.locator("[aria-current]").textContent()).toBe("Operating");

    await contents.getByRole("link", { name: "Categories" }).click();
    const pictures = page.locator(".guide img");
    await pictures.first().waitFor();
    expect(await pictures.count()).toBe(13);
    await pictures.last().scrollIntoViewIfNeeded();
    await page.waitForFunction(() => {
      const last = [...document.querySelectorAll<HTMLImageElement>(".guide img")].at(-1);
      return last !== undefined && last.complete && last.naturalWidth > 0;
    });
    expect(await lookAt(page, "docs-categories")).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
