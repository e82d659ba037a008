/// <reference lib="dom" />
import type { Browser, Page } from "playwright-core";
import { openPage } from "../../test/e2e/chromium.ts";
import { rounded } from "./statistics.ts";

const WINDOW = { width: 1280, height: 800 };
/** Tasks that make a page hang would begin within this time after the last script has run. */
const QUIET_MS = 500;

/** The cost of a page that a browser opens for the first time. */
export interface Visit {
  /** The uncompressed bytes of everything except images and videos, as the browser parses scripts and styles. */
  readonly bytes: number;
  /** The bytes of the same resources on the wire, including headers. */
  readonly wireBytes: number;
  readonly requests: number;
  /** From the start of the navigation until the page is painted, its scripts have run, and no long task blocks it. */
  readonly interactiveMs: number;
}

/** Opens a page in a browser that has never visited the service. Signs in if a link for that is given. */
export async function openAsNew(browser: Browser, signInUrl?: string, window = WINDOW): Promise<Page> {
  const page = await openPage(browser, { viewport: window });
  if (signInUrl !== undefined) await page.goto(signInUrl);
  return page;
}

/** Navigates to an address with an empty browser cache. */
export async function visit(page: Page, url: string): Promise<Visit> {
  const debugging = await page.context().newCDPSession(page);
  await debugging.send("Network.enable");
  await debugging.send("Network.setCacheDisabled", { cacheDisabled: true });
  const requests = new Map<string, { type: string; bytes: number; wireBytes: number }>();
  debugging.on("Network.responseReceived", ({ requestId, type }) => {
    requests.set(requestId, { type, bytes: 0, wireBytes: 0 });
  });
  debugging.on("Network.dataReceived", ({ requestId, dataLength }) => {
    const request = requests.get(requestId);
    if (request !== undefined) request.bytes += dataLength;
  });
  debugging.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const request = requests.get(requestId);
    if (request !== undefined) request.wireBytes = encodedDataLength;
  });
  await page.goto(url, { waitUntil: "load" });
  await page.waitForTimeout(QUIET_MS);
  const interactiveMs = rounded(await readInteractiveMs(page), 0);
  await debugging.detach();
  const counted = [...requests.values()].filter(({ type }) => type !== "Image" && type !== "Media");
  const sum = (key: "bytes" | "wireBytes") => counted.reduce((total, request) => total + request[key], 0);
  return {
    bytes: sum("bytes"),
    wireBytes: sum("wireBytes"),
    requests: requests.size,
    interactiveMs,
  };
}

/** Returns the latest of three times: the first paint, the end of the scripts, and the end of the last task longer than 50 ms. */
async function readInteractiveMs(page: Page): Promise<number> {
  return await page.evaluate(async () => {
    const longTasks = await new Promise<PerformanceEntryList>((resolve) => {
      const observer = new PerformanceObserver((list) => resolve(list.getEntries()));
      observer.observe({ type: "longtask", buffered: true });
      setTimeout(() => resolve(observer.takeRecords()), 50);
    });
    const [navigation] = performance.getEntriesByType("navigation");
    const [paint] = performance.getEntriesByName("first-contentful-paint");
    if (!(navigation instanceof PerformanceNavigationTiming) || paint === undefined)
      throw new Error("The page was not painted.");
    return Math.max(
      paint.startTime,
      navigation.domContentLoadedEventEnd,
      ...longTasks.map(({ startTime, duration }) => startTime + duration),
    );
  });
}

/** Returns the time from the start of the navigation until a list of `count` items shows every thumbnail in view. */
export async function thumbnailsMs(page: Page, url: string, count: number): Promise<number> {
  await page.goto(url, { waitUntil: "commit" });
  const found = await page.waitForFunction(
    (wanted) => {
      const images = [...document.querySelectorAll<HTMLImageElement>(".thumbnail img")];
      const inSight = images.filter((image) => image.getBoundingClientRect().top < innerHeight);
      const missing = inSight.filter(({ complete, naturalWidth }) => !complete || naturalWidth === 0);
      return images.length === wanted && missing.length === 0 ? performance.now() : undefined;
    },
    count,
    { polling: "raf" },
  );
  return rounded((await found.jsonValue()) ?? Number.NaN, 0);
}
