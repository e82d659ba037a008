import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { query, type DatabaseTarget } from "../../scripts/lib/database.ts";
import { REDACTION_CATEGORIES } from "../../src/ground/vocabulary/categories.ts";
import { boxAreaOf, isPartWithin, readBox, type Box } from "../../src/pixels/geometry/box.ts";
import { pointAt, rangeOf, type Track } from "../../src/work/video/tracks/track.ts";
import { readMedia, revise, untilEnded, upload } from "./client.ts";
import type { PhotoFilm } from "./photo-films.ts";
import { progress } from "./report.ts";
import type { BenchService } from "./service.ts";
import { replaceStoredText, storedText } from "./stored-objects.ts";
import { stepsOf } from "./video-steps.ts";

/** Films in flight at once. Their times are not measured. */
const AT_ONCE = 3;
const PATIENCE_MS = 600_000;
const POLL_MS = 200;
const MOST_TRIES = 5;
const HELD_MS = 24 * 60 * 60_000;
/** A step that has been due for this long and has no message gets one from the next sweep. */
const STRANDED_MS = 60_000;
/** A mask counts only if other masks cover less than this share of its object in the middle of its time, so that removing it bares something. */
const MOST_COVERED = 0.1;
/** A finding is at the right place if it shares at least this much of the smaller one's area. */
const SAME_PLACE = 0.5;
/** Points across and down at which a track is compared with others. */
const GRID = 24;

const verificationSchema = z.object({
  status: z.enum(["passed", "findings", "not_done"]),
  looked_at: z.object({ frames: z.number() }),
  findings: z.array(
    z.object({
      kind: z.string(),
      category: z.string(),
      confidence: z.number(),
      box: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }),
      start_seconds: z.number(),
      end_seconds: z.number(),
    }),
  ),
});
const boxSchema = z.tuple([z.number(), z.number(), z.number(), z.number()]).readonly();
/** The fields of a stored track that the benchmark reads. Other fields are kept. */
const trackSchema = z.looseObject({
  id: z.number(),
  name: z.string().optional(),
  category: z.enum(REDACTION_CATEGORIES),
  confidence: z.number().optional(),
  points: z.array(z.looseObject({ frameIndex: z.number(), box: boxSchema })),
});
const segmentSchema = z.looseObject({ tracks: z.array(trackSchema) });

type Verification = z.output<typeof verificationSchema>;
type Finding = Verification["findings"][number];

/** A film of photos, the second reading of its redacted version, and those of versions that lack a mask. */
export interface MeasuredFilm {
  readonly name: string;
  readonly tracks: number;
  /** How often the service painted the film again by itself. */
  readonly repaints: number;
  readonly untouched: Verification;
  readonly bare: readonly BareTrack[];
}

/** The second reading of a film with one unpainted track. */
interface BareTrack {
  readonly category: string;
  readonly confidence: number | null;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Where it is in the middle of its time. */
  readonly box: Box;
  readonly isFound: boolean;
  readonly verification: Verification;
}

/** Access to what a running service stores, and what was removed from it so far. */
interface Hook {
  readonly service: BenchService;
  readonly target: DatabaseTarget;
  /** How many masks of each category were removed so far. */
  readonly taken: Map<string, number>;
  readonly masks: number;
}

/**
 * Redacts films with a second reading. Then makes revisions of each film. Each revision leaves one track unpainted, although its records
 * contain the track. Tracks of the category that was removed least often come first. Veil never paints a revision again.
 */
export async function measureFilms(
  service: BenchService,
  films: readonly PhotoFilm[],
  masks: number,
): Promise<MeasuredFilm[]> {
  const target = { local: { stateDirectory: join(service.folder, "state") } };
  const hook = { service, target, masks, taken: new Map<string, number>() };
  await prepareHook(target);
  const measured: MeasuredFilm[] = [];
  const waiting = [...films.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, film] = next;
      const result = await measureFilm(hook, film, index);
      measured[index] = result;
      const found = result.bare.filter(({ isFound }) => isFound).length;
      progress(
        `verification: film ${index + 1} of ${films.length}, ${result.untouched.status}, ${result.repaints} repaints, found ${found} of ${result.bare.length}: ${result.bare.map(({ category }) => category).join(", ")}`,
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return measured;
}

async function measureFilm(hook: Hook, film: PhotoFilm, turn: number): Promise<MeasuredFilm> {
  const { service } = hook;
  const fields = { verify: "true" };
  const order = { file: film.bytes, filename: "film.mp4", categories: REDACTION_CATEGORIES, fields };
  const mediaId = await patiently(async () => await upload(service, order));
  await expectCompleted(service, mediaId);
  const untouched = await patiently(
    async () => await readMedia(service, `${mediaId}/verification`, verificationSchema),
  );
  const links = (await stepsOf(service.folder, mediaId)).filter(({ step }) => step === "link").length;
  const stored = await storedSegments(hook, mediaId);
  const tracks = wholeTracks(stored);
  const bare: BareTrack[] = [];
  for (const track of removable(tracks, { film, untouched, turn, taken: hook.taken }).slice(0, hook.masks)) {
    hook.taken.set(track.category, (hook.taken.get(track.category) ?? 0) + 1);
    const verification = await withoutTrack(hook, mediaId, { track, stored });
    const [first, last] = rangeOf(track);
    const result = {
      category: track.category,
      confidence: track.confidence ?? null,
      startSeconds: first / film.framesPerSecond,
      endSeconds: last / film.framesPerSecond,
      box: pointAt(track.points, (first + last) >> 1)?.box ?? [0, 0, 0, 0],
    } as const;
    const isFound = verification.findings.some((finding) => isOf(finding, track, film.framesPerSecond));
    bare.push({ ...result, isFound, verification });
  }
  return { name: film.name, tracks: tracks.length, repaints: links - 1, untouched, bare };
}

interface StoredSegment {
  readonly segment: number;
  readonly text: string;
  readonly tracks: readonly Track[];
}

/** Reads the stored tracks of a film, segment by segment. */
async function storedSegments({ service }: Hook, mediaId: string): Promise<StoredSegment[]> {
  const stored: StoredSegment[] = [];
  for (let segment = 0; ; segment += 1) {
    const text = await storedText(service.folder, keyOf(service, mediaId, segment));
    if (text === undefined) return stored;
    stored.push({ segment, text, tracks: segmentSchema.parse(JSON.parse(text)).tracks });
  }
}

/** The tracks of a film. Each segment has its own part of a track, and the frames in which its painter starts belong to two. */
function wholeTracks(stored: readonly StoredSegment[]): Track[] {
  const whole = new Map<string, Track>();
  for (const track of stored.flatMap(({ tracks }) => tracks)) {
    const key = track.name ?? `${track.id}`;
    const known = whole.get(key)?.points ?? [];
    const [, last] = rangeOf({ ...track, points: known });
    const later = track.points.filter(({ frameIndex }) => frameIndex > last);
    whole.set(key, { ...track, points: [...known, ...later] });
  }
  return [...whole.values()];
}

function keyOf({ accountId }: BenchService, mediaId: string, segment: number): string {
  return `${accountId}/${mediaId}/work/tracks-${segment}.json`;
}

/**
 * The tracks that lie bare if only their own mask is missing. Tracks of the category that was removed least often come first. Tracks are
 * skipped if the untouched output already has a finding at their place.
 */
function removable(
  tracks: readonly Track[],
  {
    film,
    untouched,
    turn,
    taken,
  }: {
    film: PhotoFilm;
    untouched: Verification;
    turn: number;
    taken: ReadonlyMap<string, number>;
  },
): Track[] {
  const able = tracks.filter((track) => {
    if (track.name === undefined) return false;
    if (untouched.findings.some((finding) => isOf(finding, track, film.framesPerSecond))) return false;
    const [first, last] = rangeOf(track);
    const others = tracks.filter((other) => other.id !== track.id);
    return coveredShare(track, others, (first + last) >> 1) <= MOST_COVERED;
  });
  const start = turn % Math.max(1, able.length);
  const turned = [...able.slice(start), ...able.slice(0, start)];
  const chosen: Track[] = [];
  const counts = new Map(taken);
  while (turned.length > 0) {
    const rarest = Math.min(...turned.map(({ category }) => counts.get(category) ?? 0));
    const [track] = turned.splice(
      turned.findIndex(({ category }) => (counts.get(category) ?? 0) === rarest),
      1,
    );
    if (track === undefined) break;
    counts.set(track.category, (counts.get(track.category) ?? 0) + 1);
    chosen.push(track);
  }
  return chosen;
}

/**
 * Makes a revision that leaves one track unpainted, and returns its second reading. The stored tracks lack this track while the revision
 * is rendered. They are complete again before the revision is read.
 */
async function withoutTrack(
  { service, target }: Hook,
  mediaId: string,
  { track, stored }: { track: Track; stored: readonly StoredSegment[] },
): Promise<Verification> {
  const put = async (id: string, isComplete: boolean): Promise<void> => {
    for (const { segment, text } of stored)
      await replaceStoredText(
        service.folder,
        keyOf(service, id, segment),
        isComplete ? text : lacking(track, text),
      );
  };
  await put(mediaId, false);
  const revisionId = await patiently(async () => await revise(service, mediaId, {}));
  await untilDone(service, revisionId, "link");
  await put(mediaId, true);
  await untilDone(service, revisionId, "assemble");
  await put(revisionId, true);
  await release(target, revisionId);
  await expectCompleted(service, revisionId);
  return await patiently(
    async () => await readMedia(service, `${revisionId}/verification`, verificationSchema),
  );
}

/** The share of a track in a frame that other tracks cover. Ignores what lies outside of the frame, and the margins of masks. */
function coveredShare(track: Track, others: readonly Track[], frame: number): number {
  const box = pointAt(track.points, frame)?.box;
  if (box === undefined) return 1;
  const [x, y, width, height] = box;
  let [all, covered] = [0, 0];
  for (let place = 0; place < GRID ** 2; place += 1) {
    const point = [
      x + ((Math.floor(place / GRID) + 0.5) / GRID) * width,
      y + (((place % GRID) + 0.5) / GRID) * height,
    ] as const;
    if (!isInside(track, frame, point) || Math.min(...point) < 0 || Math.max(...point) > 1) continue;
    all += 1;
    if (others.some((other) => isInside(other, frame, point))) covered += 1;
  }
  return all === 0 ? 1 : covered / all;
}

/** Heads are ellipses, and everything else counts as a box. */
function isInside(
  { category, points }: Track,
  frame: number,
  [x, y]: readonly [x: number, y: number],
): boolean {
  const box = pointAt(points, frame)?.box;
  if (box === undefined) return false;
  const [across, down] = [(2 * (x - box[0])) / box[2] - 1, (2 * (y - box[1])) / box[3] - 1];
  return category === "heads" ? across ** 2 + down ** 2 <= 1 : Math.abs(across) <= 1 && Math.abs(down) <= 1;
}

function lacking({ id, name }: Track, text: string): string {
  const segment = segmentSchema.parse(JSON.parse(text));
  const tracks = segment.tracks.filter((other) => other.id !== id || other.name !== name);
  return JSON.stringify({ ...segment, tracks });
}

/** Waits until a step of a film is done. The log says so; a query would keep the service from its database. */
async function untilDone({ folder }: BenchService, mediaId: string, kind: string): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  while (Date.now() < until) {
    if ((await stepsOf(folder, mediaId)).some(({ step }) => step === kind)) return;
    await delay(POLL_MS);
  }
  throw new Error(`The media ${mediaId} had not done the step ${kind} within ${PATIENCE_MS / 1000} s.`);
}

/** Holds the second reading of every revision of a film. Only the benchmark's own database has this trigger. */
async function prepareHook(target: DatabaseTarget): Promise<void> {
  await query(
    target,
    `CREATE TRIGGER bench_holds_reading AFTER INSERT ON video_tasks
     WHEN NEW.kind = 'verify' AND EXISTS (SELECT 1 FROM media WHERE id = NEW.media_id AND uploaded_at < created_at)
     BEGIN
       UPDATE video_tasks SET available_at = available_at + ${HELD_MS}
       WHERE media_id = NEW.media_id AND kind = NEW.kind AND segment = NEW.segment;
     END`,
    [],
  );
}

/** Lets a held second reading begin. */
async function release(target: DatabaseTarget, mediaId: string): Promise<void> {
  const nowMs = Date.now();
  const released = await query(
    target,
    `UPDATE video_tasks SET available_at = ?1
     WHERE media_id = ?2 AND kind = 'verify' AND state = 'ready' AND available_at > ?3 RETURNING segment`,
    [nowMs - STRANDED_MS, mediaId, nowMs],
  );
  if (released.length === 0) throw new Error("The second reading was not held.");
}

/** Whether a finding has a track's category and lies where the track is at that time. Gaps between sightings do not count. */
function isOf(finding: Finding, { category, points }: Track, framesPerSecond: number): boolean {
  if (finding.kind === "unseen_gap" || finding.category !== category) return false;
  const place = readBox(finding.box);
  const last = Math.round(finding.end_seconds * framesPerSecond);
  for (let frame = Math.round(finding.start_seconds * framesPerSecond); frame <= last; frame += 1) {
    const box = pointAt(points, frame)?.box;
    if (box === undefined || boxAreaOf(box) === 0 || boxAreaOf(place) === 0) continue;
    if (isPartWithin(place, box, SAME_PLACE) || isPartWithin(box, place, SAME_PLACE)) return true;
  }
  return false;
}

async function expectCompleted(service: BenchService, mediaId: string): Promise<void> {
  const status = await patiently(async () => await untilEnded(service, mediaId, PATIENCE_MS));
  if (status !== "completed") throw new Error(`The film ended as ${status}.`);
}

/** Repeats a request that fails while the benchmark locks the database of the service. */
async function patiently<T>(request: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await request();
    } catch (error) {
      if (tries === MOST_TRIES) throw error;
      await delay(POLL_MS);
    }
  }
}
