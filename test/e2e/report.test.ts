/// <reference lib="dom" />
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { HAS_CHROMIUM, keepPdf, launchChromium, lookAt, openWatchedPage } from "./chromium.ts";
import { signUpNewcomer } from "./newcomer.ts";
import { loadCodes, pictureWithCodes } from "./pictures.ts";
import { describe as describeService } from "./running-service.ts";
import { redactOne } from "./upload-steps.ts";

const execute = promisify(execFile);

let browser: Browser;
let page: Page;
let origin: string;
let directory: string;
const complaints: string[] = [];

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  await loadCodes();
  directory = await mkdtemp(join(tmpdir(), "veil-report-"));
  ({ origin } = new URL((await describeService(inject("service").directory)).baseUrl));
  const buffer = await (await pictureWithCodes()).picture.jpeg({ quality: 90 }).toBuffer();
  browser = await launchChromium();
  page = await openWatchedPage(browser, complaints);
  await signUpNewcomer(page, origin, "report@example.com");
  await page.goto(`${origin}/dashboard/upload`);
  await redactOne(page, { name: "street.jpg", mimeType: "image/jpeg", buffer }, ["QR codes"]);
  await page.getByRole("img", { name: "Redacted picture" }).waitFor();
});

afterAll(async () => {
  if (!HAS_CHROMIUM) return;
  await browser.close();
  await rm(directory, { recursive: true, force: true });
});

async function keep(name: string, address: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, await (await page.request.get(address)).body());
  return path;
}

async function verify(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const command = join(import.meta.dirname, "../../node_modules/.bin/veil");
  const run = execute(command, ["verify", ...args], { cwd: directory, env: { PATH: process.env["PATH"] } });
  return await run.then(
    (output) => ({ code: 0, ...output }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

describe.skipIf(!HAS_CHROMIUM)("the report of a photo, in a real browser", () => {
  test("is opened from the page of the file, and prints on A4", async () => {
    await page.locator("[data-menu] summary").click();
    await page.getByRole("link", { name: "Report", exact: true }).click();
    await page.getByRole("heading", { name: "Report on street.jpg" }).waitFor();
    const text = (await page.locator(".record").textContent()) ?? "";
    expect(text.match(/[0-9a-f]{64}/g)?.length).toBeGreaterThanOrEqual(4);
    expect(text).toContain("QR codes");
    expect(await lookAt(page, "report")).toEqual([]);
    await page.emulateMedia({ media: "print", colorScheme: "light" });
    for (const selector of [".sections", ".bar", ".guides", ".title .actions"])
      expect(await page.locator(selector).first().isHidden()).toBe(true);
    const printed = await page.pdf({ preferCSSPageSize: true });
    await keepPdf("report", printed);
    const pdf = new TextDecoder("latin1").decode(printed);
    // 210 × 297 mm in points.
    const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(pdf) ?? [];
    expect([Math.round(Number(width)), Math.round(Number(height))]).toEqual([595, 842]);
    await page.emulateMedia({ media: "screen" });
    expect(complaints).toEqual([]);
  });

  test("is verified by the command, with the file that it is about and no other", async () => {
    const file = page.url().replace(/\/report$/, "");
    const report = await keep("street.report.jws", `${file}/report/export?format=jws`);
    const result = await keep("street.redacted.jpg", `${file}/download`);
    const jwks = await keep("jwks.json", `${origin}/.well-known/jwks.json`);
    const offline = await verify(report, result, "--jwks", jwks);
    expect([offline.code, offline.stderr]).toEqual([0, ""]);
    expect(offline.stdout).toContain("is, byte by byte, the redacted file of media");
    expect((await verify(report, result, "--base-url", origin)).code).toBe(0);
    const original = await verify(report, await keep("street.jpg", `${file}/source`), "--jwks", jwks);
    expect([original.code, original.stdout]).toEqual([0, expect.stringContaining("the original")]);
    expect((await verify(report, jwks, "--jwks", jwks)).code).toBe(1);
  });
});
