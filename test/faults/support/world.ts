import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { openDatabase } from "../../../src/ground/platform/database.ts";
import { abortMove, findPlace, insertMove } from "../../../src/work/moving/account-moves.repository.ts";
import { consumeImageJobs } from "../../../src/work/images/image-jobs.consumer.ts";
import type { MediaResponse } from "../../../src/records/media/media.schemas.ts";
import { parseApiEnv, parseImageEnv } from "../../../src/ground/platform/env.ts";
import { sweep } from "../../../src/work/maintenance/sweeper.ts";
import { createEndpoint } from "../../../src/work/webhooks/webhook-endpoints.service.ts";
import { consumeWebhookJobs } from "../../../src/work/webhooks/webhook-jobs.consumer.ts";
import { createAccount, type TestAccount } from "../../support/accounts.ts";
import { callWith } from "../../support/api.ts";
import { faultyBindings } from "../../support/faulty-bindings.ts";
import { Random } from "../../support/random.ts";
import { TUS, create, redact, send } from "../../support/resumable-uploads.ts";
import { uploadForm } from "../../support/uploads.ts";
import { noise } from "./noise.ts";
import { Outside } from "./outside.ts";
import { UnreliableQueue } from "./queue.ts";

const START_MS = Date.UTC(2026, 2, 1, 12);
const MINUTE_MS = 60_000;
const FINAL = new Set(["completed", "failed", "quota_exceeded"]);
/** Waits of retries are not waited for; longer ones are time-outs. */
const SHORT_MS = 1_000;
const MOST_TRIES = 8;

/** An upload as its client sees it: tried with one idempotency key until it is accepted. */
interface ClientUpload {
  readonly key: string;
  tries: number;
  media: MediaResponse | undefined;
  finalStatus: string | undefined;
  isDeleted: boolean;
}

/** A resumable upload as its client sees it. */
interface ClientResumable {
  readonly key: string;
  readonly path: string;
  readonly uploadId: string;
  readonly expiresAtMs: number;
  /** The bytes whose arrival was confirmed. */
  confirmedBytes: number;
  isOver: boolean;
}

/** How bad a world is: shares from 0 to 1. */
interface Weather {
  readonly storageFaults: number;
  readonly deaths: number;
  readonly outsideFaults: number;
}

const realTimeout = globalThis.setTimeout;

/** Sets the clock, lets retries wait for nothing, and keeps the log quiet. */
export function prepareRuntime(): void {
  vi.useFakeTimers({ toFake: ["Date"], now: START_MS });
  vi.spyOn(globalThis, "setTimeout").mockImplementation((run: () => void, ms = 0) =>
    realTimeout(run, ms < SHORT_MS ? 0 : ms),
  );
  for (const level of ["log", "warn", "error"] as const) {
    vi.spyOn(console, level).mockImplementation(() => undefined);
  }
}

/**
 * The service with everything around it failing by a seed: D1 and R2 calls that fail before or after they happened, workers that
 * die between any two of them, queues that lose, double and reorder, a detector that is slow, down or lies, a webhook
 * receiver that breaks off, a clock that jumps, clients that try again.
 */
export class World {
  readonly uploads: ClientUpload[] = [];
  readonly outside: Outside;
  readonly seed: number;
  readonly #random: Random;
  readonly #images: UnreliableQueue;
  readonly #webhooks: UnreliableQueue;
  readonly #source: Uint8Array<ArrayBuffer>;
  readonly #weather: Weather;
  readonly account: TestAccount;
  readonly #databases: { readonly DB: D1Database; readonly DB_2?: D1Database };
  readonly #resumables: ClientResumable[] = [];
  #latestMs = START_MS;
  #isHealed = false;
  /** How many moves between two databases were asked for. */
  moves = 0;
  #expected: Uint8Array | undefined;
  readonly violations: string[] = [];

  private constructor(
    seed: number,
    account: TestAccount,
    {
      source,
      isMoved,
      beside,
    }: { source: Uint8Array<ArrayBuffer>; isMoved: boolean; beside: World | undefined },
  ) {
    this.seed = seed;
    this.#databases = isMoved ? { DB: env.DB, DB_2: env.DB_2 } : { DB: env.DB };
    this.#random = new Random(seed);
    this.account = account;
    this.#source = source;
    this.#weather = {
      storageFaults: this.#random.pick([0, 0.02, 0.1, 0.3]),
      deaths: this.#random.pick([0.05, 0.2, 0.4]),
      outsideFaults: this.#random.pick([0.1, 0.4]),
    };
    const chaos = { lost: this.#random.pick([0, 0.1, 0.5]), doubled: 0.2, refused: 0.1 };
    this.#images = new UnreliableQueue("veil-images", new Random(seed + 1), chaos);
    this.#webhooks = new UnreliableQueue("veil-webhooks", new Random(seed + 2), chaos);
    this.outside = beside?.outside ?? new Outside(new Random(seed + 3), this.#weather.outsideFaults);
  }

  /**
   * @param isMoved whether there are two databases, and the account is moved between them all the time
   * @param beside another world with the same databases and surroundings
   */
  static async make(
    seed: number,
    { isMoved = false, beside }: { isMoved?: boolean; beside?: World } = {},
  ): Promise<World> {
    const account = await createAccount();
    const url = "http://127.0.0.1:1/hook";
    const world = new World(seed, account, { source: await noise(seed), isMoved, beside });
    await createEndpoint(parseApiEnv(world.#bindings({})), { accountId: account.accountId }, { url });
    return world;
  }

  /** One thing that happens, or a few at the same time. */
  async step(): Promise<void> {
    const together = this.#random.pick([1, 1, 2, 3]);
    await Promise.all(Array.from({ length: together }, async () => await this.#happen()));
  }

  async #happen(): Promise<void> {
    this.#latestMs = Math.max(this.#latestMs, Date.now());
    if (this.#databases.DB_2 !== undefined && this.#random.next() < 0.25) {
      await (this.#random.next() < 0.75 ? this.#sendPiece() : this.#revise());
      return;
    }
    const dice = this.#random.next();
    if (dice < 0.2) await this.#upload();
    else if (dice < 0.45) await this.#work(this.#images, 1);
    else if (dice < 0.62) await this.#work(this.#webhooks, 5);
    else if (dice < 0.72) await this.#sweep();
    else if (dice < 0.84) await this.#poll();
    else if (dice < 0.87) await this.#remove();
    else if (dice < 0.88) this.#images.forgetAll();
    else if (dice < 0.89) this.#webhooks.forgetAll();
    else if (dice < 0.92 && this.#databases.DB_2 !== undefined) await this.#move();
    else this.#moveClock();
  }

  /** Ends all faults and lets time pass until the service is at rest. */
  async settle(): Promise<void> {
    this.#isHealed = true;
    this.outside.heal();
    this.#images.heal();
    this.#webhooks.heal();
    for (let round = 0; round < 60; round++) {
      vi.setSystemTime(Date.now() + (round < 40 ? 6 : 90) * MINUTE_MS);
      await this.#sweep();
      for (let batch = 0; batch < 200; batch++) {
        const isIdle = !(await this.#work(this.#images, 1)) && !(await this.#work(this.#webhooks, 5));
        if (isIdle) break;
      }
      if (await this.#isAtRest()) return;
    }
  }

  /** What a completed media's download must be, byte for byte: made by a job that nothing disturbed. */
  async expectedOutput(): Promise<Uint8Array> {
    if (this.#expected !== undefined) return this.#expected;
    const calm = await World.make(this.seed);
    vi.setSystemTime(START_MS);
    calm.#isHealed = true;
    calm.outside.heal();
    calm.#images.heal();
    await calm.#upload();
    await calm.#work(calm.#images, 1);
    const media = calm.uploads[0]?.media;
    this.#expected = await calm.download(media?.id ?? "");
    if (this.#expected === undefined) throw new Error("A calm world completes nothing.");
    return this.#expected;
  }

  async download(mediaId: string): Promise<Uint8Array | undefined> {
    const response = await callWith(this.#bindings({}), `/media/${mediaId}/download`, this.account);
    const bytes = new Uint8Array(await response.arrayBuffer());
    return response.status === 200 ? bytes : undefined;
  }

  #moveClock(): void {
    const jumps = [1_000, 5_000, 31_000, MINUTE_MS, 5 * MINUTE_MS, 120 * MINUTE_MS, -10 * MINUTE_MS];
    vi.setSystemTime(Date.now() + this.#random.pick(jumps));
  }

  #bindings(base: object): object {
    return {
      ...env,
      DB_2: undefined,
      ...this.#databases,
      ...base,
      IMAGE_JOBS: this.#images.producer,
      WEBHOOK_JOBS: this.#webhooks.producer,
    };
  }

  /**
   * Runs some work on storage that fails by chance, or lets its worker die in the middle of it.
   *
   * @param isSilent whether calls of a dead worker are never answered. Work that outlives its request would be waited for, so its calls fail
   */
  async #disturbed<T>(
    work: (bindings: object) => Promise<T>,
    { isSilent = true }: { isSilent?: boolean } = {},
  ): Promise<T | undefined> {
    if (this.#isHealed) return await work(this.#bindings({}));
    const own = new Random(this.#random.int(0, 2 ** 30));
    const deathAt = own.next() < this.#weather.deaths ? own.int(1, 14) : Infinity;
    const { promise: death, resolve: die } = Promise.withResolvers<undefined>();
    const plan = (call: number): Error | "unanswered" | undefined => {
      if (call >= deathAt && !isSilent) return new Error("The worker is dead.");
      if (call >= deathAt) {
        die(undefined);
        return "unanswered";
      }
      return own.next() < this.#weather.storageFaults ? new Error("Network connection lost.") : undefined;
    };
    const { bindings } = faultyBindings(
      { MEDIA: env.MEDIA, ...this.#databases },
      plan,
      own.pick(["before", "after"]),
    );
    return await Promise.race([work(this.#bindings(bindings)), death]);
  }

  async #upload(): Promise<void> {
    const waiting = this.uploads.filter(({ media, tries }) => media === undefined && tries < MOST_TRIES);
    let upload = this.#random.next() < 0.5 ? this.#random.pick([...waiting, undefined]) : undefined;
    if (upload === undefined) {
      const key = `upload-${this.uploads.length}`;
      upload = { key, tries: 0, media: undefined, finalStatus: undefined, isDeleted: false };
      this.uploads.push(upload);
    }
    upload.tries += 1;
    const { key } = upload;
    const body = await uploadForm({ file: this.#source, filename: `${key}${this.#suffix}` });
    const response = await this.#disturbed(async (bindings) => {
      const headers = { "Idempotency-Key": key };
      return await callWith(bindings, "/media/redact", { method: "POST", headers, body, ...this.account });
    });
    if (response?.status !== 201) return;
    const media: MediaResponse = await response.json();
    if (upload.media !== undefined && upload.media.id !== media.id) {
      this.violations.push(`${key} was accepted twice: ${upload.media.id}, ${media.id}`);
    }
    upload.media ??= media;
  }

  /** Begins a resumable upload, sends the next bytes of one, or makes a media item of one that has arrived. */
  async #sendPiece(): Promise<void> {
    const open = this.#resumables.filter(({ isOver }) => !isOver);
    const upload = open.length < 2 ? undefined : this.#random.pick(open);
    if (upload === undefined) {
      await this.#beginResumable();
      return;
    }
    const offset = await this.#offsetOf(upload);
    if (offset === undefined) return;
    if (offset === this.#source.length) {
      await this.#redactResumable(upload);
      return;
    }
    const body = this.#source.slice(offset, offset + this.#random.int(2_000, 12_000));
    const response = await this.#disturbed(
      async (bindings) => await send(upload.path, { offset, body, bindings }),
      { isSilent: false },
    );
    if (response?.status === 204) upload.confirmedBytes = Number(response.headers.get("Upload-Offset"));
  }

  async #beginResumable(): Promise<void> {
    const key = `resumable-${this.#resumables.length}`;
    const headers = { "Upload-Metadata": `filename ${btoa(`${key}${this.#suffix}`)}` };
    const response = await this.#disturbed(
      async (bindings) => await create(this.account, this.#source.length, { headers, bindings }),
      { isSilent: false },
    );
    if (response?.status !== 201) return;
    const begun = await response.json<{ upload_id: string; expires_at: string }>();
    this.#resumables.push({
      key,
      path: `/uploads/${begun.upload_id}`,
      uploadId: begun.upload_id,
      expiresAtMs: Date.parse(begun.expires_at),
      confirmedBytes: 0,
      isOver: false,
    });
  }

  /** Where the client of an upload goes on: confirmed bytes are never lost. */
  async #offsetOf(upload: ClientResumable): Promise<number | undefined> {
    const { key, path, confirmedBytes, expiresAtMs } = upload;
    const response = await this.#disturbed(
      async (bindings) => await callWith(bindings, path, { method: "HEAD", headers: TUS }),
    );
    if (response?.status === 404 || response?.status === 410) {
      upload.isOver = true;
      if (this.#latestMs < expiresAtMs) this.violations.push(`${key} is gone before its time.`);
    }
    if (response?.status !== 200) return undefined;
    const offset = Number(response.headers.get("Upload-Offset"));
    if (offset < confirmedBytes)
      this.violations.push(`${key} went from ${confirmedBytes} back to ${offset}.`);
    return offset;
  }

  async #redactResumable(upload: ClientResumable): Promise<void> {
    if (upload.isOver) return;
    const { key, uploadId } = upload;
    const headers = { "Idempotency-Key": key };
    // Once this is tried, the upload may be used up although its client was not answered.
    upload.isOver = true;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const response = await this.#disturbed(
        async (bindings) => await redact(this.account, uploadId, { headers, bindings }),
        { isSilent: false },
      );
      if (response?.status === 201) {
        const media: MediaResponse = await response.json();
        this.uploads.push({ key, tries, media, finalStatus: undefined, isDeleted: false });
        return;
      }
    }
  }

  async #revise(): Promise<void> {
    const upload = this.#accepted();
    if (upload?.media === undefined) return;
    const key = `revision-${this.uploads.length}-of-${upload.key}`;
    const headers = { "Idempotency-Key": key, "Content-Type": "application/json" };
    const path = `/media/${upload.media.id}/revisions`;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const response = await this.#disturbed(async (bindings) => {
        const body = `{"redact":"all"}`;
        return await callWith(bindings, path, { method: "POST", headers, body, ...this.account });
      });
      if (response?.status === 404 || response?.status === 409) return;
      if (response?.status !== 201) continue;
      const media: MediaResponse = await response.json();
      this.uploads.push({ key, tries, media, finalStatus: undefined, isDeleted: false });
      return;
    }
  }

  async #work(queue: UnreliableQueue, most: number): Promise<boolean> {
    const batch = queue.batch(most);
    if (batch === undefined) return false;
    await this.#disturbed(async (bindings) => {
      if (queue === this.#images) await consumeImageJobs(batch, parseImageEnv(bindings));
      else await consumeWebhookJobs(batch, parseApiEnv(bindings));
    });
    return true;
  }

  async #sweep(): Promise<void> {
    await this.#disturbed(async (bindings) => await sweep(parseApiEnv(bindings)));
  }

  /** Asks for a move to the other database, or for the end of one. */
  async #move(): Promise<void> {
    const main = openDatabase(env.DB, "primary");
    const { accountId } = this.account;
    if (this.#random.next() < 0.15) {
      await abortMove(main, accountId);
      return;
    }
    const isSecond = (await findPlace(main, accountId))?.databaseName === "DB_2";
    this.moves += 1;
    await insertMove(main, { accountId, movingTo: isSecond ? "DB" : "DB_2", nowMs: Date.now() });
  }

  /** The database that has the account's data. */
  async home(): Promise<D1Database> {
    const place = await findPlace(openDatabase(env.DB, "primary"), this.account.accountId);
    return place?.databaseName === "DB_2" ? env.DB_2 : env.DB;
  }

  #accepted(): ClientUpload | undefined {
    const accepted = this.uploads.filter(({ media, isDeleted }) => media !== undefined && !isDeleted);
    return accepted.length === 0 ? undefined : this.#random.pick(accepted);
  }

  async #poll(): Promise<void> {
    const upload = this.#accepted();
    if (upload?.media === undefined) return;
    const id = upload.media.id;
    const response = await this.#disturbed(
      async (bindings) => await callWith(bindings, `/media/${id}`, this.account),
    );
    if (upload.isDeleted || response === undefined) return;
    if (response.status === 404) this.violations.push(`${id} was accepted and is not there.`);
    if (response.status !== 200) return;
    const { status } = await response.json<MediaResponse>();
    if (upload.finalStatus !== undefined && status !== upload.finalStatus) {
      this.violations.push(`${id} was ${upload.finalStatus} and is ${status}.`);
    }
    if (FINAL.has(status)) upload.finalStatus = status;
    if (this.#databases.DB_2 !== undefined) await this.#list(upload);
  }

  /** Lists the account's media: all are its own, and an accepted one is there. */
  async #list(upload: ClientUpload): Promise<void> {
    const response = await this.#disturbed(
      async (bindings) => await callWith(bindings, "/media?per_page=100", this.account),
    );
    if (response?.status !== 200) return;
    const { data } = await response.json<{ data: MediaResponse[] }>();
    for (const { id, filename } of data) {
      if (!filename.endsWith(this.#suffix)) this.violations.push(`${id} of another account was listed.`);
    }
    const isThere = data.some(({ id }) => id === upload.media?.id);
    if (!isThere && !upload.isDeleted) this.violations.push(`${upload.key} was accepted and is not listed.`);
  }

  /** How the names of this world's files end. */
  get #suffix(): string {
    return `-of-${this.seed}.png`;
  }

  async #remove(): Promise<void> {
    const upload = this.#accepted();
    if (upload?.media === undefined) return;
    upload.isDeleted = true;
    const id = upload.media.id;
    // A client that was not answered asks again.
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const response = await this.#disturbed(
        async (bindings) => await callWith(bindings, `/media/${id}`, { method: "DELETE", ...this.account }),
      );
      if (response?.status === 204 || response?.status === 404) return;
    }
    const last = await callWith(this.#bindings({}), `/media/${id}`, { method: "DELETE", ...this.account });
    // The account is being moved, and this client gives up.
    if (last.status === 503) upload.isDeleted = false;
  }

  async #isAtRest(): Promise<boolean> {
    const home = await this.home();
    const place = await findPlace(openDatabase(env.DB, "primary"), this.account.accountId);
    if ((place?.step ?? null) !== null) return false;
    const row = await home
      .prepare(
        `SELECT (SELECT count(*) FROM media WHERE account_id = ?1 AND status IN ('pending', 'queued', 'processing')) AS media,
              (SELECT count(*) FROM webhook_deliveries WHERE account_id = ?1 AND status = 'pending') AS deliveries,
              (SELECT count(*) FROM object_purges WHERE account_id = ?1)
                + (SELECT count(*) FROM resumable_uploads WHERE account_id = ?1) AS purges`,
      )
      .bind(this.account.accountId)
      .first<{ media: number; deliveries: number; purges: number }>();
    const isIdle = this.#images.isEmpty && this.#webhooks.isEmpty;
    return isIdle && row?.media === 0 && row.deliveries === 0 && row.purges === 0;
  }
}
