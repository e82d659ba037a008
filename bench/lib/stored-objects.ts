import { createHash } from "node:crypto";
import { createReadStream, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";

const blobSchema = z.object({ blob_id: z.string() });

/** The folder of a service's simulated R2, in the layout that Miniflare uses. */
function bucketOf(folder: string): { database: DatabaseSync; blobs: string } {
  const root = join(folder, "state/v3/r2");
  const records = join(root, "miniflare-R2BucketObject");
  const file = readdirSync(records).find((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite");
  if (file === undefined) throw new Error("The service has no bucket.");
  return {
    database: new DatabaseSync(join(records, file), { readOnly: true }),
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
