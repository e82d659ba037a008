/**
 * Sends ten thousand events through the local service while its Workers are killed at random, and counts lost events.
 * Without kills, measures how long an event takes and how many events go out per second.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { query, type DatabaseTarget } from "../scripts/lib/database.ts";
import { signalGroup } from "../scripts/lib/processes.ts";
import { ROOT } from "../scripts/lib/wrangler.ts";
import { upload, untilFinal } from "./lib/client.ts";
import { drawStreet } from "./lib/pictures.ts";
import { atMost, progress, reported, runBenchmark } from "./lib/report.ts";
import { describeService, withService, type BenchService } from "./lib/service.ts";
import { median, percentile, rounded } from "./lib/statistics.ts";
import { startReceiver, type Receiver } from "./lib/webhook-receiver.ts";

const PHOTOS = 12;
const UNDISTURBED_EVENTS = 500;
const EVENTS = 10_000;
const FAIL_EVERY = 100;
const KILLS = 8;
const KILL_AFTER_MS = { least: 8_000, most: 25_000 };
const PATIENCE_MS = 900_000;
const WORKERS_PID = 2;
/** The age of the events. It is high enough that the sweeper treats their queue messages as lost. */
const AGE_MS = 60_000;

const run = promisify(execFile);

await runBenchmark(
  import.meta.filename,
  async () =>
    await withService(async (service) => {
      const receiver = await startReceiver(FAIL_EVERY);
      try {
        receiver.secret.value = await createEndpoint(service, receiver.url);
        return await measure(service, receiver);
      } finally {
        await receiver.stop();
      }
    }),
);

async function measure(service: BenchService, receiver: Receiver) {
  progress("webhooks: latency");
  const latencyMs = await latencies(service, receiver);
  progress(`webhooks: ${UNDISTURBED_EVENTS} events, nothing is killed`);
  const undisturbed = await deliverAll(service, receiver, {
    first: 0,
    count: UNDISTURBED_EVENTS,
    kills: false,
  });
  progress(`webhooks: ${EVENTS} events, the Workers are killed at random`);
  const disturbed = await deliverAll(service, receiver, {
    first: UNDISTURBED_EVENTS,
    count: EVENTS,
    kills: true,
  });
  return {
    findings: [
      atMost(0, {
        claim: `Of ${EVENTS} events none is lost although the Workers are killed ${KILLS} times at random`,
        unit: "events",
        measured: disturbed.lost,
      }),
      atMost(0, {
        claim: "Every request is signed with the endpoint's secret",
        unit: "bad signatures",
        measured: receiver.badSignatures(),
      }),
      reported({
        claim: "From the change of a media to the arrival of its event, median",
        unit: "ms",
        measured: rounded(median(latencyMs), 0),
      }),
      reported({
        claim: "Events delivered a second when nothing is killed",
        unit: "events a second",
        measured: rounded(UNDISTURBED_EVENTS / undisturbed.seconds, 0),
      }),
    ],
    details: { latencyP95Ms: rounded(percentile(latencyMs, 0.95), 0), undisturbed, disturbed },
  };
}

async function createEndpoint({ folder, accountId }: BenchService, url: string): Promise<string> {
  const { stdout } = await run(
    process.execPath,
    [join(ROOT, "scripts/admin.ts"), "webhook", "create", `--url=${url}`, `--account=${accountId}`, "--json"],
    { env: { ...process.env, VEIL_DIR: folder } },
  );
  return (JSON.parse(stdout) as { secret: string }).secret;
}

/** Measures the time from each event's own timestamp to its arrival, for photos that are redacted one after another. */
async function latencies(service: BenchService, receiver: Receiver): Promise<readonly number[]> {
  for (let seed = 1; seed <= PHOTOS; seed++) {
    const file = Buffer.from(await drawStreet({ width: 640, height: 480, seed }));
    await untilFinal(service, await upload(service, { file, categories: ["heads"] }));
  }
  const until = Date.now() + 30_000;
  while (receiver.arrivals.size < PHOTOS && Date.now() < until) await delay(50);
  return [...receiver.latenciesMs];
}

/** Writes events to the outbox and waits until each event has arrived and is settled. */
async function deliverAll(
  service: BenchService,
  receiver: Receiver,
  { first, count, kills }: { first: number; count: number; kills: boolean },
) {
  const target = { local: { stateDirectory: join(service.folder, "state") } };
  await writeEvents(target, service.accountId, { first, count });
  const ids = Array.from({ length: count }, (_unused, index) => eventIdOf(first + index));
  const startedAtMs = performance.now();
  const until = Date.now() + PATIENCE_MS;
  const counted = { kills: 0 };
  const stop = new AbortController();
  const killing = kills ? killAtRandom(service, counted, stop.signal) : Promise.resolve();
  const arrived = (): number => ids.filter((id) => receiver.arrivals.has(id)).length;
  while (arrived() < count && Date.now() < until) await delay(100);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  stop.abort();
  await killing;
  const requests = ids.reduce((sum, id) => sum + (receiver.arrivals.get(id) ?? 0), 0);
  return {
    events: count,
    lost: count - arrived(),
    requests,
    arrivedMoreThanOnce: ids.filter((id) => (receiver.arrivals.get(id) ?? 0) > 1).length,
    kills: counted.kills,
    seconds: rounded(seconds, 1),
  };
}

function eventIdOf(index: number): string {
  return `evt_00000000-0000-7000-8000-${index.toString(16).padStart(12, "0")}`;
}

async function writeEvents(
  target: DatabaseTarget,
  accountId: string,
  { first, count }: { first: number; count: number },
): Promise<void> {
  const at = Date.now() - AGE_MS;
  const rows = "WITH RECURSIVE n (i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i < ?)";
  const range = [first, first + count - 1];
  const mediaId = "printf('00000000-0000-7000-8000-%012x', i)";
  await query(
    target,
    `INSERT INTO media (id, account_id, status, filename, media_type, format, categories, redaction_method,
       file_size_bytes, width_pixels, height_pixels, origin, request_id, created_at, processed_at, quota_units, period_start)
     ${rows} SELECT ${mediaId}, ?, 'completed', 'photo.jpg', 'image', 'jpeg', '["heads"]', 'blur', 1, 1, 1,
       'http://127.0.0.1', 'req_bench', ?, ?, 1, '2026-01-01' FROM n`,
    [...range, accountId, at, at],
  );
  await query(
    target,
    `INSERT INTO events (id, account_id, media_id, kind, payload, request_id, created_at)
     ${rows} SELECT printf('evt_00000000-0000-7000-8000-%012x', i), ?, ${mediaId}, 'media.processed',
       json_object('id', printf('evt_00000000-0000-7000-8000-%012x', i), 'event', 'media.processed',
         'timestamp', ?, 'media_id', ${mediaId}, 'status', 'completed', 'media', json_object('filename', 'photo.jpg')),
       'req_bench', ? FROM n`,
    [...range, accountId, new Date(at).toISOString(), at],
  );
}

async function killAtRandom(
  { folder }: BenchService,
  counted: { kills: number },
  signal: AbortSignal,
): Promise<void> {
  const { least, most } = KILL_AFTER_MS;
  while (!signal.aborted && counted.kills < KILLS) {
    await delay(least + Math.random() * (most - least), undefined, { signal }).catch(() => undefined);
    const pid = (await describeService(folder)).pids[WORKERS_PID];
    if (signal.aborted || pid === undefined) return;
    signalGroup(pid, "SIGKILL");
    counted.kills += 1;
  }
}
