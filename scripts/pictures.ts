/** Creates the pictures of the README and of the categories: draws scenes and lets the running service redact them (`npm run pictures`). */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import sharp from "sharp";
import { z } from "zod";
import { drawDeskScene } from "./lib/desk-scene.ts";
import { readService } from "./lib/local.ts";
import { drawStreetScene } from "./lib/street-scene.ts";
import { ROOT } from "./lib/wrangler.ts";

const FOLDER = join(ROOT, "docs/pictures");
/** A part of a scene with an aspect ratio of 4:3, in pixels of the scene. */
interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

/** The scenes, and where each category is best visible. Together they show every category. */
const SCENES: readonly {
  name: string;
  draw: () => Promise<Buffer>;
  places: Readonly<Record<string, Place>>;
}[] = [
  {
    name: "street",
    draw: drawStreetScene,
    places: {
      heads: { left: 120, top: 300, width: 440 },
      license_plates: { left: 520, top: 620, width: 460 },
      street_signs: { left: 0, top: 120, width: 360 },
      qr_codes: { left: 1120, top: 240, width: 480 },
    },
  },
  {
    name: "desk",
    draw: drawDeskScene,
    places: {
      screens: { left: 10, top: 10, width: 500 },
      writing: { left: 430, top: 20, width: 560 },
      documents: { left: 430, top: 20, width: 560 },
      passports: { left: 930, top: 75, width: 400 },
      id_cards: { left: 30, top: 450, width: 340 },
      credit_cards: { left: 440, top: 510, width: 340 },
      name_badges: { left: 1220, top: 470, width: 380 },
      barcodes: { left: 850, top: 510, width: 380 },
      tattoos: { left: 40, top: 740, width: 344 },
    },
  },
];
/** Further categories in a scene, besides the ones that are shown from it. */
const ALSO_IN: Readonly<Record<string, readonly string[]>> = { desk: ["qr_codes"] };
const PHOTO = { width: 640, height: 480 } as const;
const GAP_PIXELS = 8;
const POLL_MS = 100;

const mediaSchema = z.object({ id: z.string(), status: z.string(), download_url: z.string().optional() });

const service = await readService();
if (service === undefined) throw new Error("The service is not running here; start it with npm start.");
const base = service.baseUrl;
const headers = { Authorization: `Bearer ${service.apiKey}` };

/** The redacted picture that a client receives. */
async function redacted(picture: Buffer, categories: readonly string[]): Promise<Uint8Array> {
  const form = new FormData();
  form.append("file", new Blob([new Uint8Array(picture)]), "scene.jpg");
  for (const category of categories) form.append("categories[]", category);
  const uploaded = await fetch(`${base}/media/redact`, { method: "POST", headers, body: form });
  let media = mediaSchema.parse(await uploaded.json());
  while (!["completed", "failed"].includes(media.status)) {
    await delay(POLL_MS);
    const polled = await fetch(`${base}/media/${media.id}`, { headers });
    media = mediaSchema.parse(await polled.json());
  }
  if (media.download_url === undefined) throw new Error(`The media ended as ${media.status}.`);
  const after = await fetch(media.download_url, { headers });
  return new Uint8Array(await after.arrayBuffer());
}

/** A photo of one place of a scene. */
async function photoOf(scene: Buffer, { left, top, width }: Place): Promise<Buffer> {
  const part = sharp(scene).extract({ left, top, width, height: (width * 3) / 4 });
  return await part.resize(PHOTO.width, PHOTO.height).jpeg({ quality: 90 }).toBuffer();
}

/** Two photos side by side, half as large. */
async function sideBySide(photos: readonly Uint8Array[]): Promise<Buffer> {
  const [width, height] = [PHOTO.width / 2, PHOTO.height / 2];
  const sides = await Promise.all(
    photos.map(async (photo) => await sharp(photo).resize(width, height).png().toBuffer()),
  );
  return await sharp({ create: { width: width * 2 + GAP_PIXELS, height, channels: 4, background: "#0000" } })
    .composite(sides.map((input, index) => ({ input, top: 0, left: index * (width + GAP_PIXELS) })))
    .webp({ quality: 70, effort: 6 })
    .toBuffer();
}

await mkdir(join(FOLDER, "categories"), { recursive: true });
for (const { name, draw, places } of SCENES) {
  const before = await draw();
  const categories = [...Object.keys(places), ...(ALSO_IN[name] ?? [])];
  await writeFile(join(FOLDER, `${name}-before.jpg`), before);
  await writeFile(join(FOLDER, `${name}-after.jpg`), await redacted(before, categories));
  for (const [category, place] of Object.entries(places)) {
    const photo = await photoOf(before, place);
    const picture = await sideBySide([photo, await redacted(photo, [category])]);
    await writeFile(join(FOLDER, `categories/${category}.webp`), picture);
  }
}
console.log(`Wrote the pictures to ${FOLDER}.`);
