import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { z } from "zod";
import { randomToken, toBase64Url } from "../../src/ground/platform/ids.ts";
import { ROOT } from "./wrangler.ts";

/** Where the local service keeps its data: `.veil/` in the repository, or the folder that `VEIL_DIR` names. */
export const LOCAL_DIRECTORY = resolve(ROOT, process.env["VEIL_DIR"] ?? ".veil");

/** Where the local database, objects and Durable Objects are. */
export const STATE_DIRECTORY = join(LOCAL_DIRECTORY, "state");

const SERVICE_FILE = join(LOCAL_DIRECTORY, "service.json");
const ACCOUNT_FILE = join(LOCAL_DIRECTORY, "account.json");

const serviceSchema = z.object({
  baseUrl: z.string(),
  dashboardUrl: z.string(),
  /** Signs the local user in. Valid until the service stops. */
  signInUrl: z.string(),
  apiKey: z.string(),
  inferenceUrl: z.string(),
  inferenceToken: z.string(),
  /** This script's own process, the inference service and the Workers, in this order. */
  pids: z.array(z.number()),
});

/** The description of the running service in `.veil/service.json`. */
export type ServiceDescription = z.output<typeof serviceSchema>;

const accountSchema = z.object({ accountId: z.string(), apiKey: z.string() });

/** The account that `npm start` creates. */
export type LocalAccount = z.output<typeof accountSchema>;

const SECRETS_FILE = join(LOCAL_DIRECTORY, "secrets.json");
const secretsSchema = z.object({ webhookSecretKey: z.string(), authSecret: z.string() });

/**
 * The keys with which the local service encrypts and signs. They are stored, because they must survive a restart. Missing ones are
 * created.
 */
export async function localSecrets(): Promise<z.output<typeof secretsSchema>> {
  const known = await readJson(SECRETS_FILE, secretsSchema.partial());
  const secrets = {
    webhookSecretKey: known?.webhookSecretKey ?? newEncryptionKey(),
    authSecret: known?.authSecret ?? randomToken(),
  };
  await writeJson(SECRETS_FILE, secrets);
  return secrets;
}

/** The local service that the folder of local state describes. Undefined if there is none. */
export async function readService(): Promise<ServiceDescription | undefined> {
  return await readJson(SERVICE_FILE, serviceSchema);
}

/** Stores the description of the local service. */
export async function writeService(service: ServiceDescription): Promise<void> {
  await writeJson(SERVICE_FILE, service);
}

/** The account of the local service. Undefined if none was made. */
export async function readLocalAccount(): Promise<LocalAccount | undefined> {
  return await readJson(ACCOUNT_FILE, accountSchema);
}

/** Stores the account of the local service. */
export async function writeLocalAccount(account: LocalAccount): Promise<void> {
  await writeJson(ACCOUNT_FILE, account);
}

async function readJson<T>(file: string, schema: z.ZodType<T>): Promise<T | undefined> {
  if (!existsSync(file)) return undefined;
  const result = schema.safeParse(JSON.parse(await readFile(file, "utf8")));
  return result.success ? result.data : undefined;
}

/** Writes a file atomically and only readable by its owner, because it holds keys. */
async function writeJson(file: string, value: unknown): Promise<void> {
  await mkdir(LOCAL_DIRECTORY, { recursive: true });
  await writeFile(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

const KEY_BYTES = 32;

/** A new AES-256 key in base64url for `WEBHOOK_SECRET_KEYS`. */
export function newEncryptionKey(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
}
