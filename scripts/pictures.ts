/** Makes the pictures of the README: draws scenes and has the running service redact them (`npm run pictures`). */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { drawDeskScene } from "./lib/desk-scene.ts";
import { readService } from "./lib/local.ts";
import { drawStreetScene } from "./lib/street-scene.ts";
import { ROOT } from "./lib/wrangler.ts";

const FOLDER = join(ROOT, "docs/pictures");
/** The scenes, and what must disappear from each; the two lists name every category. */
const SCENES = [
  {
    name: "street",
    draw: drawStreetScene,
    categories: ["heads", "license_plates", "street_signs", "qr_codes"],
  },
  {
    name: "desk",
    draw: drawDeskScene,
    categories: [
      "screens",
      "writing",
      "documents",
      "passports",
      "id_cards",
      "credit_cards",
      "name_badges",
      "barcodes",
      "qr_codes",
      "tattoos",
    ],
  },
];
const POLL_MS = 100;

const mediaSchema = z.object({ id: z.string(), status: z.string(), download_url: z.string().optional() });

const service = await readService();
if (service === undefined) throw new Error("The service is not running here; start it with npm start.");
const base = service.baseUrl;
const headers = { Authorization: `Bearer ${service.apiKey}` };

/** What a client gets back for a picture. */
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

await mkdir(FOLDER, { recursive: true });
for (const { name, draw, categories } of SCENES) {
  const before = await draw();
  await writeFile(join(FOLDER, `${name}-before.jpg`), before);
  await writeFile(join(FOLDER, `${name}-after.jpg`), await redacted(before, categories));
}
console.log(`Wrote the pictures to ${FOLDER}.`);
