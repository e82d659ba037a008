/**
 * Tests whether a resumable upload survives kills of the whole service: uploads a gigabyte in 200 parts and kills everything
 * five times. Checks that the bytes arrive, how much memory they take, and that expired uploads leave nothing behind. `QUICK=1`
 * sends a quarter of the file with two kills.
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { createAccount } from "../scripts/lib/accounts.ts";
import { query, type DatabaseTarget } from "../scripts/lib/database.ts";
import { signalGroup } from "../scripts/lib/processes.ts";
import { untilFinal, type ApiAccess } from "./lib/client.ts";
import { filmStreet } from "./lib/clips.ts";
import { enlarged, type LargeFile } from "./lib/large-video.ts";
import { peakGrowthBytes, serviceProcesses } from "./lib/process-memory.ts";
import { atMost, progress, reported, runBenchmark } from "./lib/report.ts";
import { describeService, withServiceIn } from "./lib/service.ts";
import { rounded } from "./lib/statistics.ts";
import { countStoredPieces, storedSha256 } from "./lib/stored-objects.ts";
import { withTemporaryFolder } from "./lib/temporary.ts";

const IS_QUICK = process.env["QUICK"] === "1";
const PARTS = IS_QUICK ? 50 : 200;
const PART_BYTES = 5_000_000;
const FILE_BYTES = PARTS * PART_BYTES;
/** The benchmark kills everything while it sends these parts. The last part's request also assembles the file. */
const KILLED_AT = IS_QUICK ? [1, PARTS - 1] : [1, 40, 90, 150, PARTS - 1];
/** The largest number of parts between two kills. */
const CONTROL_REQUESTS = 60;
const KILL_AFTER_MS = 40;
const WARM_UP_REQUESTS = 200;
const WARM_UP_BYTES = 5_000;
const LIMIT_MEGABYTES = 40;
const PATIENCE_MS = 180_000;
const SETTLE_MS = 3_000;
const TUS = { "Tus-Resumable": "1.0.0" };
const OFFSET_STREAM = "application/offset+octet-stream";

const createdSchema = z.object({ upload_id: z.string() });
const mediaSchema = z.object({ id: z.string() });

/** The measurements taken while the file is sent. */
interface Sending {
  kills: number;
  sentBytes: number;
  lockedAnswers: number;
  readonly warmUpBytes: number[];
  readonly growthBytes: number[];
  readonly storageGrowthBytes: number[];
}

await runBenchmark(import.meta.filename, async () => {
  const clip = await filmStreet({ width: 640, height: 360, seconds: 4 });
  return await withTemporaryFolder(async (folder) => await measure(folder, enlarged(clip, FILE_BYTES)));
});

async function measure(folder: string, file: LargeFile) {
  const sending: Sending = {
    kills: 0,
    sentBytes: 0,
    lockedAnswers: 0,
    warmUpBytes: [],
    growthBytes: [],
    storageGrowthBytes: [],
  };
  const startedAtMs = performance.now();
  let begun: { apiKey: string; accountId: string; uploadId: string } | undefined;
  while (sending.kills < KILLED_AT.length) {
    await withServiceIn(folder, async () => {
      begun ??= await begin(folder, file.sizeBytes);
      await sendWatched(folder, { ...begun, file, sending });
    });
  }
  if (begun === undefined) throw new Error("Nothing was begun.");
  const { apiKey } = begun;
  const controlBytes = await withServiceIn(folder, async () => await control(folder, apiKey, file));
  return await finish(folder, { ...begun, file, sending, startedAtMs, controlBytes });
}

/** Returns how much the process grows during an equal number of nearly empty requests, after the same warm-up. */
async function control(folder: string, apiKey: string, file: LargeFile): Promise<number> {
  const { baseUrl, pids } = await describeService(folder);
  const { api } = serviceProcesses(pids);
  const access = { baseUrl, apiKey };
  await sendSmall(access, { pid: api, file, requests: WARM_UP_REQUESTS });
  await delay(SETTLE_MS);
  return await sendSmall(access, { pid: api, file, requests: CONTROL_REQUESTS });
}

/** Sends the remaining parts, creates a media item from the upload, and checks the results. */
async function finish(
  folder: string,
  run: {
    apiKey: string;
    accountId: string;
    uploadId: string;
    file: LargeFile;
    sending: Sending;
    startedAtMs: number;
    controlBytes: number;
  },
) {
  const { apiKey, accountId, uploadId, file, sending, startedAtMs, controlBytes } = run;
  return await withServiceIn(folder, async () => {
    const { baseUrl } = await describeService(folder);
    await sendWatched(folder, run);
    const seconds = (performance.now() - startedAtMs) / 1000;
    const access = { baseUrl, apiKey };
    const mediaId = await makeMedia(access, uploadId);
    const stored = await storedSha256(folder, `${accountId}/${mediaId}/source`);
    const isEqual = stored === file.sha256();
    progress(`resumable-uploads: stored ${stored}`);
    const status = await untilFinal(access, mediaId);
    const left = await leaveNothing(folder, access, { mediaId, file });
    return {
      findings: [
        atMost(0, {
          claim: `A file of ${FILE_BYTES / 1e9} GB in ${PARTS} parts, everything killed ${sending.kills} times: files with another SHA-256`,
          unit: "files",
          measured: isEqual ? 0 : 1,
        }),
        atMost(LIMIT_MEGABYTES, {
          claim: "Growth of the API's process while the parts arrive, most of all starts",
          unit: "MB",
          measured: megabytes(Math.max(...sending.growthBytes)),
        }),
        atMost(0, {
          claim:
            "Records and stored pieces that are left once an unfinished upload has expired and the media item is deleted",
          unit: "pieces",
          measured: left,
        }),
        reported({
          claim: "The video that was made of it completes",
          unit: "videos",
          measured: status === "completed" ? 1 : 0,
        }),
        reported({
          claim: `The same while ${CONTROL_REQUESTS} requests of ${WARM_UP_BYTES} bytes arrive instead, in a start of their own`,
          unit: "MB",
          measured: megabytes(controlBytes),
        }),
        reported({
          claim: `Growth of the API's process by its first ${WARM_UP_REQUESTS} requests of a few kilobytes, most of all starts`,
          unit: "MB",
          measured: megabytes(Math.max(...sending.warmUpBytes)),
        }),
        reported({
          claim: "Sent again because of the kills",
          unit: "MB",
          measured: megabytes(sending.sentBytes - FILE_BYTES),
        }),
        reported({
          claim: "From the first byte to the last, with the restarts",
          unit: "s",
          measured: rounded(seconds, 0),
        }),
      ],
      details: {
        note: "Resident memory of the service that `npm start` runs, sampled every 20 ms: its peak while parts arrive less what it was before the first one of each start. Before that the process has answered requests of a few kilobytes, by which it grows whatever they bring: its code is compiled, and its heap is collected late. R2 and D1 are simulated in another process.",
        warmUpMegabytes: sending.warmUpBytes.map(megabytes),
        growthMegabytes: sending.growthBytes.map(megabytes),
        storageGrowthMegabytes: sending.storageGrowthBytes.map(megabytes),
        answersWhileLocked: sending.lockedAnswers,
      },
    };
  });
}

async function begin(folder: string, sizeBytes: number) {
  const account = await createAccount(databaseIn(folder), { name: "Benchmark", plan: "Enterprise" });
  const { baseUrl } = await describeService(folder);
  return { ...account, uploadId: await createUpload({ baseUrl, ...account }, sizeBytes) };
}

async function createUpload({ baseUrl, apiKey }: ApiAccess, sizeBytes: number): Promise<string> {
  const name = Buffer.from("street.mp4").toString("base64");
  const headers = {
    ...TUS,
    Authorization: `Bearer ${apiKey}`,
    "Upload-Length": String(sizeBytes),
    "Upload-Metadata": `filename ${name}`,
  };
  const response = await fetch(`${baseUrl}/uploads`, { method: "POST", headers });
  return createdSchema.parse(await response.json()).upload_id;
}

/** Sends parts until all have arrived or everything has been killed. Watches the memory of the processes in the meantime. */
async function sendWatched(
  folder: string,
  {
    apiKey,
    uploadId,
    file,
    sending,
  }: { apiKey: string; uploadId: string; file: LargeFile; sending: Sending },
): Promise<void> {
  const { baseUrl, pids } = await describeService(folder);
  const { api, storage } = serviceProcesses(pids);
  const small = { pid: api, file, requests: WARM_UP_REQUESTS };
  sending.warmUpBytes.push(await sendSmall({ baseUrl, apiKey }, small));
  await delay(SETTLE_MS);
  const [ofApi, ofStorage] = await peakGrowthBytes([api, storage], async () => {
    const url = `${baseUrl}/uploads/${uploadId}`;
    for (;;) {
      const offset = await offsetAt(url);
      if (offset === file.sizeBytes) return;
      const part = Math.floor(offset / PART_BYTES);
      const body = file.slice(offset, Math.min(file.sizeBytes, (part + 1) * PART_BYTES));
      const isKilled = part === KILLED_AT[sending.kills];
      const [status] = await Promise.all([
        sendPart(url, offset, body).catch(() => undefined),
        isKilled ? killAll(pids) : undefined,
      ]);
      if (isKilled) {
        sending.sentBytes += body.length;
        sending.kills += 1;
        progress(`resumable-uploads: killed while part ${part + 1} of ${PARTS} was sent (${status})`);
        return;
      }
      if (status === 423) {
        sending.lockedAnswers += 1;
        await delay(1_000);
      } else if (status === 204) sending.sentBytes += body.length;
      else throw new Error(`Part ${part + 1} was answered ${status}.`);
    }
  });
  sending.growthBytes.push(ofApi?.growthBytes ?? Number.NaN);
  sending.storageGrowthBytes.push(ofStorage?.growthBytes ?? Number.NaN);
}

/** Sends many small requests to a process and returns how much it grew. */
async function sendSmall(
  access: ApiAccess,
  { pid, file, requests }: { readonly pid: number; readonly file: LargeFile; readonly requests: number },
): Promise<number> {
  const url = `${access.baseUrl}/uploads/${await createUpload(access, file.sizeBytes)}`;
  const [growth] = await peakGrowthBytes([pid], async () => {
    for (let at = 0; at < requests * WARM_UP_BYTES; at += WARM_UP_BYTES)
      await sendPart(url, at, file.slice(at, at + WARM_UP_BYTES));
  });
  await fetch(url, { method: "DELETE", headers: TUS });
  return growth?.growthBytes ?? Number.NaN;
}

async function offsetAt(url: string): Promise<number> {
  const response = await fetch(url, { method: "HEAD", headers: TUS });
  if (response.status !== 200) throw new Error(`The upload was answered ${response.status}.`);
  return Number(response.headers.get("Upload-Offset"));
}

async function sendPart(url: string, offset: number, body: Buffer<ArrayBuffer>): Promise<number> {
  const headers = { ...TUS, "Content-Type": OFFSET_STREAM, "Upload-Offset": String(offset) };
  const response = await fetch(url, { method: "PATCH", headers, body });
  await response.body?.cancel();
  return response.status;
}

/** Kills all processes of a service at once, in the middle of their work. */
async function killAll([parent = 0, ...groups]: readonly number[]): Promise<void> {
  await delay(KILL_AFTER_MS);
  process.kill(parent, "SIGKILL");
  for (const pid of groups) signalGroup(pid, "SIGKILL");
}

async function makeMedia({ baseUrl, apiKey }: ApiAccess, uploadId: string): Promise<string> {
  const response = await fetch(`${baseUrl}/media/redact`, {
    method: "POST",
    headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ upload_id: uploadId, categories: ["heads"] }),
  });
  const body = await response.text();
  if (response.status !== 201) throw new Error(`The media was answered ${response.status}: ${body}`);
  return mediaSchema.parse(JSON.parse(body)).id;
}

/** Lets an unfinished upload expire and deletes the media item. Returns how much of both remains. */
async function leaveNothing(
  folder: string,
  access: ApiAccess,
  { mediaId, file }: { mediaId: string; file: LargeFile },
): Promise<number> {
  const url = `${access.baseUrl}/uploads/${await createUpload(access, file.sizeBytes)}`;
  for (const [start, end] of [[0, 9_000_000] as const, [9_000_000, 21_000_000] as const])
    await sendPart(url, start, file.slice(start, end));
  await query(databaseIn(folder), "UPDATE resumable_uploads SET expires_at = 1");
  const headers = { Authorization: `Bearer ${access.apiKey}` };
  await fetch(`${access.baseUrl}/media/${mediaId}`, { method: "DELETE", headers });
  const until = Date.now() + PATIENCE_MS;
  let left = Number.NaN;
  while (left !== 0 && Date.now() < until) {
    await delay(SETTLE_MS);
    const [row] = await query(databaseIn(folder), "SELECT count(*) AS uploads FROM resumable_uploads");
    const { pieces, torn } = countStoredPieces(folder);
    progress(`resumable-uploads: ${pieces} pieces left, ${torn.length} torn: ${torn.join(" ")}`);
    left = Number(row?.["uploads"]) + pieces;
  }
  return left;
}

function databaseIn(folder: string): DatabaseTarget {
  return { local: { stateDirectory: join(folder, "state") } };
}

function megabytes(bytes: number): number {
  return rounded(bytes / 1e6, 1);
}
