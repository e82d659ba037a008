import { join } from "node:path";
import { Miniflare, convertV4MiniflareOptions, type V4WorkerOptions } from "miniflare";
import { unstable_getMiniflareWorkerOptions as readWorkerOptions } from "wrangler";
import { ROOT } from "../lib/wrangler.ts";
import { migrate } from "./migrations.ts";

/**
 * Brings the database in a folder of local state to the newest schema, and makes it where there is none. One runtime
 * applies all migrations; `wrangler d1 migrations apply` takes ten seconds of a processor for the same.
 */
export async function migrateFolder(stateDirectory: string): Promise<void> {
  const { workerOptions } = readWorkerOptions(join(ROOT, "wrangler.toml"));
  const { d1Databases }: V4WorkerOptions = { ...workerOptions, modules: true, script: "" };
  // As `wrangler --persist-to` lays it out.
  const store = join(stateDirectory, "v3");
  const shared = { cf: false, resourcePersistencePath: store, isolatedResourcePersistencePath: store };
  const worker = { name: "veil-migrations", modules: true, script: "", ...(d1Databases && { d1Databases }) };
  const runtime = new Miniflare({ ...convertV4MiniflareOptions({ ...worker, ...shared }), ...shared });
  try {
    await migrate(await runtime.getD1Database("DB"));
  } finally {
    await runtime.dispose();
  }
}
