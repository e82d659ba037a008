/**
 * Draws everyday photos by a seed, redacts them with the running service, and lays them out on sheets for visual review, each
 * original beside its result: `npm run eval:sheets -- --data FOLDER --out FOLDER`.
 *
 *     --data FOLDER       photos with manifest.jsonl; uses those of part eval that a person checked for absent categories
 *     --out FOLDER        sheet-1.png, sheet-2.png … and sheets.json, which names the photos by number
 *     --seed TEXT         seed of the draw (today's date, such as 20260131)
 *     --count N           number of photos (40)
 *     --category NAME     repeatable (heads, license_plates, screens and writing)
 *     --service FILE      the file that `npm start` writes (.veil/service.json)
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { z } from "zod";
import type { Photo } from "./labels.ts";
import { inSeedOrder, readSet } from "./sets.ts";

const TILE = { width: 400, height: 300 } as const;
/** Photos across and down a sheet. Each has its result beside it. */
const ACROSS = 2;
const DOWN = 5;
const ANSWER_TIMEOUT_MS = 120_000;
const WAIT_SECONDS = 20;

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    out: { type: "string" },
    seed: { type: "string", default: new Date().toISOString().slice(0, 10).replaceAll("-", "") },
    count: { type: "string", default: "40" },
    category: { type: "string", multiple: true, default: ["heads", "license_plates", "screens", "writing"] },
    service: { type: "string", default: ".veil/service.json" },
  },
});
const { data, out } = values;
if (data === undefined || out === undefined)
  throw new Error("Name the photos with --data and a folder with --out.");
const service = z
  .object({ baseUrl: z.url(), apiKey: z.string() })
  .parse(JSON.parse(await readFile(values.service, "utf8")));
const media = z.object({ id: z.string(), status: z.string() });
const detections = z.object({ detections: z.array(z.object({ category: z.string() })) });

const photos = await drawn(data);
const listed: { number: number; file: string; status: string; detections: string[] }[] = [];
await mkdir(out, { recursive: true });
for (let start = 0; start < photos.length; start += ACROSS * DOWN) {
  const shown = await Promise.all(
    photos.slice(start, start + ACROSS * DOWN).map(async (photo) => redacted(photo)),
  );
  await writeSheet(join(out, `sheet-${start / (ACROSS * DOWN) + 1}.png`), shown, start);
}
await writeFile(
  join(out, "sheets.json"),
  `${JSON.stringify({ seed: values.seed, photos: listed }, null, 2)}\n`,
);
process.stdout.write(`${photos.length} photos of seed ${values.seed} are in ${out}.\n`);

async function drawn(folder: string): Promise<Photo[]> {
  const set = await readSet({
    name: basename(folder),
    folder,
    manifest: join(folder, "manifest.jsonl"),
    part: "eval",
    sources: [],
    isEverydayOnly: true,
    limit: undefined,
  });
  return inSeedOrder(set.photos, values.seed).slice(0, Number(values.count));
}

interface Shown {
  readonly original: Buffer;
  readonly result: Buffer | undefined;
}

async function redacted(photo: Photo): Promise<Shown> {
  const original = await readFile(photo.path);
  const form = new FormData();
  form.append("file", new Blob([Uint8Array.from(original)]), basename(photo.path));
  for (const category of values.category) form.append("categories[]", category);
  const { id } = media.parse(await (await ask("/media/redact", { method: "POST", body: form })).json());
  const status = await finalStatus(id);
  const found = detections.parse(await (await ask(`/media/${id}/detections`)).json()).detections;
  const number = photos.indexOf(photo) + 1;
  listed[number - 1] = {
    number,
    file: photo.path,
    status,
    detections: found.map(({ category }) => category),
  };
  if (status !== "completed") return { original, result: undefined };
  const result = await ask(`/media/${id}/download`);
  return { original, result: Buffer.from(await result.arrayBuffer()) };
}

async function finalStatus(id: string): Promise<string> {
  const end = Date.now() + ANSWER_TIMEOUT_MS;
  while (Date.now() < end) {
    const { status } = media.parse(await (await ask(`/media/${id}?wait=${WAIT_SECONDS}`)).json());
    if (status === "completed" || status === "failed") return status;
  }
  throw new Error(`The service did not finish ${id} within ${ANSWER_TIMEOUT_MS / 1000} s.`);
}

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(`${service.baseUrl}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${service.apiKey}` },
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response;
}

async function writeSheet(path: string, shown: readonly Shown[], first: number): Promise<void> {
  const tiles = shown.flatMap(({ original, result }, index) => {
    const left = (index % ACROSS) * 2 * TILE.width;
    const top = Math.floor(index / ACROSS) * TILE.height;
    const label = Buffer.from(
      `<svg width="60" height="28"><rect width="60" height="28" fill="black"/><text x="6" y="21" font-size="20" fill="white">${first + index + 1}</text></svg>`,
    );
    return [
      { input: tileOf(original), left, top },
      ...(result === undefined ? [] : [{ input: tileOf(result), left: left + TILE.width, top }]),
      { input: Promise.resolve(label), left, top },
    ];
  });
  const layers = await Promise.all(
    tiles.map(async ({ input, left, top }) => ({ input: await input, left, top })),
  );
  const size = { width: 2 * ACROSS * TILE.width, height: DOWN * TILE.height };
  await sharp({ create: { ...size, channels: 3, background: "#222222" } })
    .composite(layers)
    .png()
    .toFile(path);
}

async function tileOf(picture: Buffer): Promise<Buffer> {
  return sharp(picture)
    .autoOrient()
    .resize(TILE.width - 4, TILE.height - 4, { fit: "contain", background: "#222222" })
    .png()
    .toBuffer();
}
