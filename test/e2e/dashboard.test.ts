/// <reference lib="dom" />
import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { HAS_CHROMIUM, launchChromium, lookAt, openPage } from "./chromium.ts";
import { call, upload } from "./client.ts";
import { loadCodes, pictureWithCodes, readableCodes } from "./pictures.ts";
import { describe as describeService } from "./running-service.ts";
import { chooseCategories, redactFiles } from "./upload-steps.ts";
import { openInbox } from "./webhook-inbox.ts";

const EMAIL = "newcomer@example.com";
const PASSWORD = "correct horse battery";

let browser: Browser;
let page: Page;
let origin: string;
let signInUrl: string;
const complaints: string[] = [];

beforeAll(async () => {
  if (!HAS_CHROMIUM) return;
  await loadCodes();
  const service = await describeService(inject("service").directory);
  origin = new URL(service.baseUrl).origin;
  signInUrl = service.signInUrl;
  expect(service.dashboardUrl).toBe(`${origin}/dashboard`);
  browser = await launchChromium();
  page = await openPage(browser);
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("dialog", (dialog) => void dialog.accept());
});

afterAll(async () => {
  if (HAS_CHROMIUM) await browser.close();
});

/** Drops a file onto the drop zone, as a file manager does. */
async function drop(file: Buffer, name: string): Promise<void> {
  const transfer = await page.evaluateHandle(
    ({ base64, fileName }) => {
      const data = new DataTransfer();
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      data.items.add(new File([bytes], fileName, { type: "image/jpeg" }));
      return data;
    },
    { base64: file.toString("base64"), fileName: name },
  );
  // The form is visible once its script has loaded.
  await page.locator("form[data-upload]").waitFor();
  await page.dispatchEvent(".drop", "dragenter", { dataTransfer: transfer });
  await page.dispatchEvent(".drop", "drop", { dataTransfer: transfer });
}

function signatureOf(key: string, body = ""): string {
  return `sha256=${createHmac("sha256", key).update(body).digest("hex")}`;
}

async function bytesAt(path: string): Promise<Buffer> {
  return Buffer.from(
    await page.evaluate(async (url) => [...new Uint8Array(await (await fetch(url)).arrayBuffer())], path),
  );
}

/** Checks a page at every width and in both schemes. */
async function examine(name: string): Promise<void> {
  expect(await lookAt(page, name)).toEqual([]);
}

describe.skipIf(!HAS_CHROMIUM)("a newcomer, in a real browser", () => {
  let mediaPath: string;
  let apiKey: string;

  test("signs up with the link that a local service shows, and makes a team", async () => {
    await page.goto(`${origin}/dashboard`);
    await examine("sign-in");
    await page.getByRole("link", { name: "Sign up" }).click();
    await page.getByLabel("Name").fill("Nora Newcomer");
    await page.getByLabel("Email").fill(EMAIL);
    await page.getByLabel("Password").fill(PASSWORD);
    await examine("sign-up");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign up" }).click();
    await examine("confirm-address");
    await page.getByRole("link", { name: "Open the link" }).click();
    await examine("welcome");
    await page.getByLabel("Team name").fill("Newcomers");
    await page.getByRole("button", { name: "Create team" }).click();
    await page.getByRole("heading", { name: "Redact the first photo" }).waitFor();
    await examine("overview-empty");
    const cookie = (await page.context().cookies()).find(({ name }) => name.includes("session"));
    expect(cookie).toMatchObject({ secure: true, httpOnly: true, sameSite: "Lax", path: "/dashboard" });
  });

  test("makes a key that works", async () => {
    await page.goto(`${origin}/dashboard/keys`);
    await examine("keys-empty");
    await page.getByLabel("Name").fill("First program");
    await page.getByRole("button", { name: "Create key" }).click();
    apiKey = await page.getByLabel("Key “First program”").inputValue();
    await examine("key-made");
    expect((await call("/usage", {}, { baseUrl: `${origin}/api/v1`, apiKey })).status).toBe(200);
    await page.getByRole("link", { name: "I have copied it" }).click();
    expect(await page.content()).not.toContain(apiKey);
    await examine("keys");
  });

  test("drops a photo and watches it complete without touching the page", async () => {
    await page.goto(`${origin}/dashboard`);
    const { picture } = await pictureWithCodes();
    const source = await picture.jpeg({ quality: 90 }).toBuffer();
    await drop(source, "codes.jpg");
    await page.getByRole("button", { name: "Redact 1 photo" }).waitFor();
    await chooseCategories(page, ["QR codes", "Barcodes"]);
    await redactFiles(page);
    await page.getByRole("link", { name: "Download codes.jpg" }).waitFor();
    await page.locator("[data-sent]").getByRole("link", { name: "codes.jpg", exact: true }).click();
    await page.waitForURL(/\/dashboard\/media\/[0-9a-f-]{36}$/);
    mediaPath = new URL(page.url()).pathname;
    await page.getByText("Completed").first().waitFor();
    await page.getByRole("img", { name: "Redacted picture" }).waitFor();
    expect(await readableCodes(await bytesAt(`${mediaPath}/source`))).toBe(2);
    expect(await readableCodes(await bytesAt(`${mediaPath}/output`))).toBe(0);
  });

  test("a file that is refused says why beside its name", async () => {
    await page.goto(`${origin}/dashboard/upload`);
    await drop(Buffer.from("no picture"), "notes.jpg");
    await page.getByText("Accepted formats are JPEG", { exact: false }).waitFor();
  });

  test("compares before and after with the slider, by mouse and by keyboard", async () => {
    await page.goto(`${origin}${mediaPath}`);
    const slider = page.getByRole("slider", { name: "Original" });
    await slider.waitFor();
    const share = async (): Promise<string> =>
      await page
        .locator(".views")
        .evaluate((element) => getComputedStyle(element).getPropertyValue("--share"));
    // The page opens with only the result visible.
    expect(await share()).toBe("0%");
    await slider.focus();
    const redacted = await page.locator(".views").screenshot();
    await page.keyboard.press("End");
    expect(await share()).toBe("100%");
    const original = await page.locator(".views").screenshot();
    expect(await readableCodes(redacted)).toBe(0);
    // The outline of a box may cross one code.
    expect(await readableCodes(original)).toBeGreaterThanOrEqual(1);
    await page.keyboard.press("PageDown");
    expect(await share()).toBe("90%");
    await examine("media");
  });

  test("sees what was found as boxes, counted by category, and shows them only on request", async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    const boxes = page.locator("figure:not(.before) .boxes g:not(.off)");
    expect(await boxes.count()).toBe(0);
    const codes = page.getByLabel(/^QR codes/);
    expect(await page.locator("label", { has: codes }).textContent()).toMatch(/QR codes\s*\d/);
    await codes.check();
    const shown = await boxes.count();
    expect(shown).toBeGreaterThanOrEqual(1);
    await page.getByLabel(/^Barcodes/).check();
    expect(await boxes.count()).toBeGreaterThan(shown);
    await codes.uncheck();
    await page.getByLabel(/^Barcodes/).uncheck();
    expect(await boxes.count()).toBe(0);
  });

  test("finds, filters and downloads", async () => {
    await page.goto(`${origin}/dashboard/media`);
    await page.getByLabel("Name or ID").fill("ODES");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("link", { name: "codes.jpg" }).waitFor();
    await examine("media-list");
    await page.getByLabel("Status").selectOption("Failed");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("No matches.").waitFor();
    await page.goto(`${origin}${mediaPath}`);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("codes.redacted.jpg");
    expect(await readableCodes(await readFile(await download.path()))).toBe(0);
    await page.goto(`${origin}/dashboard`);
    await examine("overview");
  });

  test("adds an endpoint, sees signed deliveries arrive, sends one again, rotates the secret", async () => {
    // The delay lets the test open the delivery's page while it is pending.
    const inbox = await openInbox(1_500);
    await page.goto(`${origin}/dashboard/webhooks`);
    await examine("webhooks-empty");
    await page.getByLabel("URL").fill(inbox.url);
    await page.getByRole("button", { name: "Add endpoint" }).click();
    const secret = await page.getByLabel("Signing secret").inputValue();
    await examine("secret");
    await page.getByRole("link", { name: "I have copied it" }).click();
    const endpointUrl = page.url();

    await page.getByRole("button", { name: "Send a test" }).click();
    // If this fails, the page's text shows why.
    await expect.poll(async () => await page.locator("main").innerText()).toContain("Delivered");
    const [first] = inbox.received;
    expect(first?.headers["x-service-signature"]).toBe(signatureOf(secret, first?.body));
    await page.getByText("thank you").waitFor();
    await examine("delivery");

    await page.getByRole("button", { name: "Send again" }).click();
    await expect.poll(() => inbox.received.length).toBe(2);
    expect(inbox.received[1]?.body).toBe(first?.body);

    const { picture } = await pictureWithCodes();
    await upload(
      new Uint8Array(await picture.jpeg().toBuffer()),
      { filename: "told.jpg", categories: ["qr_codes"] },
      { baseUrl: `${origin}/api/v1`, apiKey },
    );
    await expect.poll(() => inbox.received.length).toBe(3);
    expect(JSON.parse(inbox.received[2]?.body ?? "{}")).toMatchObject({
      event: "media.processed",
      media: { filename: "told.jpg" },
    });

    await page.goto(endpointUrl);
    await examine("endpoint");
    await page.getByRole("button", { name: "Rotate secret" }).click();
    const newSecret = await page.getByLabel("Signing secret").inputValue();
    expect(newSecret).not.toBe(secret);
    await page.getByRole("link", { name: "I have copied it" }).click();
    await page.getByRole("button", { name: "Send a test" }).click();
    await expect.poll(() => inbox.received.length).toBe(4);
    const rotated = inbox.received[3];
    const signatures = [newSecret, secret].map((key) => signatureOf(key, rotated?.body));
    expect(String(rotated?.headers["x-service-signature"]).split(/,\s*/)).toEqual(signatures);
    await page.goto(`${origin}/dashboard/webhooks`);
    await examine("webhooks");
    inbox.close();
  });

  test("invites somebody, and looks at security and plan", async () => {
    await page.goto(`${origin}/dashboard/team`);
    await page.getByLabel("Email").fill("colleague@example.com");
    await page.getByRole("button", { name: "Invite" }).click();
    const link = await page.getByLabel("Invitation link").inputValue();
    await examine("team");
    const guest = await openPage(browser);
    await guest.goto(link);
    expect(await lookAt(guest, "invitation")).toEqual([]);
    await guest.context().close();
    await page.goto(`${origin}/dashboard/security`);
    await examine("security");
    await page.getByLabel("Your password").fill(PASSWORD);
    await page.getByRole("button", { name: "Set up" }).click();
    await page.getByRole("img", { name: "QR code of the secret" }).waitFor();
    await examine("second-factor");
    await page.goto(`${origin}/dashboard/plan`);
    await examine("plan");
    await page.goto(`${origin}/dashboard/nothing-here`);
    await examine("not-found");
  });

  test("revokes the key, deletes the photo and signs out", async () => {
    await page.goto(`${origin}/dashboard/keys`);
    await page.getByRole("button", { name: "Revoke First program" }).click();
    await page.getByText("The key is revoked.", { exact: false }).waitFor();
    expect((await call("/usage", {}, { baseUrl: `${origin}/api/v1`, apiKey })).status).toBe(401);
    await page.goto(`${origin}${mediaPath}`);
    await page.locator("summary", { hasText: "More" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText("were deleted", { exact: false }).waitFor();
    // The address of a deleted file leads to its deletion record.
    await page.goto(`${origin}${mediaPath}`);
    expect(new URL(page.url()).pathname).toBe("/dashboard/deletions");
    await page.getByText(/^1 file of team .* was deleted/).waitFor();
    await page.locator(".menu summary").click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are signed out.").waitFor();
  });

  test("does all of that without one complaint of the pages' policy or scripts", () => {
    // Expected refusals are not errors.
    expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  });
});

describe.skipIf(!HAS_CHROMIUM)("any visitor", () => {
  test("is signed in by the link that the start prints", async () => {
    const visitor = await openPage(browser);
    await visitor.goto(signInUrl);
    expect(new URL(visitor.url()).pathname).toBe("/dashboard");
    await visitor.getByRole("heading", { name: "Overview" }).waitFor();
    await visitor.context().close();
  });

  test("gets along by keyboard alone", async () => {
    const visitor = await openPage(browser);
    await visitor.goto(signInUrl);
    await visitor.keyboard.press("Tab");
    expect(await visitor.evaluate(() => document.activeElement?.textContent)).toContain("Skip to content");
    await visitor.keyboard.press("Enter");
    expect(await visitor.evaluate(() => document.activeElement?.id)).toBe("content");
    await visitor.goto(`${origin}/dashboard/keys`);
    await visitor.getByLabel("Name").focus();
    await visitor.keyboard.type("Typed");
    await visitor.keyboard.press("Tab");
    const outline = await visitor.evaluate(() =>
      document.activeElement === null ? "" : getComputedStyle(document.activeElement).outlineStyle,
    );
    expect(outline).toBe("solid");
    const isButton = async (): Promise<boolean> =>
      await visitor.evaluate(() => document.activeElement?.tagName === "BUTTON");
    for (let presses = 0; presses < 10 && !(await isButton()); presses += 1) {
      await visitor.keyboard.press("Tab");
    }
    await visitor.keyboard.press("Enter");
    await visitor.getByLabel("Key “Typed”").waitFor();
    await visitor.context().close();
  });

  test("gets along without scripts", async () => {
    const visitor = await openPage(browser, { javaScriptEnabled: false });
    await visitor.goto(signInUrl);
    await visitor.goto(`${origin}/dashboard/keys`);
    await visitor.getByLabel("Name").fill("Plain");
    await visitor.getByRole("button", { name: "Create key" }).click();
    await visitor.getByLabel("Key “Plain”").waitFor();
    await visitor.goto(`${origin}/dashboard/upload`);
    await visitor.getByText("Uploading here needs JavaScript.", { exact: false }).waitFor();
    await visitor.context().close();
  });
});
