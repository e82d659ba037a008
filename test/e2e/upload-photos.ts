import sharp from "sharp";
import { expect } from "vitest";
import { call } from "./client.ts";
import type { ChosenFile } from "./upload-steps.ts";

/** A small photo of one color. */
export async function photo(): Promise<Buffer> {
  return await sharp({ create: { width: 64, height: 48, channels: 3, background: "#7fa7b5" } })
    .png()
    .toBuffer();
}

/** The same photo under several names. */
export async function photosNamed(names: readonly string[]): Promise<ChosenFile[]> {
  const buffer = await photo();
  return names.map((name) => ({ name, mimeType: "image/png", buffer }));
}

/** A media of the list, as far as the page for uploads decides it. */
interface Listed {
  readonly filename: string;
  readonly categories: string[];
}

/** The newest media of the local account. */
export async function listed(): Promise<Listed[]> {
  const { data } = (await (await call("/media?per_page=100")).json()) as { data: Listed[] };
  return data;
}

/** The categories of the local account's media by file name: each test has names of its own. */
export async function categoriesOf(names: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map((await listed()).map(({ filename, categories }) => [filename, categories]));
  expect(names.filter((name) => !found.has(name))).toEqual([]);
  return found;
}
