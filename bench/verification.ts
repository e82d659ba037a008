/**
 * Measures the second reading of photos and videos through the whole service: how often it finds that a mask was taken away from a
 * photo or a film, how often it finds something in untouched outputs, and how long it takes. `--data FOLDER` reads the photos of a
 * folder instead of drawing some; `--videos N` draws that many videos, and `--photos 0` measures no photos. `--films FOLDER` makes
 * `--film-count N` short films of the photos of a folder. `--timed N` also times the first N photos without a second reading, and
 * `--masks N` takes up to N masks away from each photo and each film, one at a time. One media item is in flight at a time; films are
 * not timed, so several are.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { query, type DatabaseTarget } from "../scripts/lib/database.ts";
import { drawDeskScene } from "../scripts/lib/desk-scene.ts";
import { drawStreetScene } from "../scripts/lib/street-scene.ts";
import { REDACTION_CATEGORIES } from "../src/ground/vocabulary/categories.ts";
import { readMedia, revise, untilFinal, upload } from "./lib/client.ts";
import { measureFilms, type MeasuredFilm } from "./lib/bare-films.ts";
import { filmPhotos, type Photo } from "./lib/photo-films.ts";
import { drawStreet } from "./lib/pictures.ts";
import { atLeast, atMost, progress, reported, runBenchmark } from "./lib/report.ts";
import { measureVideos, type MeasuredVideo } from "./lib/verified-videos.ts";
import { withService, type BenchService } from "./lib/service.ts";
import { median, rounded } from "./lib/statistics.ts";

const STREETS = 10;
const STREET = { width: 1920, height: 1080 };
const LEAST_FOUND = 0.95;
const MOST_FALSE = 0.03;
const MOST_TIMES = 1.5;
const VIDEOS = 3;
const FILMS = 40;
const MOST_TIMES_OF_VIDEOS = 1.25;
/** A mask counts only if others cover less than this share of it, so that taking it away leaves something bare. */
const MOST_COVERED = 0.1;
/** A finding is at the right place if it shares at least this much of the smaller one's area. */
const SAME_PLACE = 0.5;
const TWO_CATEGORIES = ["heads", "license_plates"];
const PHOTO_NAME = /\.(jpe?g|png|webp)$/i;

const boxSchema = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
const detectionsSchema = z.object({
  detections: z.array(
    z.object({
      category: z.string().nullable(),
      confidence: z.number().nullable(),
      redacted: z.boolean(),
      box: boxSchema,
    }),
  ),
});
const verificationSchema = z.object({
  status: z.enum(["passed", "findings", "not_done"]),
  findings: z.array(
    z.object({ kind: z.string(), category: z.string(), confidence: z.number(), box: boxSchema }),
  ),
});

type Box = z.output<typeof boxSchema>;
type Verification = z.output<typeof verificationSchema>;

interface Measured {
  readonly name: string;
  /** Absent for a photo that was not timed. */
  readonly times?: Times;
  readonly masks: number;
  readonly untouched: Verification;
  readonly bare: readonly Bare[];
}

interface Times {
  readonly withoutMs: number;
  readonly withMs: number;
  /** The same for heads and plates alone. */
  readonly two: { readonly withoutMs: number; readonly withMs: number };
}

/** The second reading of an output from which a mask was taken away. */
interface Bare {
  readonly category: string | null;
  readonly confidence: number | null;
  readonly box: Box;
  readonly isFound: boolean;
  readonly verification: Verification;
}

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    photos: { type: "string" },
    timed: { type: "string" },
    masks: { type: "string", default: "1" },
    videos: { type: "string", default: String(VIDEOS) },
    films: { type: "string" },
    "film-count": { type: "string", default: String(FILMS) },
  },
});

await runBenchmark(import.meta.filename, async () => {
  const all = values.data === undefined ? await drawnPhotos() : await photosIn(values.data);
  const photos = values.photos === undefined ? all : all.slice(0, Number(values.photos));
  const clips =
    values.films === undefined
      ? []
      : await filmPhotos(await photosIn(values.films), Number(values["film-count"]));
  const { measured, videos, films } = await withService(async (service) => ({
    measured: photos.length === 0 ? [] : await measure(service, photos),
    videos: await measureVideos(service, Number(values.videos)),
    films: clips.length === 0 ? [] : await measureFilms(service, clips, Number(values.masks)),
  }));
  const bare = measured.flatMap((photo) => photo.bare);
  const found = bare.filter(({ isFound }) => isFound).length;
  const untouched = measured.filter((photo) => photo.untouched.status === "findings").length;
  const times = measured.flatMap((photo) => photo.times ?? []);
  const withMs = times.map((photo) => photo.withMs);
  const withoutMs = times.map((photo) => photo.withoutMs);
  return {
    findings: [
      ...(photos.length === 0 ? [] : ofPhotos()),
      ...(videos.length === 0 ? [] : ofVideos(videos)),
      ...(films.length === 0 ? [] : ofFilms(films)),
    ],
    details: { photos: measured, videos, films },
  };

  function ofPhotos() {
    return [
      atLeast(LEAST_FOUND, {
        claim: "Outputs from which a mask was taken away that have a finding at its place",
        unit: `share of ${bare.length}`,
        measured: rounded(found / Math.max(1, bare.length), 3),
      }),
      atMost(MOST_FALSE, {
        claim: "Untouched outputs that have a finding",
        unit: `share of ${measured.length}`,
        measured: rounded(untouched / Math.max(1, measured.length), 3),
      }),
      ...(times.length === 0 ? [] : ofTimes()),
    ];
  }

  function ofTimes() {
    return [
      atMost(MOST_TIMES, {
        claim:
          "A photo from upload to completed with the second reading, compared with one without, all thirteen categories",
        unit: "times",
        measured: rounded(sum(withMs) / sum(withoutMs)),
      }),
      atMost(MOST_TIMES, {
        claim: "The same for heads and plates alone",
        unit: "times",
        measured: rounded(
          sum(times.map(({ two }) => two.withMs)) / sum(times.map(({ two }) => two.withoutMs)),
        ),
      }),
      reported({
        claim: "A photo without the second reading, all categories, median",
        unit: "ms",
        measured: rounded(median(withoutMs), 0),
      }),
    ];
  }
});

function ofVideos(videos: readonly MeasuredVideo[]) {
  const total = (value: (video: MeasuredVideo) => number): number => sum(videos.map(value));
  return [
    atMost(MOST_TIMES_OF_VIDEOS, {
      claim: "A video from upload to completed with the second reading, compared with one without",
      unit: "times",
      measured: rounded(total(({ withMs }) => withMs) / total(({ withoutMs }) => withoutMs)),
    }),
    atMost(MOST_FALSE, {
      claim: "Untouched videos in which something is found again",
      unit: `share of ${videos.length}`,
      measured: rounded(
        videos.filter(({ untouched }) => untouched.findings.some(({ kind }) => kind !== "unseen_gap"))
          .length / videos.length,
        3,
      ),
    }),
    reported({
      claim: "Frames of videos that are read again, compared with those analyzed before",
      unit: "times",
      measured: rounded(total(({ looksAgain }) => looksAgain) / total(({ looks }) => looks)),
    }),
  ];
}

function ofFilms(films: readonly MeasuredFilm[]) {
  const bare = films.flatMap((film) => film.bare);
  const found = bare.filter(({ isFound }) => isFound).length;
  const shareWhere = (isCounted: (film: MeasuredFilm) => boolean): number =>
    rounded(films.filter(isCounted).length / films.length, 3);
  return [
    atLeast(LEAST_FOUND, {
      claim: "Films with one unpainted track that have a finding of its category at its place and time",
      unit: `share of ${bare.length}`,
      measured: rounded(found / Math.max(1, bare.length), 3),
    }),
    atMost(MOST_FALSE, {
      claim: "Untouched films in which something is found again",
      unit: `share of ${films.length}`,
      measured: shareWhere(({ untouched }) => untouched.findings.some(({ kind }) => kind !== "unseen_gap")),
    }),
    reported({
      claim: "Untouched films with a track that was not seen for more than 0.5 s",
      unit: `share of ${films.length}`,
      measured: shareWhere(({ untouched }) => untouched.findings.some(({ kind }) => kind === "unseen_gap")),
    }),
    reported({
      claim: "Films that the service painted again by itself",
      unit: `share of ${films.length}`,
      measured: shareWhere(({ repaints }) => repaints > 0),
    }),
  ];
}

async function drawnPhotos(): Promise<Photo[]> {
  const streets = Array.from({ length: STREETS }, async (_none, index) => ({
    name: `street ${index + 1}`,
    bytes: Buffer.from(await drawStreet({ ...STREET, seed: index + 1 })),
  }));
  return [
    ...(await Promise.all(streets)),
    { name: "desk scene", bytes: Buffer.from(await drawDeskScene()) },
    { name: "street scene", bytes: Buffer.from(await drawStreetScene()) },
  ];
}

async function photosIn(folder: string): Promise<Photo[]> {
  const names = (await readdir(folder)).filter((name) => PHOTO_NAME.test(name)).sort();
  return await Promise.all(
    names.map(async (name) => ({ name, bytes: Buffer.from(await readFile(join(folder, name))) })),
  );
}

async function measure(service: BenchService, photos: readonly Photo[]): Promise<Measured[]> {
  const target = { local: { stateDirectory: join(service.folder, "state") } };
  await prepareHook(target);
  const measured: Measured[] = [];
  const [first] = photos;
  if (first !== undefined) await redacted(service, first, true);
  const timed = Number(values.timed ?? photos.length);
  for (const [index, photo] of photos.entries()) {
    progress(`verification: ${index + 1} of ${photos.length}`);
    const times = index < timed ? await timesWithout(service, photo) : undefined;
    const verified = await redacted(service, photo, true);
    const { detections } = await readMedia(service, `${verified.mediaId}/detections`, detectionsSchema);
    measured.push({
      name: photo.name,
      ...(times !== undefined && { times: { ...times, withMs: rounded(verified.ms, 0) } }),
      masks: detections.filter(({ redacted: isRedacted }) => isRedacted).length,
      untouched: await readMedia(service, `${verified.mediaId}/verification`, verificationSchema),
      bare: await withoutSomeMasks(service, target, { mediaId: verified.mediaId, detections, turn: index }),
    });
  }
  return measured;
}

async function timesWithout(service: BenchService, photo: Photo): Promise<Omit<Times, "withMs">> {
  return {
    two: {
      withoutMs: rounded((await redacted(service, photo, false, TWO_CATEGORIES)).ms, 0),
      withMs: rounded((await redacted(service, photo, true, TWO_CATEGORIES)).ms, 0),
    },
    withoutMs: rounded((await redacted(service, photo, false)).ms, 0),
  };
}

async function redacted(
  service: BenchService,
  { bytes }: Photo,
  isVerified: boolean,
  categories: readonly string[] = REDACTION_CATEGORIES,
): Promise<{ mediaId: string; ms: number }> {
  const startedAt = performance.now();
  const mediaId = await upload(service, {
    file: bytes,
    categories,
    fields: { verify: String(isVerified) },
  });
  await expectCompleted(service, mediaId);
  return { mediaId, ms: performance.now() - startedAt };
}

type Detections = z.output<typeof detectionsSchema>["detections"];

/** Makes revisions in whose output one mask each is missing, and returns their second readings. */
async function withoutSomeMasks(
  service: BenchService,
  target: DatabaseTarget,
  { mediaId, detections, turn }: { mediaId: string; detections: Detections; turn: number },
): Promise<Bare[]> {
  const hidden = detections.filter((one) => one.redacted);
  const removable = hidden.filter((one) =>
    hidden.every((other) => other === one || shareOf(one.box, other.box) <= MOST_COVERED),
  );
  const start = turn % Math.max(1, removable.length);
  const taken = [...removable.slice(start), ...removable.slice(0, start)].slice(0, Number(values.masks));
  const bare: Bare[] = [];
  for (const one of taken) {
    const position = detections.indexOf(one);
    bare.push(await withoutMask(service, target, { mediaId, taken: one, position }));
  }
  return bare;
}

async function withoutMask(
  service: BenchService,
  target: DatabaseTarget,
  { mediaId, taken, position }: { mediaId: string; taken: Detections[number]; position: number },
): Promise<Bare> {
  const { category, confidence, box } = taken;
  await query(target, "INSERT INTO bench_bare (position) VALUES (?)", [position]);
  try {
    const revisionId = await revise(service, mediaId, {});
    await expectCompleted(service, revisionId);
    const verification = await readMedia(service, `${revisionId}/verification`, verificationSchema);
    const isFound = verification.findings.some(
      ({ box: found }) => Math.max(shareOf(found, box), shareOf(box, found)) >= SAME_PLACE,
    );
    return { category, confidence, box, isFound, verification };
  } finally {
    await query(target, "DELETE FROM bench_bare", []);
  }
}

/**
 * Takes a mask away from revisions while `bench_bare` has a row: the detection stays hidden in the records, and the area to paint
 * for it lies elsewhere. Only the benchmark's own database has this trigger.
 */
async function prepareHook(target: DatabaseTarget): Promise<void> {
  await query(target, "CREATE TABLE bench_bare (position INTEGER NOT NULL)", []);
  await query(
    target,
    `CREATE TRIGGER bench_takes_mask AFTER INSERT ON media_detections WHEN EXISTS (SELECT 1 FROM bench_bare)
     BEGIN
       UPDATE media_detections SET detections = json_set(detections,
         '$[' || (SELECT position FROM bench_bare) || '].seen', json('[{"box":[0,0,0.0001,0.0001],"confidence":1}]'))
       WHERE media_id = NEW.media_id;
     END`,
    [],
  );
}

async function expectCompleted(service: BenchService, mediaId: string): Promise<void> {
  const status = await untilFinal(service, mediaId);
  if (status !== "completed") throw new Error(`The media ended as ${status}.`);
}

/** The share of a box's area that lies in another box. */
function shareOf(box: Box, other: Box): number {
  const width = Math.min(box.x + box.width, other.x + other.width) - Math.max(box.x, other.x);
  const height = Math.min(box.y + box.height, other.y + other.height) - Math.max(box.y, other.y);
  return (Math.max(0, width) * Math.max(0, height)) / (box.width * box.height);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
