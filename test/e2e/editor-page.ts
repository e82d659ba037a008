/// <reference lib="dom" />
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** A place on the screen, in CSS pixels. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/** The position of a place of the picture on the screen. */
export async function onScreen(stage: Locator, x: number, y: number): Promise<Place> {
  return await stage.evaluate(
    (svg, [left, top]) => {
      const matrix = (svg as SVGSVGElement).getScreenCTM();
      const point = new DOMPoint(left, top).matrixTransform(matrix ?? undefined);
      return { x: point.x, y: point.y };
    },
    [x, y] as const,
  );
}

/** Drags with the mouse. */
export async function drag(on: Page, from: Place, to: Place): Promise<void> {
  await on.mouse.move(from.x, from.y);
  await on.mouse.down();
  await on.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2);
  await on.mouse.move(to.x, to.y);
  await on.mouse.up();
}

/** The number of the frame that a video's editor shows. */
export async function shownFrame(on: Page): Promise<number> {
  return Number(/frame (\d+)/.exec((await on.locator("[data-time]").textContent()) ?? "")?.[1]);
}

/** Presses keys until this frame is shown. */
export async function stepTo(on: Page, frame: number): Promise<void> {
  const missing = frame - (await shownFrame(on));
  const [far, near] = missing < 0 ? ["PageDown", ","] : ["PageUp", "."];
  const keys = [
    ...Array.from({ length: Math.floor(Math.abs(missing) / 10) }, () => far),
    ...Array.from({ length: Math.abs(missing) % 10 }, () => near),
  ];
  let expected = await shownFrame(on);
  for (const key of keys) {
    await on.keyboard.press(key);
    expected += (key === far ? 10 : 1) * Math.sign(missing);
    await expect.poll(async () => await shownFrame(on)).toBe(expected);
  }
}

/** The file that the Download button saves. */
export async function downloaded(on: Page): Promise<Uint8Array> {
  const download = on.waitForEvent("download");
  await on.getByRole("link", { name: "Download" }).click();
  const stream = await (await download).createReadStream();
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
