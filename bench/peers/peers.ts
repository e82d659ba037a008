/**
 * Measures the speed of other tools on this machine. Each installed tool redacts the same photos and the same films, one file
 * after another, and Veil's local service does so in the same run. `PEERS=file.json` names a list of tools other than `peers.json`. With
 * `--films FOLDER`, the films are the MP4 files of a folder instead of a drawn one.
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ALL_FORMATS, BufferSource, Input } from "mediabunny";
import { ffmpeg } from "../../test/node-support/ffmpeg.ts";
import { untilFinal, upload } from "../lib/client.ts";
import { drawStreet } from "../lib/pictures.ts";
import { progress, reported, runBenchmark, type Finding } from "../lib/report.ts";
import { withService } from "../lib/service.ts";
import { rounded, timed } from "../lib/statistics.ts";
import { withTemporaryFolder } from "../lib/temporary.ts";
import { isInstalled, readPeers, runPeer, type Peer } from "./run-peer.ts";

const PHOTOS = 10;
const SIZE = { width: 1920, height: 1080 };
const VIDEO_SECONDS = 4;
const FRAMES_PER_SECOND = 15;

interface Film {
  /** What the film is called in the report. */
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly frames: number;
}

interface Material {
  readonly photos: readonly Buffer<ArrayBuffer>[];
  readonly films: readonly Film[];
}

/** Times of one tool: all photos together, and each film. Undefined if the tool does not support the kind of file. */
interface Times {
  readonly photosMs: number | undefined;
  readonly filmsMs: readonly number[] | undefined;
}

const { values } = parseArgs({ options: { films: { type: "string" } } });

await runBenchmark(import.meta.filename, measure, values.films === undefined ? undefined : "films");

async function measure() {
  const material = {
    photos: await drawPhotos(),
    films: values.films === undefined ? [await drawFilm()] : await filmsIn(values.films),
  };
  const peers = await readPeers(process.env["PEERS"] ?? join(import.meta.dirname, "peers.json"));
  const installed: Peer[] = [];
  const skipped: string[] = [];
  for (const peer of peers) {
    if (await isInstalled(peer)) installed.push(peer);
    else skipped.push(peer.name);
  }
  for (const name of skipped) progress(`peers: SKIPPED ${name}: it is not installed here`);
  const once = await timesOfVeil(material, { verify: "false" });
  const verified = await timesOfVeil(material, { verify: "true" });
  const findings = [
    ...findingsOf("Veil, without a second reading", material, once),
    ...findingsOf("Veil", material, verified),
  ];
  for (const peer of installed) {
    const times = await timesOfPeer(peer, material);
    findings.push(
      ...findingsOf(peer.name, material, times),
      ...ratiosOf(peer.name, material, { once, times }),
    );
  }
  const films = material.films.map(({ name, frames }) => ({ name, frames }));
  return { findings, details: { photos: PHOTOS, films, skipped } };
}

async function drawPhotos(): Promise<Buffer<ArrayBuffer>[]> {
  const photos: Buffer<ArrayBuffer>[] = [];
  for (let seed = 1; seed <= PHOTOS; seed++) photos.push(Buffer.from(await drawStreet({ ...SIZE, seed })));
  return photos;
}

async function drawFilm(): Promise<Film> {
  const still = new Uint8Array(await drawStreet({ width: 1280, height: 720, seed: 1 }));
  const { bytes } = await ffmpeg(
    { "still.jpg": still },
    `-loop 1 -i still.jpg -t ${VIDEO_SECONDS} -r ${FRAMES_PER_SECOND} -c:v libx264 -preset ultrafast -pix_fmt yuv420p`.split(
      " ",
    ),
    "clip.mp4",
  );
  return { name: "720p", bytes, frames: VIDEO_SECONDS * FRAMES_PER_SECOND };
}

async function filmsIn(folder: string): Promise<Film[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".mp4")).toSorted();
  if (names.length === 0) throw new Error("The folder of --films has no MP4 file.");
  const films: Film[] = [];
  for (const name of names) {
    const bytes = new Uint8Array(await readFile(join(folder, name)));
    const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
    const [track] = await input.getVideoTracks();
    if (track === undefined) throw new Error("A film has no video track.");
    const { packetCount: frames } = await track.computePacketStats();
    films.push({ name: `${track.codedWidth}×${track.codedHeight}`, bytes, frames });
  }
  return films;
}

async function timesOfVeil(
  { photos, films }: Material,
  fields: Readonly<Record<string, string>>,
): Promise<Times> {
  progress("peers: Veil");
  return await withService(async (service) => {
    const redact = async (file: Uint8Array<ArrayBuffer>): Promise<void> => {
      const mediaId = await upload(service, { file, categories: ["heads"], fields });
      const status = await untilFinal(service, mediaId);
      if (status !== "completed") throw new Error(`A media ended ${status}.`);
    };
    for (const file of [photos[0], films[0]?.bytes]) if (file !== undefined) await redact(file);
    const photosMs = await timed(async () => {
      for (const file of photos) await redact(file);
    });
    return { photosMs, filmsMs: await eachTimed(films, async ({ bytes }) => await redact(bytes)) };
  });
}

async function timesOfPeer(peer: Peer, { photos, films }: Material): Promise<Times> {
  progress(`peers: ${peer.name}`);
  return await withTemporaryFolder(async (folder) => {
    const stored = async (name: string, bytes: Uint8Array) => {
      await writeFile(join(folder, name), bytes);
      return { input: join(folder, name), output: join(folder, `redacted-${name}`) };
    };
    const { photo: photoCommand, video: videoCommand } = peer;
    const pictures = await Promise.all(
      photos.map(async (file, index) => await stored(`photo-${index}.jpg`, file)),
    );
    const clips = await Promise.all(
      films.map(async ({ bytes }, index) => await stored(`clip-${index}.mp4`, bytes)),
    );
    const photosMs =
      photoCommand &&
      (await timed(async () => {
        for (const files of pictures) await runPeer(photoCommand, files);
      }));
    const filmsMs =
      videoCommand && (await eachTimed(clips, async (files) => await runPeer(videoCommand, files)));
    return { photosMs, filmsMs };
  });
}

/** Runs `call` for one item after another. Returns how long each took, in milliseconds. */
async function eachTimed<T>(items: readonly T[], call: (item: T) => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  for (const item of items) times.push(await timed(async () => await call(item)));
  return times;
}

function findingsOf(tool: string, { films }: Material, { photosMs, filmsMs }: Times): Finding[] {
  const photos =
    photosMs === undefined ? [] : [{ what: "photos a second", measured: (PHOTOS * 1000) / photosMs }];
  const perFilm = (filmsMs ?? []).map((ms, index) => {
    const { name = "", frames = Number.NaN } = films[index] ?? {};
    return { what: `frames of ${name} a second`, measured: (frames * 1000) / ms };
  });
  return [...photos, ...perFilm].map(({ what, measured }) =>
    reported({
      claim: `${tool}: ${what}, one file after the other`,
      unit: what,
      measured: rounded(measured),
    }),
  );
}

/** How many times as fast as another tool Veil redacts each film. */
function ratiosOf(
  tool: string,
  { films }: Material,
  { once, times }: { readonly once: Times; readonly times: Times },
): Finding[] {
  return films.flatMap(({ name }, index) => {
    const own = once.filmsMs?.[index];
    const other = times.filmsMs?.[index];
    if (own === undefined || other === undefined) return [];
    const claim = `A film of ${name} by Veil without a second reading, compared with ${tool}`;
    return [reported({ claim, unit: "times as fast", measured: rounded(other / own) })];
  });
}
