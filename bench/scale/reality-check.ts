import { join } from "node:path";
import { createAccount } from "../../scripts/lib/accounts.ts";
import { PLAN_SHARES } from "../../src/work/jobs/plan-shares.ts";
import { drawStreet } from "../lib/pictures.ts";
import { progress } from "../lib/report.ts";
import type { BenchService } from "../lib/service.ts";
import { median, percentile } from "../lib/statistics.ts";
import { simulateLocalBurst } from "./local-burst.ts";
import { quietWriteMs, readMsOf, writesAPhotoOf, databaseState } from "./measure-database.ts";
import { measureBurst, measureSingles, type PhotoTimes } from "./measure-photos.ts";
import type { DatabaseTimes } from "./service-times.ts";

const SIZE = { width: 1280, height: 720 };
const DRAWN_PHOTOS = 8;
const WARM_UP_PHOTOS = 6;
const SINGLES = Number(process.env["SCALE_SINGLES"] ?? 20);
const BURST_PHOTOS = Number(process.env["SCALE_BURST"] ?? 42);
const ACCOUNTS = 3;
const PLAN = "Scale";

/** A burst's completion times in milliseconds since its start: until the last, half, and 95 % of its photos. */
interface BurstTimes {
  readonly totalMs: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}

/** What the real service did, what the simulator said, and what was measured of the database on the way. */
export interface RealityCheck {
  readonly photos: number;
  readonly real: BurstTimes;
  readonly simulated: BurstTimes;
  /** The same burst with the times of the single photos before it alone. */
  readonly simulatedByThoseBefore: BurstTimes;
  /** What a single photo took before and after the burst, on average. */
  readonly singlesMs: { readonly before: number; readonly after: number };
  readonly database: DatabaseTimes;
  readonly details: object;
}

/**
 * Sends single photos through the local service, then a burst, then single photos again. Simulates the same burst with the times of the
 * single photos before and after it.
 */
export async function checkAgainstService(service: BenchService): Promise<RealityCheck> {
  const files: Buffer<ArrayBuffer>[] = [];
  for (let seed = 1; seed <= DRAWN_PHOTOS; seed++)
    files.push(Buffer.from(await drawStreet({ ...SIZE, seed })));
  const photos = (count: number): Buffer<ArrayBuffer>[] =>
    Array.from({ length: Math.ceil(count / DRAWN_PHOTOS) }, () => files)
      .flat()
      .slice(0, count);
  await measureSingles(service, photos(WARM_UP_PHOTOS));
  progress(`scale: ${SINGLES} single photos`);
  const before = await measureSingles(service, photos(SINGLES));
  const accounts = await createAccounts(service);
  progress(`scale: ${BURST_PHOTOS} photos at once`);
  const { usedBytes } = databaseState(service.folder);
  const burst = await measureBurst(
    service,
    photos(BURST_PHOTOS).map((file, index) => ({ access: accounts[index % ACCOUNTS] ?? service, file })),
  );
  const bytesAPhoto = (databaseState(service.folder).usedBytes - usedBytes) / BURST_PHOTOS;
  progress(`scale: ${SINGLES} single photos once more`);
  const after = await measureSingles(service, photos(SINGLES));
  const { weight, mostAtOnce } = PLAN_SHARES[PLAN];
  const load = { photos: BURST_PHOTOS, accounts: ACCOUNTS, weight, mostAtOnce: mostAtOnce.images };
  // The machine's speed drifts with other work on it, so those before and after the burst take turns.
  const around = before.flatMap((photo, index) => [photo, after[index] ?? photo]);
  const simulated = simulateLocalBurst(around, load);
  return {
    photos: BURST_PHOTOS,
    real: summaryOf(burst.map(({ totalMs }) => totalMs)),
    simulated: summaryOf(simulated),
    simulatedByThoseBefore: summaryOf(simulateLocalBurst(before, load)),
    singlesMs: { before: meanTotalMs(before), after: meanTotalMs(after) },
    database: {
      writeMs: quietWriteMs([...before, ...after]),
      readMs: await readMsOf(service, Buffer.from(await drawStreet({ ...SIZE, seed: 1 }))),
      writesAPhoto: await writesAPhotoOf(service, photos(DRAWN_PHOTOS)),
      bytesAPhoto,
    },
    details: { before, burst, after, simulated },
  };
}

async function createAccounts({
  baseUrl,
  folder,
}: BenchService): Promise<{ baseUrl: string; apiKey: string }[]> {
  const target = { local: { stateDirectory: join(folder, "state") } };
  const accounts = [];
  for (let number = 1; number <= ACCOUNTS; number++) {
    const { apiKey } = await createAccount(target, { name: `Burst ${number}`, plan: PLAN });
    accounts.push({ baseUrl, apiKey });
  }
  return accounts;
}

function summaryOf(endsMs: readonly number[]): BurstTimes {
  return { totalMs: Math.max(...endsMs), medianMs: median(endsMs), p95Ms: percentile(endsMs, 0.95) };
}

function meanTotalMs(times: readonly PhotoTimes[]): number {
  return times.reduce((sum, { totalMs }) => sum + totalMs, 0) / times.length;
}
