/**
 * `npm run soak`: kills the processes of a real `npm start` at random while photos and short videos are uploaded, and checks at the end
 * whether anything was lost. `--seed N` repeats the same uploads and kills. With `--disk-megabytes N`, the data is on a disk of that size,
 * which is filled every now and then.
 */
import { createHash } from "node:crypto";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { ROOT } from "../../scripts/lib/wrangler.ts";
import { Random } from "../support/random.ts";
import { download, followToItsEnd, uploadUntilAccepted, type SoakUpload } from "./client.ts";
import { soakFiles, type SoakFile } from "./files.ts";
import { violationsOf } from "./invariants.ts";
import { LocalService } from "./service.ts";
import { runOnSmallDisk, withFullDisk } from "./small-disk.ts";

const CLIENTS = 4;
const SETTLE_MS = 240_000;

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    uploads: { type: "string", default: "200" },
    videos: { type: "string", default: "8" },
    /** Seconds between two kills, on average. */
    "kill-every": { type: "string", default: "12" },
    minutes: { type: "string", default: "8" },
    "disk-megabytes": { type: "string" },
    /** The folder of the small disk; set by the run that created it. */
    disk: { type: "string" },
  },
});
const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
const random = new Random(seed);

const folder = values.disk ?? (await mkdtemp(join(tmpdir(), "veil-soak-")));
if (values["disk-megabytes"] !== undefined && values.disk === undefined) {
  const args = [...process.argv.slice(2), `--seed=${seed}`, `--disk=${folder}`];
  const megabytes = Number(values["disk-megabytes"]);
  const code = await runOnSmallDisk(import.meta.filename, args, { folder, megabytes });
  await rm(folder, { recursive: true, force: true });
  process.exit(code);
}
console.log(`Seed ${seed}: npm run soak -- --seed ${seed} draws the same uploads and kills again.`);
const directory = join(folder, "data");
await mkdir(directory);
const service = new LocalService(directory);

const received = new Set<string>();
const receiver = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
  request.on("end", () => {
    // A sender that is killed during a request sends only a part of an event.
    if (!request.complete || body === "") {
      response.writeHead(400).end();
      return;
    }
    received.add((JSON.parse(body) as { id: string }).id);
    response.writeHead(204).end();
  });
});
receiver.listen(0, "127.0.0.1");
await once(receiver, "listening");

const weather = new AbortController();
const kills: string[] = [];

/**
 * Kills one process after the other, and restarts the whole service after its starter was killed. With a small disk, fills the disk for a
 * while instead every third time.
 */
async function storm(): Promise<void> {
  const everyMs = Number(values["kill-every"]) * 1000;
  while (!weather.signal.aborted) {
    await delay(everyMs * (0.5 + random.next()), undefined, weather).catch(() => undefined);
    if (weather.signal.aborted) break;
    if (values.disk !== undefined && random.next() < 1 / 3) {
      kills.push("full disk");
      await withFullDisk(folder, async () => {
        await delay(everyMs);
      });
      if (!service.isAlive) throw new Error("The starter ended on a full disk.");
      continue;
    }
    const victim = random.pick(service.processes());
    kills.push(nameOf(victim.command));
    service.kill(victim);
    await delay(500);
    if (!service.isAlive) await service.start();
  }
}

function nameOf(command: string): string {
  if (command.includes("scripts/start.ts")) return "starter";
  if (command.includes("inference")) return "inference";
  if (/workerd/.test(command)) return "workerd";
  return command.includes("scripts/workers.ts") ? "workers" : "other";
}

const startedAt = Date.now();
let violations: string[] = [];
const uploads: SoakUpload[] = [];
const fileOf = new Map<SoakUpload, SoakFile>();
try {
  const { photos, video } = await soakFiles();
  await service.start();
  const { port } = receiver.address() as AddressInfo;
  await promisify(execFile)(
    process.execPath,
    ["scripts/admin.ts", "webhook", "create", "--url", `http://127.0.0.1:${port}/`],
    { cwd: ROOT, env: { ...process.env, VEIL_DIR: directory } },
  );
  const videos = Number(values.videos);
  for (let index = 0; index < Number(values.uploads); index++) {
    const file = index < videos ? video : random.pick(photos);
    const upload = {
      key: `soak-${seed}-${index}`,
      filename: file.filename,
      file: file.bytes,
      complaints: [],
    };
    uploads.push(upload);
    fileOf.set(upload, file);
  }
  const queue = [...uploads];
  const stormEndsAt = Date.now() + Number(values.minutes) * 60_000;
  const untilMs = stormEndsAt + SETTLE_MS;
  const storming = storm();
  const followed: Promise<void>[] = [];
  // Uploads are spread over the storm, so that kills hit every stage.
  const paceMs = ((stormEndsAt - Date.now()) * CLIENTS * 0.7) / uploads.length;
  const client = async (): Promise<void> => {
    for (let upload = queue.shift(); upload !== undefined; upload = queue.shift()) {
      if (!weather.signal.aborted) await delay(random.next() * 2 * paceMs);
      await uploadUntilAccepted(service, upload, untilMs);
      const current = upload;
      followed.push(followToItsEnd(service, current, untilMs));
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  await delay(stormEndsAt - Date.now());
  weather.abort();
  await storming;
  await clients;
  await Promise.all(uploads.map(async (upload) => await followToItsEnd(service, upload, untilMs)));
  await Promise.all(followed);
  const eventsUntil = Date.now() + SETTLE_MS;
  while (received.size < uploads.length && Date.now() < eventsUntil) await delay(500);
  // The record of a delivery is written after its answer.
  await delay(2_000);

  const judged = new Map<string, string[]>();
  for (const upload of uploads) {
    if (upload.status !== "completed" || upload.mediaId === undefined) continue;
    const output = await download(service, upload.mediaId);
    if (output === undefined) {
      upload.complaints.push(`${upload.mediaId} is completed and has no file.`);
      continue;
    }
    const hash = createHash("sha256").update(output).digest("hex");
    const faults = judged.get(hash) ?? (await fileOf.get(upload)?.judge(output)) ?? [];
    judged.set(hash, faults);
    upload.complaints.push(...faults.map((fault) => `${upload.mediaId} (${upload.filename}): ${fault}`));
  }
  await service.stop();
  violations = [
    ...uploads.flatMap(({ complaints }) => complaints),
    ...(await violationsOf(directory, uploads, received)),
  ];
  const count = (status: string): number => uploads.filter((upload) => upload.status === status).length;
  console.log(
    JSON.stringify({
      seed,
      uploads: uploads.length,
      completed: count("completed"),
      failed: count("failed"),
      differentOutputs: judged.size,
      events: received.size,
      kills: Object.fromEntries(
        [...new Set(kills)].map((name) => [name, kills.filter((other) => other === name).length]),
      ),
      seconds: Math.round((Date.now() - startedAt) / 1000),
    }),
  );
} finally {
  weather.abort();
  await service.stop();
  receiver.closeAllConnections();
  receiver.close();
}
for (const violation of violations) console.error(violation);
if (violations.length === 0) {
  if (values.disk === undefined) await rm(folder, { recursive: true, force: true });
} else {
  const kept = values.disk === undefined ? `; the data is kept in ${folder}` : "";
  console.error(`${violations.length} violations${kept}.`);
}
process.exit(violations.length === 0 ? 0 : 1);
