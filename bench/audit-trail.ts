/**
 * Measures the cost of the audit trail. Compares downloads that write an entry with downloads that write none, and exports
 * 100,000 entries while it watches the memory of the Worker's process.
 */
import { setTimeout as delay } from "node:timers/promises";
import { join } from "node:path";
import sharp from "sharp";
import { newId } from "../src/ground/platform/ids.ts";
import { query, type DatabaseTarget } from "../scripts/lib/database.ts";
import { untilFinal, upload, type ApiAccess } from "./lib/client.ts";
import { peakGrowthBytes, serviceProcesses } from "./lib/process-memory.ts";
import { atMost, progress, reported, runBenchmark } from "./lib/report.ts";
import { describeService, signIn, withService } from "./lib/service.ts";
import { median, rounded } from "./lib/statistics.ts";

const PHOTOS = 40;
const ENTRIES = 100_000;
const BATCH_ENTRIES = 10_000;
const EXPORTS = 3;
const SETTLE_MS = 3_000;
const GROWTH_LIMIT_MEGABYTES = 40;
const LINE_END = 10;
/** The part of an entry's id that encodes its time: `aud_` and 48 bits in hex, with a hyphen (RFC 9562 §5.7). */
const ID_TIME_CHARACTERS = 17;

/**
 * Inserts entries dated now, since the retention limit deletes old ones. Values: first number, last number, beginning of their
 * ids, account, time.
 */
const ENTRY_ROWS = `WITH RECURSIVE numbers(n) AS (SELECT ? UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
  INSERT INTO audit_entries (id, account_id, actor_kind, actor_id, kind, subject_id, detail, request_id, created_at)
  SELECT ? || '-7000-8000-' || printf('%012x', n), ?, 'api_key', 'key_bench', 'media.downloaded',
    '019a9c4e-6f1a-7c11-8f8e-' || printf('%012x', n), NULL, 'req_bench', ? FROM numbers`;

await runBenchmark(import.meta.filename, async () => {
  const { downloads, exports } = await withService(async (service) => {
    const timed = await measureDownloads(service);
    const local = await describeService(service.folder);
    const cookie = await signIn(local.signInUrl);
    await fillTrail({ local: { stateDirectory: join(service.folder, "state") } });
    const { api } = serviceProcesses(local.pids);
    return { downloads: timed, exports: await measureExports(local.baseUrl, { cookie, api }) };
  });
  const firstMs = median(downloads.map(({ writtenMs }) => writtenMs));
  const againMs = median(downloads.map(({ againMs: ms }) => ms));
  return {
    findings: [
      reported({
        claim:
          "A download that writes its entry, against the same one again in the same hour: what it takes longer",
        unit: "ms",
        measured: rounded(firstMs - againMs, 1),
      }),
      reported({
        claim: "The export of 100,000 entries, until its last byte",
        unit: "s",
        measured: rounded(median(exports.map(({ wholeMs }) => wholeMs)) / 1000, 1),
      }),
      reported({
        claim: "The same, until its first byte",
        unit: "ms",
        measured: rounded(median(exports.map(({ firstByteMs }) => firstByteMs)), 0),
      }),
      atMost(GROWTH_LIMIT_MEGABYTES, {
        claim: "Growth of the Worker's process while it sends 100,000 entries, after the first export",
        unit: "MB",
        measured: rounded(median(exports.slice(1).map(({ growthBytes }) => growthBytes)) / 1e6, 1),
      }),
    ],
    details: { downloads, exports },
  };
});

/** Downloads each photo twice. The first download writes an audit entry; the second does not. */
async function measureDownloads(service: ApiAccess): Promise<{ writtenMs: number; againMs: number }[]> {
  const photo = await sharp({ create: { width: 64, height: 64, channels: 3, background: "#777" } })
    .png()
    .toBuffer();
  const runs: { writtenMs: number; againMs: number }[] = [];
  for (let number = 0; number <= PHOTOS; number++) {
    if (number % 10 === 0) progress(`audit-trail: photo ${number} of ${PHOTOS}`);
    const file = Uint8Array.from(photo);
    const mediaId = await upload(service, { file, filename: "small.png", categories: ["qr_codes"] });
    await untilFinal(service, mediaId);
    const writtenMs = await downloadMs(service, mediaId);
    const againMs = await downloadMs(service, mediaId);
    // Skip the first photo: its downloads warm up code that both cases share.
    if (number > 0) runs.push({ writtenMs: rounded(writtenMs, 1), againMs: rounded(againMs, 1) });
  }
  return runs;
}

async function downloadMs({ baseUrl, apiKey }: ApiAccess, mediaId: string): Promise<number> {
  const startedAtMs = performance.now();
  const response = await fetch(`${baseUrl}/media/${mediaId}/download`, {
    headers: { Authorization: `Bearer ${apiKey}` },
  });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`The download was answered ${response.status}.`);
  return performance.now() - startedAtMs;
}

async function fillTrail(target: DatabaseTarget): Promise<void> {
  const [member] = await query(target, "SELECT account_id AS accountId FROM memberships LIMIT 1");
  const accountId = String(member?.["accountId"]);
  const nowMs = Date.now();
  const beginning = newId("auditEntry", nowMs).slice(0, ID_TIME_CHARACTERS);
  for (let done = 0; done < ENTRIES; done += BATCH_ENTRIES) {
    progress(`audit-trail: ${done} of ${ENTRIES} entries`);
    await query(target, ENTRY_ROWS, [done + 1, done + BATCH_ENTRIES, beginning, accountId, nowMs]);
  }
}

interface Export {
  readonly firstByteMs: number;
  readonly wholeMs: number;
  readonly bytes: number;
  readonly beforeBytes: number;
  readonly growthBytes: number;
}

async function measureExports(
  baseUrl: string,
  { cookie, api }: { cookie: string; api: number },
): Promise<Export[]> {
  const url = new URL("/dashboard/audit/export", baseUrl).href;
  const exports: Export[] = [];
  for (let round = 0; round < EXPORTS; round++) {
    progress(`audit-trail: export ${round + 1} of ${EXPORTS}`);
    await delay(SETTLE_MS);
    const read = { firstByteMs: 0, wholeMs: 0, bytes: 0, lines: 0 };
    const [growth] = await peakGrowthBytes([api], async () => {
      const startedAtMs = performance.now();
      const response = await fetch(url, { headers: { Cookie: cookie } });
      if (!response.ok) throw new Error(`The export was answered ${response.status}.`);
      for await (const piece of response.body ?? []) {
        if (read.bytes === 0) read.firstByteMs = rounded(performance.now() - startedAtMs, 0);
        read.bytes += piece.length;
        for (const byte of piece) if (byte === LINE_END) read.lines += 1;
      }
      read.wholeMs = rounded(performance.now() - startedAtMs, 0);
    });
    if (read.lines < ENTRIES || growth === undefined) throw new Error(`${read.lines} lines came.`);
    const { beforeBytes, growthBytes } = growth;
    exports.push({
      firstByteMs: read.firstByteMs,
      wholeMs: read.wholeMs,
      bytes: read.bytes,
      beforeBytes,
      growthBytes,
    });
  }
  return exports;
}
