/**
 * Stops the inference service for two minutes while one account uploads 20 photos a second, and lets it go on with what has queued up.
 * Tests that no upload gets an error but the announced 503, that no job fails, and that another account soon waits about as long as
 * on an idle service.
 */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { createAccount } from "../scripts/lib/accounts.ts";
import { signalGroup } from "../scripts/lib/processes.ts";
import { upload, untilEnded, type ApiAccess } from "./lib/client.ts";
import { drawStreet } from "./lib/pictures.ts";
import { atMost, progress, reported, runBenchmark } from "./lib/report.ts";
import { withService, type BenchService } from "./lib/service.ts";
import { median, rounded } from "./lib/statistics.ts";

const STOPPED_SECONDS = Number(process.env["OVERLOAD_STOPPED_SECONDS"] ?? 120);
const UPLOADS_PER_SECOND = Number(process.env["OVERLOAD_UPLOADS_PER_SECOND"] ?? 20);
/** How long after its return the other account has to be served as usual. */
const RECOVERY_SECONDS = 30;
const WARM_UP_PHOTOS = 3;
const QUIET_PHOTOS = 15;
/** How long a pause before a photo can be, compared with a photo on an idle service. */
const LONGEST_PAUSE = 1;
/** The steps of the golden ratio spread evenly, so that photos arrive at every moment of another account's job alike. */
const PAUSE_STEP = 0.618;
const MOST_RATIO = 1.5;
/** An upload that cannot begin in time, because so many others have not been answered, is left out. */
const MOST_IN_FLIGHT = 40;
const SIZE = { width: 640, height: 360 };
const CATEGORIES = ["heads", "license_plates"];
const PATIENCE_MS = 600_000;

const totalSchema = z.object({ pagination: z.object({ total: z.number() }) });

/** How uploads were answered, by what the contract says of the answer. */
interface Answers {
  accepted: number;
  /** 503 with `Retry-After`. */
  postponed: number;
  /** Every other 5xx, and connections that broke. */
  faults: number;
  others: number;
  leftOut: number;
}

await runBenchmark(import.meta.filename, async () => {
  const file = Buffer.from(await drawStreet({ ...SIZE, seed: 1 }));
  return await withService(async (service) => {
    const [quiet, busy] = [await accessAs(service, "Quiet"), await accessAs(service, "Busy")];
    const warmUpMs = await measureEach(quiet, { file, photos: WARM_UP_PHOTOS, pauseMs: 0 });
    const pauseMs = LONGEST_PAUSE * Math.min(...warmUpMs);
    const quietMs = await measureEach(quiet, { file, photos: QUIET_PHOTOS, pauseMs });
    const [, inference = 0] = service.pids;
    progress(`overload: inference stops, ${UPLOADS_PER_SECOND} uploads a second`);
    signalGroup(inference, "SIGSTOP");
    const load = startLoad(busy, file);
    const during = measureOne(quiet, file);
    await delay(STOPPED_SECONDS * 1_000);
    signalGroup(inference, "SIGCONT");
    const answers = await load.stop();
    progress(`overload: inference is back, ${answers.accepted} photos wait`);
    await delay(RECOVERY_SECONDS * 1_000);
    const duringMs = await during;
    const afterMs = await measureEach(quiet, { file, photos: QUIET_PHOTOS, pauseMs });
    const failed = (await countOf(busy, "failed")) + (await countOf(quiet, "failed"));
    const waiting = await countOf(busy, "queued");
    const ratio = median(afterMs) / median(quietMs);
    return {
      findings: [
        atMost(0, {
          claim: `Inference is stopped for ${STOPPED_SECONDS} s under ${UPLOADS_PER_SECOND} uploads a second: 5xx answers other than 503 with Retry-After`,
          unit: "answers",
          measured: answers.faults,
        }),
        atMost(0, { claim: "The same: failed jobs", unit: "jobs", measured: failed }),
        atMost(MOST_RATIO, {
          claim: `The same, from ${RECOVERY_SECONDS} s after its return: a photo of another account, compared with an idle service`,
          unit: "times",
          measured: rounded(ratio),
        }),
        reported({ claim: "Accepted uploads", unit: "uploads", measured: answers.accepted }),
        reported({
          claim: "Uploads answered 503 with Retry-After",
          unit: "uploads",
          measured: answers.postponed,
        }),
        reported({ claim: "Photos that still waited at the end", unit: "photos", measured: waiting }),
      ],
      details: {
        answers,
        quietMs: quietMs.map((ms) => rounded(ms, 0)),
        afterMs: afterMs.map((ms) => rounded(ms, 0)),
        uploadedWhileStoppedMs: rounded(duringMs, 0),
      },
    };
  });
});

async function accessAs({ baseUrl, folder }: BenchService, name: string): Promise<ApiAccess> {
  const target = { local: { stateDirectory: join(folder, "state") } };
  const { apiKey } = await createAccount(target, { name, plan: "Enterprise" });
  return { baseUrl, apiKey };
}

/** Returns how long a photo takes from the start of its upload to its end. */
async function measureOne(access: ApiAccess, file: Buffer<ArrayBuffer>): Promise<number> {
  const startedAtMs = performance.now();
  const mediaId = await upload(access, { file, categories: CATEGORIES });
  const status = await untilEnded(access, mediaId, PATIENCE_MS);
  if (status !== "completed") throw new Error(`A media ended ${status}.`);
  return performance.now() - startedAtMs;
}

/**
 * Sends photos one after the other. Between two of them it pauses for up to `pauseMs`: a photo that is sent as soon as the one before
 * has ended would always find another account's job that has just begun.
 */
async function measureEach(
  access: ApiAccess,
  { file, photos, pauseMs }: { file: Buffer<ArrayBuffer>; photos: number; pauseMs: number },
): Promise<number[]> {
  const runs: number[] = [];
  for (let photo = 0; photo < photos; photo++) {
    await delay(((photo * PAUSE_STEP) % 1) * pauseMs);
    runs.push(await measureOne(access, file));
  }
  return runs;
}

/** Uploads at a steady rate until it is stopped, and counts the answers. */
function startLoad({ baseUrl, apiKey }: ApiAccess, file: Buffer<ArrayBuffer>): { stop(): Promise<Answers> } {
  const answers: Answers = { accepted: 0, postponed: 0, faults: 0, others: 0, leftOut: 0 };
  const inFlight = new Set<Promise<void>>();
  const send = async (): Promise<void> => {
    const form = new FormData();
    for (const category of CATEGORIES) form.append("categories[]", category);
    form.append("file", new Blob([file]), "photo.jpg");
    try {
      const headers = { Authorization: `Bearer ${apiKey}` };
      const response = await fetch(`${baseUrl}/media/redact`, { method: "POST", headers, body: form });
      await response.arrayBuffer();
      const isPostponed = response.status === 503 && response.headers.has("Retry-After");
      if (response.status === 201) answers.accepted += 1;
      else if (isPostponed) answers.postponed += 1;
      else if (response.status >= 500) answers.faults += 1;
      else answers.others += 1;
    } catch {
      answers.faults += 1;
    }
  };
  const timer = setInterval(() => {
    if (inFlight.size >= MOST_IN_FLIGHT) {
      answers.leftOut += 1;
      return;
    }
    const sent: Promise<void> = send().finally(() => inFlight.delete(sent));
    inFlight.add(sent);
  }, 1_000 / UPLOADS_PER_SECOND);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(inFlight);
      return answers;
    },
  };
}

async function countOf({ baseUrl, apiKey }: ApiAccess, status: string): Promise<number> {
  const response = await fetch(`${baseUrl}/media?status=${status}&per_page=1`, {
    headers: { Authorization: `Bearer ${apiKey}` },
  });
  return totalSchema.parse(await response.json()).pagination.total;
}
