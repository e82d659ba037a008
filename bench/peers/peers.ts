/**
 * Measures the speed of other tools on this machine. Each installed tool redacts the same photos and the same video, one file
 * after another, and Veil's local service does so in the same run. `PEERS=file.json` replaces `peers.json`.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ffmpeg } from "../../test/node-support/ffmpeg.ts";
import { untilFinal, upload } from "../lib/client.ts";
import { drawStreet } from "../lib/pictures.ts";
import { progress, reported, runBenchmark, type Finding } from "../lib/report.ts";
import { withService } from "../lib/service.ts";
import { rounded, timed } from "../lib/statistics.ts";
import { withTemporaryFolder } from "../lib/temporary.ts";
import { isInstalled, readPeers, runPeer } from "./run-peer.ts";

const PHOTOS = 10;
const SIZE = { width: 1920, height: 1080 };
const VIDEO_SECONDS = 4;
const FRAMES_PER_SECOND = 15;
const VIDEO_FRAMES = VIDEO_SECONDS * FRAMES_PER_SECOND;

interface Material {
  readonly photos: readonly Buffer<ArrayBuffer>[];
  readonly video: Buffer<ArrayBuffer>;
}

async function draw(): Promise<Material> {
  const photos: Buffer<ArrayBuffer>[] = [];
  for (let seed = 1; seed <= PHOTOS; seed++) photos.push(Buffer.from(await drawStreet({ ...SIZE, seed })));
  const still = new Uint8Array(await drawStreet({ width: 1280, height: 720, seed: 1 }));
  const { bytes } = await ffmpeg(
    { "still.jpg": still },
    `-loop 1 -i still.jpg -t ${VIDEO_SECONDS} -r ${FRAMES_PER_SECOND} -c:v libx264 -preset ultrafast -pix_fmt yuv420p`.split(
      " ",
    ),
    "clip.mp4",
  );
  return { photos, video: Buffer.from(bytes) };
}

function findingsOf(
  name: string,
  { photoMs, videoMs }: { photoMs: number | undefined; videoMs: number | undefined },
): Finding[] {
  const photo =
    photoMs === undefined ? [] : [{ what: "photos a second", measured: (PHOTOS * 1000) / photoMs }];
  const video =
    videoMs === undefined
      ? []
      : [{ what: "frames of 720p a second", measured: (VIDEO_FRAMES * 1000) / videoMs }];
  return [...photo, ...video].map(({ what, measured }) =>
    reported({
      claim: `${name}: ${what}, one file after the other`,
      unit: what,
      measured: rounded(measured),
    }),
  );
}

async function measureVeil({ photos, video }: Material): Promise<Finding[]> {
  progress("peers: Veil");
  return await withService(async (service) => {
    const redact = async (file: Buffer<ArrayBuffer>): Promise<void> => {
      const mediaId = await upload(service, { file, categories: ["heads"] });
      const status = await untilFinal(service, mediaId);
      if (status !== "completed") throw new Error(`A media ended ${status}.`);
    };
    for (const file of [photos[0], video]) if (file !== undefined) await redact(file);
    const photoMs = await timed(async () => {
      for (const file of photos) await redact(file);
    });
    return findingsOf("Veil", { photoMs, videoMs: await timed(async () => await redact(video)) });
  });
}

async function measurePeers({
  photos,
  video,
}: Material): Promise<{ findings: Finding[]; skipped: string[] }> {
  const findings: Finding[] = [];
  const skipped: string[] = [];
  const peers = await readPeers(process.env["PEERS"] ?? join(import.meta.dirname, "peers.json"));
  for (const peer of peers) {
    if (!(await isInstalled(peer))) {
      progress(`peers: SKIPPED ${peer.name}: it is not installed here`);
      skipped.push(peer.name);
      continue;
    }
    progress(`peers: ${peer.name}`);
    await withTemporaryFolder(async (folder) => {
      const inputs = await Promise.all(
        [...photos, video].map(async (file, index) => {
          const name = index < photos.length ? `photo-${index}.jpg` : "clip.mp4";
          await writeFile(join(folder, name), file);
          return { input: join(folder, name), output: join(folder, `redacted-${name}`) };
        }),
      );
      const clip = inputs.pop();
      const { photo: photoCommand, video: videoCommand } = peer;
      const photoMs =
        photoCommand &&
        (await timed(async () => {
          for (const files of inputs) await runPeer(photoCommand, files);
        }));
      const videoMs = videoCommand && clip && (await timed(async () => await runPeer(videoCommand, clip)));
      findings.push(...findingsOf(peer.name, { photoMs, videoMs }));
    });
  }
  return { findings, skipped };
}

await runBenchmark(import.meta.filename, async () => {
  const material = await draw();
  const veil = await measureVeil(material);
  const { findings, skipped } = await measurePeers(material);
  return {
    findings: [...veil, ...findings],
    details: { photos: PHOTOS, videoFrames: VIDEO_FRAMES, skipped },
  };
});
