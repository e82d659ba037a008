/// <reference lib="dom" />
import type { Browser, Page } from "playwright-core";
import { openPage } from "../../test/e2e/chromium.ts";
import { rounded } from "./statistics.ts";

const WINDOW = { width: 1280, height: 800 };
/** After the last script has run, tasks that make a page hang would begin within so long. */
const QUIET_MS = 500;

/** A page as a browser shows it for the first time. */
export interface Visit {
  /** Everything but pictures and films, as scripts and styles are read: before compression. */
  readonly bytes: number;
  /** The same on the wire, with headers. */
  readonly wireBytes: number;
  readonly requests: number;
  /** From the start of the navigation until it is painted, its scripts have run and nothing holds them up. */
  readonly interactiveMs: number;
}

/** Opens a page of a browser that has never seen the service; signed in where a link for that is given. */
export async function openAsNew(browser: Browser, signInUrl?: string, window = WINDOW): Promise<Page> {
  const page = await openPage(browser, { viewport: window });
  if (signInUrl !== undefined) await page.goto(signInUrl);
  return page;
}

/** Goes to an address with nothing in the browser's cache. */
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

/** The latest of first paint, end of the scripts, and end of the last task that took more than 50 ms. */
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

/** How long a list of so many takes until the thumbnails that are in sight are there, from the start of the navigation. */
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
