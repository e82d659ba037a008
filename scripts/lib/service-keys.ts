import type { DatabaseTarget } from "./database.ts";
import { localSecrets } from "./local.ts";

/** The encryption keys of the service: stored ones for a local service, and those of the environment for a deployed one. */
export async function encryptionKeys(target: DatabaseTarget): Promise<string[]> {
  if ("local" in target) return [(await localSecrets()).webhookSecretKey];
  const keys = (process.env["WEBHOOK_SECRET_KEYS"] ?? "").split(/[\s,]+/).filter((key) => key !== "");
  if (keys.length === 0)
    throw new Error("WEBHOOK_SECRET_KEYS is missing: the deployed service could not read the secret.");
  return keys;
}
