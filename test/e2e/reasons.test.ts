/// <reference lib="dom" />
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { HAS_CHROMIUM, launchChromium, lookAt, openWatchedPage } from "./chromium.ts";
import { loadCodes, pictureWithCodes } from "./pictures.ts";
import { describe as describeService } from "./running-service.ts";
import { redactOne } from "./upload-steps.ts";

let browser: Browser;
let page: Page;
let origin: string;
const complaints: string[] = [];

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  await loadCodes();
  const service = await describeService(inject("service").directory);
  origin = new URL(service.baseUrl).origin;
  browser = await launchChromium();
  page = await openWatchedPage(browser, complaints);
  await page.goto(service.signInUrl);
});

afterAll(async () => {
  if (!HAS_CHROMIUM) return;
  // The other test files expect an empty list of reasons.
  await page.goto(`${origin}/dashboard/reasons?list=none`);
  await page.getByRole("button", { name: "Save reasons" }).click();
  await browser.close();
});

interface Listed {
  readonly detections: readonly {
    readonly category: string;
    readonly redacted: boolean;
    readonly reason?: { readonly code: string; readonly text: string };
  }[];
}

/** The codes of the masks in the page's media item, by category. */
async function codes(): Promise<Record<string, string | undefined>> {
  const { detections } = await page.evaluate(
    async (url) => (await (await fetch(`${url}/edit/detections`)).json()) as Listed,
    page.url().replace(/\/edit$/, ""),
  );
  const masks = detections.filter(({ redacted }) => redacted);
  return Object.fromEntries(masks.map(({ category, reason }) => [category, reason?.code]));
}

describe.skipIf(!HAS_CHROMIUM)("reasons", () => {
  test("are listed by the team, given in the editor by a menu and a key, and printed", async () => {
    await page.goto(`${origin}/dashboard/team`);
    await page.getByRole("link", { name: "Reasons for hiding something" }).click();
    await page.getByRole("link", { name: "FOIA exemptions" }).click();
    expect(await lookAt(page, "reasons")).toEqual([]);
    await page.getByLabel("Reason of QR codes").selectOption("(b)(6)");
    await page.getByRole("button", { name: "Save reasons" }).click();
    await page.getByText("The reasons were saved.").waitFor();

    const { picture } = await pictureWithCodes();
    const file = { name: "reasons.png", mimeType: "image/png", buffer: await picture.png().toBuffer() };
    await page.goto(`${origin}/dashboard/upload`);
    await redactOne(page, file, ["QR codes", "Barcodes"]);
    await page.waitForURL(/\/dashboard\/media\/[0-9a-f-]{36}$/);
    await page.getByRole("img", { name: "Redacted picture" }).waitFor();
    expect(await codes()).toEqual({ qr_codes: "(b)(6)", barcodes: undefined });

    const mediaUrl = page.url();
    await page.getByRole("link", { name: "Edit" }).click();
    const menu = page.getByLabel("Reason", { exact: true });
    const reason = async (): Promise<string> => await menu.inputValue();
    await page.locator('.thing[data-category="qr_codes"]').first().focus();
    await expect.poll(reason).toBe("(b)(6)");
    await menu.selectOption("(b)(7)(C)");
    await page.locator('.thing[data-category="barcodes"]').first().focus();
    await expect.poll(reason).toBe("");
    await page.keyboard.press("r");
    await expect.poll(reason).toBe("(b)(7)(C)");
    await page.keyboard.press("r");
    await expect.poll(reason).toBe("");
    await page.keyboard.press("r");
    await expect.poll(reason).toBe("(b)(7)(C)");
    await page.getByLabel("Print the codes").check();
    expect(await lookAt(page, "editor-reasons")).toEqual([]);
    const sent = page.waitForRequest((request) => request.method() === "POST");
    await page.getByRole("button", { name: "Apply" }).click();
    const { reasons } = (await sent).postDataJSON() as { reasons: Record<string, string> };
    expect(Object.values(reasons)).toEqual(["(b)(7)(C)", "(b)(7)(C)"]);
    await page.waitForURL((url) => /\/media\/[0-9a-f-]{36}$/.test(url.href) && url.href !== mediaUrl);
    await page.getByRole("img", { name: "Redacted picture" }).waitFor();
    expect(await codes()).toEqual({ qr_codes: "(b)(7)(C)", barcodes: "(b)(7)(C)" });
    await page.getByRole("link", { name: "Edit" }).click();
    await expect.poll(async () => await page.getByLabel("Print the codes").isChecked()).toBe(true);
    expect(complaints).toEqual([]);
  });
});
