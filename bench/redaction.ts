/**
 * What does the kernel cost inside workerd? Generated 12-megapixel pictures with regions over a sixth of their area, beside
 * decode + blur + encode by photon in the same Worker and by sharp (libjpeg-turbo, libspng) on one thread. All figures are
 * processor time, on Linux.
 */
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import sharp from "sharp";
import { ChildGroup, freePort } from "../scripts/lib/processes.ts";
import { QUIET_WRANGLER_ENV, ROOT, WRANGLER } from "../scripts/lib/wrangler.ts";
import type { Region } from "../src/redaction/regions.ts";
import { atMost, type Finding, progress, reported, runBenchmark } from "./lib/report.ts";
import { rounded } from "./lib/statistics.ts";

const WIDTH = 4000;
const HEIGHT = 3000;
const MEGAPIXELS = (WIDTH * HEIGHT) / 1e6;
const ROUNDS = 8;
const WARM_UP_ROUNDS = 2;
const BASELINE_LIMIT_MS = 30;
const PHOTON_FACTOR = 4;
const PNG_FACTOR = 1.5;
const READY_TIMEOUT_MS = 60_000;

const REGIONS: readonly Region[] = Array.from({ length: 12 }, (_, index): Region => {
  const box = [(index % 4) * 0.25 + 0.04, Math.floor(index / 4) * 0.33 + 0.05, 0.13, 0.15] as const;
  return index % 4 === 3
    ? { category: "writing", shape: "box", box }
    : { category: "heads", shape: "ellipse", box };
});

/** Fine grain over soft shapes: about as many bits a pixel as a phone's photo. */
async function drawPicture(): Promise<Buffer> {
  const channels = 3;
  const grain = { type: "gaussian", mean: 128, sigma: 14 } as const;
  const noise = await sharp({
    create: { width: WIDTH, height: HEIGHT, channels, background: "#888", noise: grain },
  })
    .blur(0.8)
    .png({ compressionLevel: 1 })
    .toBuffer();
  const circles = Array.from({ length: 60 }, (_, index) => {
    const [x, y] = [(index * 977) % WIDTH, (index * 613) % HEIGHT];
    return `<circle cx="${x}" cy="${y}" r="${60 + (index % 7) * 50}" fill="hsl(${index * 47} 60% 50%)" opacity="0.5"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">${circles.join("")}</svg>`;
  return await sharp(noise)
    .composite([{ input: Buffer.from(svg) }])
    .removeAlpha()
    .png()
    .toBuffer();
}

/** Clock ticks a second in which Linux counts the processor time of a process. */
const TICKS_PER_SECOND = 100;

/**
 * Processor time so far of this process (sharp works in it) and of every process of the Worker's group, in milliseconds.
 * Other work on the machine does not count, as it would in elapsed time.
 */
async function processorMs(group: number): Promise<number> {
  const own = process.cpuUsage();
  let ticks = 0;
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, "utf8").catch(() => "");
    if (!stat.includes("(workerd)")) continue;
    const fields = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    if (fields[2] === group) ticks += (fields[11] ?? 0) + (fields[12] ?? 0);
  }
  return (own.user + own.system) / 1000 + (ticks * 1000) / TICKS_PER_SECOND;
}

async function withWorker<T>(use: (worker: { origin: string; group: number }) => Promise<T>): Promise<T> {
  const port = await freePort();
  const child = new ChildGroup(
    [
      WRANGLER,
      "dev",
      "--config=bench/worker/redaction.wrangler.json",
      "--ip=127.0.0.1",
      `--port=${port}`,
      "--inspector-port=0",
      "--log-level=error",
      "--show-interactive-dev-session=false",
    ],
    { cwd: ROOT, env: { ...process.env, ...QUIET_WRANGLER_ENV } },
  );
  let output = "";
  child.process.stdout?.resume();
  child.process.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  try {
    const origin = `http://127.0.0.1:${port}`;
    for (const until = Date.now() + READY_TIMEOUT_MS; ; await delay(200)) {
      if (Date.now() > until) throw new Error(`The Worker did not start.\n${output}`);
      const isReady = await fetch(origin).then(
        (response) => response.ok,
        () => false,
      );
      if (isReady) break;
    }
    return await use({ origin, group: child.pid });
  } finally {
    await child.stop();
  }
}

async function post(url: string): Promise<void> {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(REGIONS) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  await response.json();
}

/** Runs every call in turn, ROUNDS times after one to warm up; returns mean processor time in ms a megapixel. */
async function compare(
  group: number,
  calls: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<Record<string, number>> {
  const totals = new Map<string, number>();
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const [name, call] of Object.entries(calls)) {
      const before = await processorMs(group);
      await call();
      if (round >= 0) totals.set(name, (totals.get(name) ?? 0) + (await processorMs(group)) - before);
    }
  }
  return Object.fromEntries([...totals].map(([name, ms]) => [name, rounded(ms / ROUNDS / MEGAPIXELS, 1)]));
}

sharp.concurrency(1);
sharp.cache(false);

await runBenchmark(import.meta.filename, async () => {
  const drawn = await drawPicture();
  const baseline = await sharp(drawn).jpeg({ quality: 88 }).toBuffer();
  const progressive = await sharp(drawn).jpeg({ quality: 88, progressive: true }).toBuffer();
  const picture = {
    pixels: WIDTH * HEIGHT,
    baseline: baseline.length,
    progressive: progressive.length,
    png: drawn.length,
  };
  return await withWorker(async ({ origin, group }) => {
    const kernel = (format: string, method: string) => async () => {
      await post(`${origin}/kernel?format=${format}&method=${method}`);
    };
    const store = async (body: Buffer): Promise<void> => {
      const response = await fetch(origin, { method: "PUT", body: new Uint8Array(body) });
      await response.text();
    };
    progress("baseline JPEG");
    await store(baseline);
    const jpeg = await compare(group, {
      blur: kernel("jpeg", "blur"),
      pixelation: kernel("jpeg", "pixelation"),
      photon: async () => {
        await post(`${origin}/photon`);
      },
      sharp: async () => await sharp(baseline).blur(6).jpeg({ quality: 88 }).toBuffer(),
      "sharp without blur": async () => await sharp(baseline).jpeg({ quality: 88 }).toBuffer(),
    });
    progress("progressive JPEG");
    await store(progressive);
    const progressiveJpeg = await compare(group, {
      blur: kernel("jpeg", "blur"),
      "sharp without blur": async () =>
        await sharp(progressive).jpeg({ quality: 88, progressive: true }).toBuffer(),
    });
    progress("PNG");
    await store(drawn);
    const png = await compare(group, {
      blur: kernel("png", "blur"),
      "sharp without blur": async () => await sharp(drawn).png().toBuffer(),
    });
    const unit = "ms/megapixel";
    const findings: Finding[] = [
      atMost(BASELINE_LIMIT_MS, { claim: "baseline JPEG, blur", unit, measured: jpeg["blur"] ?? Number.NaN }),
      atMost(BASELINE_LIMIT_MS, {
        claim: "baseline JPEG, pixelation",
        unit,
        measured: jpeg["pixelation"] ?? Number.NaN,
      }),
      atMost(1 / PHOTON_FACTOR, {
        claim: "baseline JPEG, blur, as a share of photon's time",
        unit: "×",
        measured: rounded((jpeg["blur"] ?? Number.NaN) / (jpeg["photon"] ?? Number.NaN), 3),
      }),
      reported({ claim: "progressive JPEG, blur", unit, measured: progressiveJpeg["blur"] ?? Number.NaN }),
      atMost(PNG_FACTOR, {
        claim: "PNG, blur, against sharp's decode + encode",
        unit: "×",
        measured: rounded((png["blur"] ?? Number.NaN) / (png["sharp without blur"] ?? Number.NaN)),
      }),
    ];
    return { findings, details: { picture, jpeg, progressiveJpeg, png } };
  });
});
