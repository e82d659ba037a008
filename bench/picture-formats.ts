/**
 * Measures the cost of a phone's photo. Converts a tiled HEIC inside workerd while it watches the memory, and then sends the
 * HEIC through the whole service. If libheif's `heif-convert` is installed, it decodes the same file for comparison. `heif-enc`
 * makes the tiles.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import sharp from "sharp";
import { runWrangler } from "../scripts/lib/wrangler.ts";
import { writeGrid } from "../test/redaction-node/support/write-heic.ts";
import { upload, untilFinal } from "./lib/client.ts";
import { drawStreet } from "./lib/pictures.ts";
import { peakGrowthBytes, workerdProcesses } from "./lib/process-memory.ts";
import { atMost, progress, reported, runBenchmark, type Finding } from "./lib/report.ts";
import { withService } from "./lib/service.ts";
import { median, rounded } from "./lib/statistics.ts";
import { withTemporaryFolder } from "./lib/temporary.ts";
import { modulesOf, type Module } from "./lib/worker-modules.ts";

const { convertV4MiniflareOptions, Miniflare } = await import("miniflare");

const TILE_SIDE = 512;
/** The tile grids and the picture sizes of phones' 12- and 48-megapixel photos. */
const PHOTO_12 = { columns: 8, rows: 6, width: 4032, height: 3024 };
const PHOTO_48 = { columns: 16, rows: 12, width: 8064, height: 6048 };
const MOST_GROWTH_MEGABYTES = 110;
const MOST_SECONDS = 3;
const RUNS = 5;
const WARM_UP_RUNS = 2;

/** The tiles of a drawn street, row by row. */
async function drawTiles(folder: string): Promise<Uint8Array[]> {
  const { columns, rows } = PHOTO_12;
  const [width, height] = [columns * TILE_SIDE, rows * TILE_SIDE];
  const street = await sharp(await drawStreet({ width, height, seed: 7 }))
    .raw()
    .toBuffer();
  const [picture, file] = [join(folder, "tile.png"), join(folder, "tile.heic")];
  const tiles: Uint8Array[] = [];
  for (let index = 0; index < columns * rows; index++) {
    const [left, top] = [(index % columns) * TILE_SIDE, Math.floor(index / columns) * TILE_SIDE];
    await sharp(street, { raw: { width, height, channels: 3 } })
      .extract({ left, top, width: TILE_SIDE, height: TILE_SIDE })
      .png({ compressionLevel: 1 })
      .toFile(picture);
    execFileSync("heif-enc", ["-q", "50", picture, "-o", file], { stdio: "ignore" });
    tiles.push(new Uint8Array(await readFile(file)));
  }
  return tiles;
}

interface Growth {
  readonly beforeMegabytes: number;
  readonly growthMegabytes: number;
  readonly seconds: number;
}

/** Converts a file in a fresh workerd that has answered one request and has not converted anything yet. */
async function convertInWorkerd(modules: readonly Module[], file: Uint8Array): Promise<Growth> {
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      modules: [...modules],
      compatibilityDate: "2026-06-01",
      compatibilityFlags: ["nodejs_compat"],
      serviceBindings: {
        SOURCE: ({ url }: { url: string }) => {
          const { searchParams } = new URL(url);
          const range = [Number(searchParams.get("start")), Number(searchParams.get("end"))] as const;
          return new Response(file.slice(...range)) as never;
        },
      },
    }),
  );
  const convert = async (): Promise<void> => {
    const address = new URL(`/?format=heic&size=${file.byteLength}`, await runtime.ready);
    const response = await fetch(address, { method: "POST" });
    const answer = await response.text();
    if (!response.ok) throw new Error(`The Worker answered ${response.status}: ${answer}`);
  };
  try {
    await (await fetch(await runtime.ready)).text();
    await delay(1000);
    const startedAtMs = performance.now();
    const [grown] = await peakGrowthBytes(workerdProcesses([process.pid]), convert);
    const seconds = rounded((performance.now() - startedAtMs) / 1000, 2);
    if (grown === undefined) throw new Error("workerd does not run.");
    return {
      beforeMegabytes: rounded(grown.beforeBytes / 1e6, 1),
      growthMegabytes: rounded(grown.growthBytes / 1e6, 1),
      seconds,
    };
  } finally {
    await runtime.dispose();
  }
}

/** For several files in turn, the seconds from upload to completion. */
async function timeService(files: Readonly<Record<string, Uint8Array<ArrayBuffer>>>): Promise<number[][]> {
  return await withService(async (service) => {
    const seconds = Object.keys(files).map((): number[] => []);
    for (let run = 0; run < RUNS + WARM_UP_RUNS; run++)
      for (const [index, [filename, file]] of Object.entries(files).entries()) {
        const startedAtMs = performance.now();
        const mediaId = await upload(service, { file, filename, categories: ["heads"] });
        const status = await untilFinal(service, mediaId);
        if (status !== "completed") throw new Error(`A media ended ${status}.`);
        if (run >= WARM_UP_RUNS) seconds[index]?.push((performance.now() - startedAtMs) / 1000);
      }
    return seconds;
  });
}

/** The seconds that a peer takes to convert the file to a JPEG, or undefined if the peer is not installed. */
function timePeer(folder: string, input: string): number | undefined {
  const seconds: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const startedAtMs = performance.now();
    const args = ["-q", "92", input, join(folder, "peer.jpg")];
    const { error, status } = spawnSync("heif-convert", args, { stdio: "ignore" });
    if (error !== undefined) return undefined;
    if (status !== 0) throw new Error(`heif-convert ended with ${status}.`);
    seconds.push((performance.now() - startedAtMs) / 1000);
  }
  return median(seconds);
}

await runBenchmark(import.meta.filename, async () => {
  return await withTemporaryFolder(async (folder) => {
    progress("picture-formats: tiles");
    const tiles = await drawTiles(folder);
    const large = Uint8Array.from(writeGrid(tiles, PHOTO_48));
    const photo = Uint8Array.from(writeGrid(tiles, PHOTO_12));
    const bundle = join(folder, "worker");
    const config = "bench/worker/picture-memory.wrangler.json";
    await runWrangler(["deploy", "--dry-run", `--outdir=${bundle}`, `--config=${config}`]);
    const modules = await modulesOf(bundle);
    progress("picture-formats: 48 megapixels in workerd");
    const grown = await convertInWorkerd(modules, large);
    progress("picture-formats: 12 megapixels in workerd");
    const quick = await convertInWorkerd(modules, photo);
    progress("picture-formats: 12 megapixels through the service");
    const street = Uint8Array.from(await drawStreet({ ...PHOTO_12, seed: 7 }));
    const [seconds = [], secondsOfJpeg = []] = await timeService({
      "photo.heic": photo,
      "photo.jpg": street,
    });
    progress("picture-formats: heif-convert");
    const input = join(folder, "photo.heic");
    await writeFile(input, photo);
    const peerSeconds = timePeer(folder, input);
    if (peerSeconds === undefined)
      progress("picture-formats: SKIPPED heif-convert: it is not installed here");
    const findings: Finding[] = [
      atMost(MOST_GROWTH_MEGABYTES, {
        claim: "Growth of workerd while a HEIC of 48 megapixels is converted",
        unit: "MB",
        measured: grown.growthMegabytes,
      }),
      atMost(MOST_SECONDS, {
        claim: "Conversion of 12 megapixels, in a workerd that has converted nothing",
        unit: "s",
        measured: quick.seconds,
      }),
      reported({
        claim: `A HEIC of 12 megapixels from upload to completed, heads hidden, median of ${RUNS}`,
        unit: "s",
        measured: rounded(median(seconds), 2),
      }),
      reported({
        claim: "The same for a JPEG of the same picture, which needs no conversion",
        unit: "s",
        measured: rounded(median(secondsOfJpeg), 2),
      }),
    ];
    if (peerSeconds !== undefined)
      findings.push(
        reported({
          claim: "The same file turned into a JPEG by heif-convert, all at once in native code",
          unit: "s",
          measured: rounded(peerSeconds, 2),
        }),
      );
    const details = {
      note: "Growth counts from a workerd that has answered one request and converted nothing; garbage and what the simulator holds are included. Memory is sampled every 20 ms.",
      fileBytes: { photo: photo.byteLength, large: large.byteLength },
      workerd: { megapixels48: grown, megapixels12: quick },
      serviceSeconds: {
        heic: seconds.map((value) => rounded(value, 2)),
        jpeg: secondsOfJpeg.map((value) => rounded(value, 2)),
      },
    };
    return { findings, details };
  });
});
