/**
 * Tests whether memory grows with a requested range or with the size of its file: downloads parts of 100 MB and watches the
 * memory of the Worker's process.
 */
import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { untilFinal, upload } from "./lib/client.ts";
import { drawStreet } from "./lib/pictures.ts";
import { peakGrowthBytes, serviceProcesses } from "./lib/process-memory.ts";
import { atMost, progress, reported, runBenchmark, type Finding } from "./lib/report.ts";
import { describeService, signIn, withService } from "./lib/service.ts";
import { rounded } from "./lib/statistics.ts";

const LIMIT_MEGABYTES = 40;
const FILE_BYTES = 100_000_000;
const SETTLE_MS = 3_000;
const TOGETHER = 5;

/** The ranges to read, as first and last bytes, and the number of simultaneous readers. */
const READS: readonly { name: string; ranges: readonly (readonly [number, number])[]; readers: number }[] = [
  { name: "64 KiB from its middle", ranges: [[50_000_000, 50_065_535]], readers: 1 },
  { name: "all but its first megabyte", ranges: [[1_000_000, FILE_BYTES - 1]], readers: 1 },
  {
    name: "sixteen ranges of 6 MB",
    ranges: Array.from({ length: 16 }, (_, index) => [index * 6_200_000, index * 6_200_000 + 5_999_999]),
    readers: 1,
  },
  { name: `its second half, ${TOGETHER} at once`, ranges: [[50_000_000, FILE_BYTES - 1]], readers: TOGETHER },
];

await runBenchmark(import.meta.filename, async () => {
  const picture = Buffer.from(await drawStreet({ width: 1920, height: 1080, seed: 1 }));
  // Redaction ignores bytes after the end of an image, so only the original is large.
  const padding = Buffer.alloc(FILE_BYTES - picture.byteLength);
  for (let at = 0; at + 4 <= padding.length; at += 4) padding.writeUInt32LE(at, at);
  const file = Buffer.concat([picture, padding]);
  const findings: Finding[] = [];
  const details = await withService(async (service) => {
    const local = await describeService(service.folder);
    const mediaId = await upload(local, { file, categories: ["qr_codes"] });
    await untilFinal(local, mediaId);
    const url = new URL(`/dashboard/media/${mediaId}/source`, local.baseUrl).href;
    const cookie = await signIn(local.signInUrl);
    const { api } = serviceProcesses(service.pids);
    const read = async (ranges: (typeof READS)[number]["ranges"]): Promise<void> => {
      await expectBytes(
        await fetch(url, { headers: { Cookie: cookie, Range: rangeOf(ranges) } }),
        file,
        ranges,
      );
    };
    // The first response loads the dashboard's code.
    await read([[0, 1]]);
    const figures = [];
    for (const { name, ranges, readers } of READS) {
      progress(`range-memory: ${name}`);
      await delay(SETTLE_MS);
      const [growth] = await peakGrowthBytes([api], async () => {
        await Promise.all(Array.from({ length: readers }, async () => await read(ranges)));
      });
      if (growth === undefined) throw new Error("The process was not measured.");
      const finding = {
        claim: `Growth of the Worker's process while parts of a 100 MB file go out: ${name}`,
        unit: "MB",
        measured: megabytes(growth.growthBytes),
      };
      findings.push(readers === 1 ? atMost(LIMIT_MEGABYTES, finding) : reported(finding));
      figures.push({ name, beforeMegabytes: megabytes(growth.beforeBytes) });
    }
    return figures;
  });
  return {
    findings,
    details: {
      note: "Resident memory of the API's workerd in the service that `npm start` runs, sampled every 20 ms: its peak during the reads less what it was just before. The file is an original, read as the dashboard's page reads it; downloads are answered by the same function. Every byte that came was compared.",
      reads: details,
    },
  };
});

function rangeOf(ranges: readonly (readonly [number, number])[]): string {
  return `bytes=${ranges.map(([first, last]) => `${first}-${last}`).join(",")}`;
}

/** Reads a response to its end and expects the given ranges of the file in it. Holds one piece at a time. */
async function expectBytes(
  response: Response,
  file: Buffer,
  ranges: readonly (readonly [number, number])[],
): Promise<void> {
  if (response.status !== 206) throw new Error(`The range was answered ${response.status}.`);
  const boundary = /boundary=(.+)$/.exec(response.headers.get("Content-Type") ?? "")?.[1];
  const [expected, received] = [createHash("sha256"), createHash("sha256")];
  for (const [first, last] of ranges) {
    if (boundary !== undefined) expected.update(partHead(boundary, first, last));
    expected.update(file.subarray(first, last + 1));
  }
  if (boundary !== undefined) expected.update(`\r\n--${boundary}--\r\n`);
  for await (const piece of response.body ?? []) received.update(piece);
  if (expected.digest("hex") !== received.digest("hex")) throw new Error("Other bytes came.");
}

function partHead(boundary: string, first: number, last: number): string {
  return `\r\n--${boundary}\r\nContent-Type: image/jpeg\r\nContent-Range: bytes ${first}-${last}/${FILE_BYTES}\r\n\r\n`;
}

function megabytes(bytes: number): number {
  return rounded(bytes / 1e6, 1);
}
