/** Makes the pictures of the README: draws a scene and has the running service redact it (`npm run pictures`). */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { readService } from "./lib/local.ts";
import { drawScene } from "./lib/scene.ts";
import { ROOT } from "./lib/wrangler.ts";

const FOLDER = join(ROOT, "docs/pictures");
const CATEGORIES = ["heads", "license_plates", "qr_codes"];
const POLL_MS = 100;

const mediaSchema = z.object({ id: z.string(), status: z.string(), download_url: z.string().optional() });

const service = await readService();
if (service === undefined) throw new Error("The service is not running here; start it with npm start.");
const headers = { Authorization: `Bearer ${service.apiKey}` };

const before = await drawScene();
const form = new FormData();
form.append("file", new Blob([new Uint8Array(before)]), "street.jpg");
for (const category of CATEGORIES) form.append("categories[]", category);
const uploaded = await fetch(`${service.baseUrl}/media/redact`, { method: "POST", headers, body: form });
let media = mediaSchema.parse(await uploaded.json());
while (!["completed", "failed"].includes(media.status)) {
  await delay(POLL_MS);
  const polled = await fetch(`${service.baseUrl}/media/${media.id}`, { headers });
  media = mediaSchema.parse(await polled.json());
}
if (media.download_url === undefined) throw new Error(`The media ended as ${media.status}.`);
const after = await fetch(media.download_url, { headers });

await mkdir(FOLDER, { recursive: true });
await writeFile(join(FOLDER, "before.jpg"), before);
await writeFile(join(FOLDER, "after.jpg"), new Uint8Array(await after.arrayBuffer()));
console.log(`Wrote before.jpg and after.jpg to ${FOLDER}.`);
