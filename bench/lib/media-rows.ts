import { query, type DatabaseTarget } from "../../scripts/lib/database.ts";

const BATCH_ROWS = 10_000;

/** Returns the id of the row with the given number. Numbers are unique within one database. */
export function mediaIdOf(number: number): string {
  return `019a9c4e-6f1a-7c11-8f8e-${number.toString(16).padStart(12, "0")}`;
}

/** Inserts completed media items whose times are a second apart. Values: first number, last number, account. */
export const MEDIA_ROWS = `WITH RECURSIVE numbers(n) AS (SELECT ? UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
       INSERT INTO media (id, account_id, status, filename, media_type, format, categories, redaction_method,
         file_size_bytes, width_pixels, height_pixels, origin, request_id, created_at, processed_at, quota_units,
         period_start, attempts, output_size_bytes)
       SELECT '019a9c4e-6f1a-7c11-8f8e-' || printf('%012x', n), ?, 'completed', 'photo-' || n || '.jpg', 'image',
         'jpeg', '["heads","license_plates"]', 'blur', 482133, 1920, 1080, 'http://127.0.0.1', 'req_bench',
         1790000000000 + n * 1000, 1790000002000 + n * 1000, 1, '2026-09-01', 1, 481002
       FROM numbers`;

/** Fills an account with completed media items, numbered from `firstNumber`, whose times are a second apart. */
export async function insertMediaRows(
  target: DatabaseTarget,
  { accountId, count, firstNumber }: { accountId: string; count: number; firstNumber: number },
): Promise<void> {
  for (let done = 0; done < count; done += BATCH_ROWS) {
    const from = firstNumber + done;
    const upTo = firstNumber + Math.min(count, done + BATCH_ROWS) - 1;
    await query(target, MEDIA_ROWS, [from, upTo, accountId]);
  }
}

/** The ID of the row with a number, in SQL. */
function idOf(number: string): string {
  return `'019a9c4e-6f1a-7c11-8f8e-' || printf('%012x', ${number})`;
}

/**
 * Adds revisions to completed media items, numbered from `firstNumber`: each gets `versions` minus one, whose numbers begin at
 * `firstVersionNumber`. Triggers make the last one current.
 */
export async function insertVersionRows(
  target: DatabaseTarget,
  {
    count,
    firstNumber,
    firstVersionNumber,
    versions,
  }: { count: number; firstNumber: number; firstVersionNumber: number; versions: number },
): Promise<void> {
  for (let version = 1; version < versions; version++) {
    const shift = firstVersionNumber - firstNumber + (version - 1) * count;
    const numbers =
      "WITH RECURSIVE numbers(n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2)";
    const values = [firstNumber, firstNumber + count - 1, shift];
    await query(
      target,
      `${numbers} INSERT INTO media (id, account_id, status, filename, media_type, format, categories, redaction_method,
         file_size_bytes, width_pixels, height_pixels, origin, request_id, created_at, processed_at, quota_units,
         period_start, attempts, output_size_bytes)
       SELECT ${idOf("n + ?3")}, account_id, status, filename, media_type, format, categories, redaction_method,
         file_size_bytes, width_pixels, height_pixels, origin, request_id, created_at + ${version} * 100000000, processed_at, 0,
         period_start, attempts, output_size_bytes
       FROM numbers JOIN media ON media.id = ${idOf("n")}`,
      values,
    );
    await query(
      target,
      `${numbers} INSERT INTO media_revisions (media_id, account_id, first_media_id, analysis_media_id)
       SELECT ${idOf("n + ?3")}, account_id, media.id, media.id FROM numbers JOIN media ON media.id = ${idOf("n")}`,
      values,
    );
  }
}
