/// <reference lib="dom" />
import type { Page, Route } from "playwright-core";

const UPLOADS = "**/dashboard/media";

/** A file as a person chooses it. */
export interface ChosenFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/**
 * Chooses files on the upload page, and waits until they are checked. The form is visible once its script has loaded. Files that are
 * chosen earlier, which no person can do, would be ignored.
 */
export async function chooseFiles(page: Page, files: readonly ChosenFile[]): Promise<void> {
  await page.locator("form[data-upload]").waitFor();
  await page.setInputFiles("#files", [...files]);
  await page.locator("[data-go]", { hasText: /^(Redact|Analyze) \d/ }).waitFor();
}

/** Chooses only these categories. */
export async function chooseCategories(page: Page, names: readonly string[]): Promise<void> {
  const categories = page.locator("details[data-categories]");
  if ((await categories.getAttribute("open")) === null) await categories.locator("summary").click();
  for (const box of await categories.getByRole("checkbox").all()) await box.uncheck();
  for (const name of names) await categories.getByLabel(name, { exact: true }).check();
}

/** Presses the button that starts the upload. */
export async function redactFiles(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^(Redact|Analyze) \d/ }).click();
}

/** The files on the page that have been sent, each with the state in its row. */
export async function sentRows(page: Page): Promise<{ name: string; state: string }[]> {
  return await page.locator("[data-sent] > li").evaluateAll((rows) =>
    rows.map((row) => ({
      name: row.querySelector("[data-name]")?.textContent ?? "",
      state: row.querySelector("[data-state]")?.textContent ?? "",
    })),
  );
}

/** Uploads one file and opens the page of its result, once that is available. */
export async function redactOne(page: Page, file: ChosenFile, categories: readonly string[]): Promise<void> {
  await chooseFiles(page, [file]);
  await chooseCategories(page, categories);
  await redactFiles(page);
  await page.locator("[data-sent] .status.completed").waitFor();
  await page.locator("[data-sent]").getByRole("link", { name: file.name, exact: true }).click();
}

/** Lets uploads wait until they are released. */
export async function holdUploads(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await onUpload(page, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

/** Intercepts the uploads of the page, to answer them or let them through. */
export async function onUpload(page: Page, answer: (route: Route) => Promise<void>): Promise<void> {
  await page.route(UPLOADS, async (route) => {
    if (route.request().method() === "POST") await answer(route);
    else await route.fallback();
  });
}

/** Waits until the progress has this text. */
export async function figures(page: Page, text: string): Promise<void> {
  await page.locator("[data-figures]", { hasText: text }).waitFor();
}
