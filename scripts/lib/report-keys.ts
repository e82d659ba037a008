import { listReportKeys, replaceSigningKey } from "../../src/records/report/report-keys.repository.ts";
import { newReportKey } from "../../src/records/report/report-keys.service.ts";
import type { DatabaseTarget } from "./database.ts";
import { encryptionKeys } from "./service-keys.ts";
import { outsideDatabase } from "./outside-connection.ts";

/** Creates a new key for reports. Reports signed with the replaced key can still be verified. */
export async function rotateReportKey(
  target: DatabaseTarget,
): Promise<{ keyId: string; replaced: string | null }> {
  const key = await newReportKey(await encryptionKeys(target), Date.now());
  const replaced = await replaceSigningKey(outsideDatabase(target), key);
  return { keyId: key.id, replaced: replaced ?? null };
}

/** The keys of reports, without their private parts, newest first. */
export async function listKeysOfReports(target: DatabaseTarget) {
  const keys = await listReportKeys(outsideDatabase(target));
  return keys.map(({ id: keyId, createdAt, replacedAt, encryptedWith }) => ({
    keyId,
    createdAt,
    replacedAt,
    encryptedWith,
  }));
}
