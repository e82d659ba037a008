/// <reference lib="dom" />
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { tmpdir } from "node:os";
import sparticuz, { inflate } from "@sparticuz/chromium";
import type { AxeResults } from "axe-core";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";

const ARTIFACTS = join(import.meta.dirname, "../artifacts/dashboard");
/** Whether screenshots of the pages are stored: `PICTURES=1 npm test -- e2e`. */
const KEEPS_PICTURES = process.env["PICTURES"] === "1";
const PACKAGE = join(createRequire(import.meta.url).resolve("@sparticuz/chromium"), "../..");
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const NARROW = { width: 360, height: 780 };
const WIDE = { width: 1440, height: 900 };

/** Whether there is a browser for this machine. The package only has one for Linux on x64. */
export const HAS_CHROMIUM = process.platform === "linux" && process.arch === "x64";

/** A real Chromium without its sandbox, because tests may run as root. */
export async function launchChromium(): Promise<Browser> {
  const options = {
    executablePath: await sparticuz.executablePath(),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      // Otherwise, Chromium asks before a page of the internet calls this machine.
      "--disable-features=LocalNetworkAccessChecks",
    ],
  };
  try {
    return await chromium.launch(options);
  } catch {
    // A minimal machine lacks these libraries, which the package contains.
    await inflate(join(PACKAGE, "bin/al2023.tar.br"));
    const libraries = join(tmpdir(), "al2023/lib");
    return await chromium.launch({ ...options, env: { ...process.env, LD_LIBRARY_PATH: libraries } });
  }
}

/** The longest wait for anything on a page, such as a job of the service on a busy machine. */
const PAGE_WAIT_MS = 120_000;

/** A page in its own browser context. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PAGE_WAIT_MS);
  return await context.newPage();
}

/** A page that records the errors of its scripts and its content security policy. */
export async function openWatchedPage(
  browser: Browser,
  complaints: string[],
  options: BrowserContextOptions = {},
): Promise<Page> {
  const page = await openPage(browser, options);
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  return page;
}

/** Injects axe into a page, bypassing its policy through the debugger. */
async function bringAxe(page: Page): Promise<void> {
  if (await page.evaluate(() => "axe" in globalThis)) return;
  await page.evaluate(await readFile(AXE, "utf8"));
}

/** The faults of a page as shown: accessibility violations and horizontal scrolling. */
export async function faultsOf(page: Page, colorScheme: "light" | "dark" = "light"): Promise<string[]> {
  await bringAxe(page);
  // A color scheme changes only colors, so nothing else is checked again.
  const only = colorScheme === "dark" ? { runOnly: ["color-contrast"] } : {};
  const results = await page.evaluate(async (options) => {
    const { axe } = globalThis as unknown as { axe: { run: (options: object) => Promise<AxeResults> } };
    return await axe.run({ resultTypes: ["violations"], ...options });
  }, only);
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  const cutOff = await page.evaluate(() =>
    [...document.querySelectorAll(".panel *, .card *")]
      .filter((element) => {
        const frame = element.closest(".panel, .card");
        const isSeen = element.closest(".unseen, svg, .list thead") === null;
        return (
          frame !== null &&
          isSeen &&
          // A bar that is fixed to the lower edge belongs to the window and not to its panel.
          element.closest(".decision-bar") === null &&
          element.getBoundingClientRect().right > frame.getBoundingClientRect().right + 1
        );
      })
      .map((element) => element.outerHTML.slice(0, 80)),
  );
  return [
    ...cutOff.map((element) => `It sticks out of its panel: ${element}`),
    ...results.violations
      .filter(({ impact }) => impact === "serious" || impact === "critical" || impact === "moderate")
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`),
    ...(overflow > 0 ? [`The page is ${overflow} pixels wider than the screen.`] : []),
  ];
}

/** Checks a page narrow and wide, light and dark, and stores a screenshot of each on request. Returns all faults. */
export async function lookAt(page: Page, name: string): Promise<string[]> {
  if (KEEPS_PICTURES) await mkdir(ARTIFACTS, { recursive: true });
  const faults: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const viewport of [NARROW, WIDE]) {
      await page.setViewportSize(viewport);
      const file = `${name}-${viewport.width}-${colorScheme}.png`;
      if (KEEPS_PICTURES) await page.screenshot({ path: join(ARTIFACTS, file), fullPage: true });
      faults.push(...(await faultsOf(page, colorScheme)).map((fault) => `${file}: ${fault}`));
    }
  }
  return faults;
}

/** Stores a printed page on request. */
export async function keepPdf(name: string, printed: Uint8Array): Promise<void> {
  if (!KEEPS_PICTURES) return;
  await mkdir(ARTIFACTS, { recursive: true });
  await writeFile(join(ARTIFACTS, `${name}.pdf`), printed);
}
