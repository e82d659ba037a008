import sharp from "sharp";
import { expect } from "vitest";
import { isoMedia, jpeg, text as asBytes, webm, webp } from "../support/file-headers.ts";
import { call } from "./client.ts";
import type { ChosenFile } from "./upload-steps.ts";

interface Color {
  readonly r: number;
  readonly g: number;
  readonly b: number;
}

/** A small photo of one color. */
export async function photo(background: Color = { r: 127, g: 167, b: 181 }): Promise<Buffer> {
  return await sharp({ create: { width: 64, height: 48, channels: 3, background } })
    .png()
    .toBuffer();
}

/** The same photo under several names. */
export async function photosNamed(names: readonly string[]): Promise<ChosenFile[]> {
  const buffer = await photo();
  return names.map((name) => ({ name, mimeType: "image/png", buffer }));
}

/** The fields of a listed media item that the upload page sets. */
interface Listed {
  readonly filename: string;
  readonly categories: string[];
}

/** The newest media of the local account. */
export async function listed(): Promise<Listed[]> {
  const { data } = (await (await call("/media?per_page=100")).json()) as { data: Listed[] };
  return data;
}

/** The categories of the local account's media by file name. Each test uses its own names. */
export async function categoriesOf(names: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map((await listed()).map(({ filename, categories }) => [filename, categories]));
  expect(names.filter((name) => !found.has(name))).toEqual([]);
  return found;
}

/** The beginnings of files that the service accepts, and of others. */
export async function samplesOfAllKinds(): Promise<Uint8Array[]> {
  const brands = ["isom", "mp42", "avc1", "qt  ", "M4V ", "M4P ", "F4V ", "dash", "heis"];
  const others = ["heic", "heix", "mif1", "avif", "M4A ", "3gp5", "crx "];
  const boxes = ["moov", "mdat", "free", "wide", "skip", "pnot"];
  return [
    jpeg({ width: 2, height: 2 }),
    webp({ width: 2, height: 2, kind: "VP8 " }),
    webm(),
    new Uint8Array(await photo()),
    ...[...brands, ...others].map(isoMedia),
    ...boxes.map((name) => asBytes(`\0\0\0\x08${name}${"\0".repeat(32)}`)),
    ...["GIF89a", "%PDF-1.7", "BM", "II*\0", "PK\x03\x04", "8BPS", "plain text", "\xff\xd8"].map((begins) =>
      asBytes(begins.padEnd(64, "\0")),
    ),
  ];
}
