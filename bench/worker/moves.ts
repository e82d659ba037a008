import { openDatabase } from "../../src/ground/platform/database.ts";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { findPlace, insertMove } from "../../src/work/moving/account-moves.repository.ts";
import { moveAccounts } from "../../src/work/moving/account-moves.service.ts";

const PAGE_ROWS = 1_000;
const DETECTION = { category: "heads", confidence: 0.91, box: { x: 812, y: 214, width: 96, height: 118 } };
const DETECTIONS = JSON.stringify(Array.from({ length: 8 }, () => DETECTION));
const PAYLOAD = JSON.stringify({ media: "x".repeat(900) });

/** What an account has beside its media items, one row for each of them. */
const FILLED = {
  media_detections: `(media_id, account_id, detections) SELECT id, account_id, '${DETECTIONS}' FROM media`,
  masking_options: `(media_id, account_id, options) SELECT id, account_id, '{"sensitivity":"high","audio":"keep"}' FROM media`,
  events: `(id, account_id, media_id, kind, payload, request_id, created_at)
    SELECT 'evt_' || id, account_id, id, 'media.processed', '${PAYLOAD}', 'req_bench', created_at FROM media`,
} as const;
const COPIED_TABLES: readonly string[] = ["media", ...Object.keys(FILLED)];

/** How long a move took, and a plain copy of the same rows. */
export interface MoveTimes {
  /** The milliseconds of each run of the mover. The sweeper makes one each minute. */
  readonly runsMs: readonly number[];
  readonly bareMs: number;
  readonly rows: number;
}

/** Copies the rows of the account with all media plainly, then moves it from one database to the other, and measures both. */
export async function measureMove(bindings: { DB: D1Database; DB_2: D1Database }): Promise<MoveTimes> {
  const { DB, DB_2: second } = bindings;
  for (const [table, rows] of Object.entries(FILLED)) await DB.prepare(`INSERT INTO ${table} ${rows}`).run();
  const { rows, bareMs } = await copyBare(DB, second);
  const main = openDatabase(DB, "primary");
  const account = await DB.prepare("SELECT id FROM accounts LIMIT 1").first<{ id: string }>();
  const accountId = account?.id ?? "";
  await insertMove(main, { accountId, movingTo: "DB_2", nowMs: Date.now() });
  const runsMs: number[] = [];
  for (let step: string | null = "freezing"; step !== null;) {
    const startedAtMs = Date.now();
    await moveAccounts(parseApiEnv(bindings));
    runsMs.push(Date.now() - startedAtMs);
    step = (await findPlace(main, accountId))?.step ?? null;
  }
  const moved = await second.prepare("SELECT count(*) AS total FROM media").first<{ total: number }>();
  if (moved === null || moved.total * COPIED_TABLES.length !== rows) throw new Error("The move lost rows.");
  return { runsMs, bareMs, rows };
}

/** Reads the same rows page by page, and writes them to tables without indexes and triggers. */
async function copyBare(from: D1Database, to: D1Database): Promise<{ rows: number; bareMs: number }> {
  for (const table of COPIED_TABLES) await to.exec(`CREATE TABLE bare_${table} AS SELECT * FROM ${table}`);
  const startedAtMs = Date.now();
  let rows = 0;
  for (const table of COPIED_TABLES) {
    let after: unknown = 0;
    for (;;) {
      const { results } = await from
        .prepare(`SELECT rowid AS "rowid", * FROM ${table} WHERE rowid > ? ORDER BY rowid LIMIT ${PAGE_ROWS}`)
        .bind(after)
        .all();
      const [first] = results;
      if (first === undefined) break;
      const columns = Object.keys(first).filter((column) => column !== "rowid");
      const values = columns.map((column) => `value ->> '${column}'`).join(", ");
      await to
        .prepare(`INSERT INTO bare_${table} SELECT ${values} FROM json_each(?)`)
        .bind(JSON.stringify(results))
        .run();
      rows += results.length;
      after = results.at(-1)?.["rowid"];
    }
  }
  const bareMs = Date.now() - startedAtMs;
  for (const table of COPIED_TABLES) await to.exec(`DROP TABLE bare_${table}`);
  return { rows, bareMs };
}
