import type { CDPSession, Page } from "playwright-core";

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Drags files and folders from the disk onto a point of a page, as a file manager does. */
export async function dropFromDisk(page: Page, paths: readonly string[], { x, y }: Point): Promise<void> {
  const debugging = await page.context().newCDPSession(page);
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const)
    await debugging.send("Input.dispatchDragEvent", { type, x, y, data });
  await debugging.detach();
}

/** Moves a finger over a page, from one point to another. */
export async function swipe(page: Page, from: Point, to: Point): Promise<void> {
  const debugging = await page.context().newCDPSession(page);
  await touch(debugging, "touchStart", [from]);
  const steps = 10;
  for (let step = 1; step <= steps; step++) {
    const share = step / steps;
    const point = { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
    await touch(debugging, "touchMove", [point]);
  }
  await touch(debugging, "touchEnd", []);
  await debugging.detach();
}

/** Holds a finger on a page until something has happened. */
export async function hold(page: Page, at: Point, until: () => Promise<void>): Promise<void> {
  const debugging = await page.context().newCDPSession(page);
  await touch(debugging, "touchStart", [at]);
  await until();
  await touch(debugging, "touchEnd", []);
  await debugging.detach();
}

async function touch(
  debugging: CDPSession,
  type: "touchStart" | "touchMove" | "touchEnd",
  touchPoints: Point[],
): Promise<void> {
  await debugging.send("Input.dispatchTouchEvent", { type, touchPoints });
}
