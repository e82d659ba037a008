import { createHash, randomUUID } from "node:crypto";
import { createReadStream, readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";

const blobSchema = z.object({ blob_id: z.string() });

/** How long a statement waits while the running service writes. */
const BUSY_TIMEOUT_MS = 10_000;

/** The folder of a service's simulated R2, in the layout that Miniflare uses. */
function bucketOf(folder: string, { readOnly = true } = {}): { database: DatabaseSync; blobs: string } {
  const root = join(folder, "state/v3/r2");
  const records = join(root, "miniflare-R2BucketObject");
  const file = readdirSync(records).find((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite");
  if (file === undefined) throw new Error("The service has no bucket.");
  return {
    database: new DatabaseSync(join(records, file), { readOnly, timeout: BUSY_TIMEOUT_MS }),
    blobs: join(root, "veil-media/blobs"),
  };
}

/**
 * Returns the number of stored pieces. It includes pieces of unfinished multipart uploads, and files that the simulation was
 * writing when it was killed.
 */
export function countStoredPieces(folder: string): { pieces: number; torn: readonly string[] } {
  const { database, blobs } = bucketOf(folder);
  database.close();
  const names = readdirSync(blobs);
  return {
    pieces: names.filter((name) => !name.startsWith(".")).length,
    torn: names.filter((name) => name.startsWith(".")),
  };
}

/** Returns the SHA-256 in hex of a stored object, computed over its pieces. */
export async function storedSha256(folder: string, key: string): Promise<string> {
  const { database, blobs } = bucketOf(folder);
  const rows = database
    .prepare(
      `SELECT blob_id FROM _mf_objects WHERE key = ?1 AND blob_id IS NOT NULL
       UNION ALL SELECT blob_id FROM (
         SELECT blob_id FROM _mf_multipart_parts WHERE object_key = ?1 ORDER BY part_number)`,
    )
    .all(key);
  database.close();
  const hash = createHash("sha256");
  for (const row of rows) {
    for await (const chunk of createReadStream(join(blobs, blobSchema.parse(row).blob_id)))
      hash.update(chunk as Buffer);
  }
  return hash.digest("hex");
}

/** Returns the text of a small stored object; undefined if there is none. */
export async function storedText(folder: string, key: string): Promise<string | undefined> {
  const { database, blobs } = bucketOf(folder);
  const row = database.prepare("SELECT blob_id FROM _mf_objects WHERE key = ?").get(key);
  database.close();
  return row === undefined ? undefined : await readFile(join(blobs, blobSchema.parse(row).blob_id), "utf8");
}

/** Replaces the text of a small stored object, whether or not the service is running. Throws if there is none. */
export async function replaceStoredText(folder: string, key: string, text: string): Promise<void> {
  const { database, blobs } = bucketOf(folder, { readOnly: false });
  const bytes = Buffer.from(text);
  const blob = `${randomUUID()}-replaced`;
  try {
    await writeFile(join(blobs, blob), bytes);
    const { changes } = database
      .prepare("UPDATE _mf_objects SET blob_id = ?, size = ?, etag = ? WHERE key = ?")
      .run(blob, bytes.length, createHash("md5").update(bytes).digest("hex"), key);
    if (changes !== 1) throw new Error(`The bucket has no object ${key}.`);
  } finally {
    database.close();
  }
}
