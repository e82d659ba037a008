/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** Plays a film under review to its end and approves it. */
export async function watchAndApprove(page: Page): Promise<void> {
  await page.locator("form:not([hidden]) .review-film video").evaluate(async (element) => {
    const film = element as HTMLVideoElement;
    film.muted = true;
    const end = new Promise((resolve) => {
      film.addEventListener("ended", resolve, { once: true });
    });
    await film.play();
    await end;
  });
  // The page ignores a click right after it shows another file.
  await page.waitForTimeout(800);
  const [approved] = await Promise.all([
    page.waitForResponse((answer) => answer.url().endsWith("/approve")),
    page.getByRole("button", { name: /^Approve( and redact)?$/ }).click(),
  ]);
  expect(approved.ok()).toBe(true);
}
