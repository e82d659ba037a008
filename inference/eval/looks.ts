import type { Category } from "../src/detections/categories.ts";
import type { Detection } from "../src/detections/detection.ts";
import { keepLine, readKept, type Answers, type KeptLine } from "./kept-looks.ts";
import type { Photo } from "./labels.ts";
import { EvaluatedService, type ServedDetector, type ServedModels } from "./service.ts";
import type { LabelledSet } from "./sets.ts";

/** Concurrent requests when all detections are collected. Times are measured with one request at a time. */
const REQUESTS_AT_ONCE = 2;

export interface DetectorSpec extends ServedDetector {
  readonly name: string;
}

/** The service's answers about one photo. */
export interface Look {
  /** Detections of any confidence, of the categories that the photo's labels have information about. */
  readonly all: readonly Detection[];
  /** Detections of a request for every category that sets no confidence. */
  readonly usual: readonly Detection[];
  /** How long the `usual` request took. */
  readonly milliseconds: number;
}

/** The categories that a detector serves, and its answers about each photo, by path. */
export interface Looks {
  readonly served: ServedModels;
  readonly byPath: ReadonlyMap<string, Look>;
}

interface Question {
  readonly path: string;
  readonly categories: readonly Category[];
}

/**
 * Asks a detector about the photos of some sets, once per photo.
 * @param file Keeps the answers, one per line. Answers that are already there are not requested again.
 */
export async function lookAt(
  spec: DetectorSpec,
  sets: readonly LabelledSet[],
  { file, onProgress }: { file: string | undefined; onProgress: (text: string) => void },
): Promise<Looks> {
  const kept = await readKept(file, spec.name);
  const paths = [...new Set(sets.flatMap(({ photos }) => photos.map(({ path }) => path)))];
  if (kept.served !== undefined && paths.every((path) => kept.all.has(path) && kept.usual.has(path))) {
    return looksOf(kept.served, kept, paths);
  }
  const keep = async (line: KeptLine): Promise<void> => keepLine(file, spec.name, line);
  const service = await EvaluatedService.start(spec);
  try {
    const { served } = service;
    if (kept.served === undefined) await keep({ served });
    const questions = questionsOf(sets, served.categories);
    const [all, usual] = [new Map(kept.all), new Map(kept.usual)];
    await forEach(
      questions.filter(({ path }) => !all.has(path)),
      async ({ path, categories }, index) => {
        const found = await service.findAll(path, categories);
        all.set(path, found);
        await keep({ path, all: found });
        if (index % 100 === 99) onProgress(`${spec.name}: everything on ${index + 1} photos`);
      },
    );
    for (const [index, { path }] of questions.filter((one) => !usual.has(one.path)).entries()) {
      const { found, milliseconds } = await service.findUsual(path, served.categories);
      usual.set(path, { found, milliseconds });
      await keep({ path, usual: found, milliseconds });
      if (index % 100 === 99) onProgress(`${spec.name}: as usual on ${index + 1} photos`);
    }
    return looksOf(served, { all, usual }, paths);
  } finally {
    await service.stop();
  }
}

function looksOf(served: ServedModels, { all, usual }: Answers, paths: readonly string[]): Looks {
  const byPath = new Map<string, Look>();
  for (const path of paths) {
    const { found = [], milliseconds = 0 } = usual.get(path) ?? {};
    byPath.set(path, { all: all.get(path) ?? [], usual: found, milliseconds });
  }
  return { served, byPath };
}

/** For each photo, the categories that its labels in any set have information about. */
function questionsOf(sets: readonly LabelledSet[], served: readonly Category[]): Question[] {
  const noted = new Map<string, Set<Category>>();
  for (const photo of sets.flatMap(({ photos }) => photos)) {
    noted.set(photo.path, new Set([...(noted.get(photo.path) ?? []), ...notedOn(photo)]));
  }
  return [...noted].map(([path, some]) => {
    const isCardNoted = CARDS.some((card) => some.has(card));
    const asked = served.filter((name) => some.has(name) || (isCardNoted && CARDS.includes(name)));
    return { path, categories: asked.length > 0 ? asked : served };
  });
}

const CARDS: readonly Category[] = ["id_cards", "passports", "credit_cards"];

function notedOn({ completeFor, unplaced, labels }: Photo): Category[] {
  return [...completeFor, ...unplaced, ...labels.map(({ category }) => category)];
}

async function forEach<T>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const entries = items.entries();
  await Promise.all(
    Array.from({ length: REQUESTS_AT_ONCE }, async () => {
      for (const [index, item] of entries) await work(item, index);
    }),
  );
}
