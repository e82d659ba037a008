import { join } from "node:path";
import { inject } from "vitest";
import { queryLocal } from "../../scripts/lib/local-database.ts";

const HOUR_MS = 3_600_000;

/**
 * Fails these files of the running service as after a job's last attempt: their results are removed from the record, their originals are
 * kept. A real failure would take nine attempts in half an hour.
 */
export async function failFiles(names: readonly string[]): Promise<void> {
  const now = Date.now();
  await queryLocal(
    join(inject("service").directory, "state"),
    names.map((name) => ({
      text: `UPDATE media SET status = 'failed', failure_code = 'retries_spent', failed_at = ?, processed_at = NULL,
               output_size_bytes = NULL, output_expires_at = NULL, source_expires_at = ?
             WHERE filename = ? AND current_version_id IS NULL`,
      values: [now, now + HOUR_MS, name],
    })),
  );
}
