/**
 * Measures the cost of the kernel inside workerd, on generated 12-megapixel pictures with regions over a sixth of their area.
 * Compares it with decode + blur + encode by photon in the same Worker, and with sharp (libjpeg-turbo, libspng) and, if it is
 * installed, libjpeg-turbo's jpegtran, each on one thread. All figures are processor time, on Linux.
 */
import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { setTimeout as delay } from "node:timers/promises";
import sharp, { type Sharp } from "sharp";
import { ChildGroup, freePort } from "../scripts/lib/processes.ts";
import { QUIET_WRANGLER_ENV, ROOT, WRANGLER } from "../scripts/lib/wrangler.ts";
import type { Region } from "../src/pixels/redaction/regions/regions.ts";
import { atMost, type Finding, progress, reported, runBenchmark } from "./lib/report.ts";
import { median, rounded } from "./lib/statistics.ts";
import { withTemporaryFolder } from "./lib/temporary.ts";

const WIDTH = 4000;
const HEIGHT = 3000;
const MEGAPIXELS = (WIDTH * HEIGHT) / 1e6;
const ROUNDS = 5;
const WARM_UP_ROUNDS = 2;
const BASELINE_LIMIT_MS = 30;
const PHOTON_FACTOR = 4;
const JPEGTRAN_FACTOR = 1.8;
const PROGRESSIVE_JPEGTRAN_FACTOR = 2.5;
const PNG_FACTOR = 1.5;
const PNG_SIZE_FACTOR = 1.15;
const READY_TIMEOUT_MS = 60_000;

const REGIONS: readonly Region[] = Array.from({ length: 12 }, (_, index): Region => {
  const box = [(index % 4) * 0.25 + 0.04, Math.floor(index / 4) * 0.33 + 0.05, 0.13, 0.15] as const;
  return index % 4 === 3
    ? { category: "writing", shape: "box", box }
    : { category: "heads", shape: "ellipse", box };
});

/** Fine grain over soft shapes, with about as many bits per pixel as a phone's photo. */
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

/** Lines of text in columns over pale panels. */
async function drawScreenshot(): Promise<Sharp> {
  const words = Array.from({ length: 480 }, (_, index) => {
    const [line, column] = [Math.floor(index / 4), index % 4];
    const text = Array.from({ length: 10 }, (_unused, word) => {
      const start = (word * 7 + line * 3 + column * 5) % 20;
      return "abcdefghijklmnopqrstuvwxyz".slice(start, start + 3 + ((word * line) % 5));
    });
    const fill = `hsl(${(line * 31) % 360} 40% ${20 + (line % 4) * 10}%)`;
    return `<text x="${40 + column * 900}" y="${60 + line * 24}" font-size="18" font-family="sans-serif" fill="${fill}">${text.join(" ")}</text>`;
  });
  const panels = Array.from({ length: 30 }, (_, index) => {
    const [x, y, height] = [(index * 577) % 3500, (index * 401) % 2700, 40 + (index % 5) * 60];
    return `<rect x="${x}" y="${y}" width="400" height="${height}" rx="8" fill="hsl(${index * 40} 30% 90%)"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">${panels.join("")}${words.join("")}</svg>`;
  return sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: "#fafafa" } })
    .composite([{ input: Buffer.from(svg) }])
    .removeAlpha();
}

/**
 * Returns jpegtran's median processor time for the file, in milliseconds per megapixel. Returns undefined if jpegtran is not
 * installed. Like the kernel, jpegtran recodes losslessly with its own Huffman tables; `mode` says what it writes.
 */
async function jpegtranMs(bytes: Buffer, mode: "optimize" | "progressive"): Promise<number | undefined> {
  return await withTemporaryFolder(async (folder) => {
    const file = join(folder, "source.jpg");
    await writeFile(file, bytes);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const ms = await runJpegtran(file, mode);
      if (ms === undefined) return undefined;
      times.push(ms);
    }
    return rounded(median(times) / MEGAPIXELS, 1);
  });
}

async function runJpegtran(file: string, mode: string): Promise<number | undefined> {
  const script = 'jpegtran -copy none "-$1" "$0" > /dev/null && times';
  const { stdout } = await promisify(execFile)("sh", ["-c", script, file, mode]).catch(() => ({
    stdout: "",
  }));
  // The second line reports the children's times: user time, then system time, in minutes and seconds (POSIX, times).
  const seconds = [...(stdout.split("\n")[1] ?? "").matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  );
  return seconds.length === 2 ? seconds.reduce((sum, part) => sum + part, 0) * 1000 : undefined;
}

/** The clock ticks per second in which Linux reports the processor time of a process. */
const TICKS_PER_SECOND = 100;

/**
 * Returns the processor time so far of this process, in which sharp runs, and of every process in the Worker's group, in
 * milliseconds. Unlike elapsed time, it does not include other work on the machine.
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

/** Returns the size of the output in bytes. */
async function post(url: string, regions: readonly Region[] = REGIONS): Promise<number> {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(regions) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  const { bytes } = (await response.json()) as { bytes: number };
  return bytes;
}

/**
 * Runs every call in turn, ROUNDS times after some warm-up rounds. Returns the median processor time of each in milliseconds
 * per megapixel.
 */
async function compare(
  group: number,
  calls: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<Record<string, number>> {
  const times = new Map<string, number[]>();
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const [name, call] of Object.entries(calls)) {
      const before = await processorMs(group);
      await call();
      if (round >= 0) times.set(name, [...(times.get(name) ?? []), (await processorMs(group)) - before]);
    }
  }
  return Object.fromEntries([...times].map(([name, ms]) => [name, rounded(median(ms) / MEGAPIXELS, 1)]));
}

/** Returns one figure as a multiple of another. */
function share(a: number | undefined, b: number | undefined, digits = 2): number {
  return rounded((a ?? Number.NaN) / (b ?? Number.NaN), digits);
}

sharp.concurrency(1);
sharp.cache(false);

await runBenchmark(import.meta.filename, async () => {
  const drawn = await drawPicture();
  const screenshot = await drawScreenshot();
  const baseline = await sharp(drawn).jpeg({ quality: 88 }).toBuffer();
  const progressive = await sharp(drawn).jpeg({ quality: 88, progressive: true }).toBuffer();
  const pngs = {
    "a photo": await sharp(drawn).png({ adaptiveFiltering: true }).toBuffer(),
    "a photo without filters": await sharp(drawn).png().toBuffer(),
    "a screenshot": await screenshot.clone().png({ adaptiveFiltering: true }).toBuffer(),
    "a screenshot without filters": await screenshot.clone().png().toBuffer(),
  };
  const pictures = {
    pixels: WIDTH * HEIGHT,
    baselineBytes: baseline.length,
    progressiveBytes: progressive.length,
  };
  return await withWorker(async ({ origin, group }) => {
    const kernel = (format: string, method: string) => async () =>
      await post(`${origin}/kernel?format=${format}&method=${method}`);
    const store = async (body: Buffer): Promise<void> => {
      const response = await fetch(origin, { method: "PUT", body: new Uint8Array(body) });
      await response.text();
    };
    progress("baseline JPEG");
    await store(baseline);
    const jpeg = await compare(group, {
      blur: kernel("jpeg", "blur"),
      pixelation: kernel("jpeg", "pixelation"),
      photon: async () => await post(`${origin}/photon`),
      sharp: async () => await sharp(baseline).blur(6).jpeg({ quality: 88 }).toBuffer(),
      "sharp without blur": async () => await sharp(baseline).jpeg({ quality: 88 }).toBuffer(),
    });
    const jpegtran = await jpegtranMs(baseline, "optimize");
    if (jpegtran === undefined) progress("jpegtran is not installed (libjpeg-turbo-progs): left out");
    progress("progressive JPEG");
    await store(progressive);
    const progressiveJpeg = await compare(group, {
      blur: kernel("jpeg", "blur"),
      "sharp without blur": async () =>
        await sharp(progressive).jpeg({ quality: 88, progressive: true }).toBuffer(),
    });
    const progressiveJpegtran = await jpegtranMs(progressive, "progressive");
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
        measured: share(jpeg["blur"], jpeg["photon"], 3),
      }),
      reported({
        claim: "baseline JPEG, blur, against sharp's decode + encode without blur",
        unit: "×",
        measured: share(jpeg["blur"], jpeg["sharp without blur"]),
      }),
      ...(jpegtran === undefined
        ? []
        : [
            atMost(JPEGTRAN_FACTOR, {
              claim: "baseline JPEG, blur, against jpegtran -optimize",
              unit: "×",
              measured: share(jpeg["blur"], jpegtran),
            }),
          ]),
      reported({ claim: "progressive JPEG, blur", unit, measured: progressiveJpeg["blur"] ?? Number.NaN }),
      ...(progressiveJpegtran === undefined
        ? []
        : [
            atMost(PROGRESSIVE_JPEGTRAN_FACTOR, {
              claim: "progressive JPEG, blur, against jpegtran -progressive",
              unit: "×",
              measured: share(progressiveJpeg["blur"], progressiveJpegtran),
            }),
          ]),
    ];
    const png: Record<string, object> = {};
    for (const [name, file] of Object.entries(pngs)) {
      progress(`PNG: ${name}`);
      await store(file);
      const sharpBytes = (await sharp(file).png().toBuffer()).length;
      const times = await compare(group, {
        blur: kernel("png", "blur"),
        "sharp without blur": async () => await sharp(file).png().toBuffer(),
      });
      const kernelBytes = await post(`${origin}/kernel?format=png&method=blur`, []);
      findings.push(
        atMost(PNG_FACTOR, {
          claim: `PNG, ${name}, blur, against sharp's decode + encode`,
          unit: "×",
          measured: share(times["blur"], times["sharp without blur"]),
        }),
        atMost(PNG_SIZE_FACTOR, {
          claim: `PNG, ${name}, size without regions against the source`,
          unit: "×",
          measured: share(kernelBytes, file.length, 3),
        }),
        reported({
          claim: `PNG, ${name}, size without regions against sharp's output`,
          unit: "×",
          measured: share(kernelBytes, sharpBytes, 3),
        }),
      );
      png[name] = { ...times, sourceBytes: file.length, kernelBytes, sharpBytes };
    }
    return {
      findings,
      details: {
        pictures,
        jpeg: { ...jpeg, jpegtran: jpegtran ?? "not installed" },
        progressiveJpeg: { ...progressiveJpeg, jpegtran: progressiveJpegtran ?? "not installed" },
        png,
      },
    };
  });
});
