import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { WORKERS, type WorkerScript } from "./deployed-workers.ts";
import { nearest } from "../../packages/client/src/cli/nearest.ts";
import { workerConfig } from "./worker-configs.ts";
import type { Environment } from "./environments.ts";
import { WranglerError, type Wrangler } from "./wrangler.ts";

/** The variables that `DETECTOR=huggingface` needs. */
export const HUGGING_FACE_VARIABLES = ["HUGGINGFACE_URL", "HUGGINGFACE_TOKEN", "HUGGINGFACE_LABELS"] as const;

const secretsSchema = z.array(z.looseObject({ name: z.string() }));

/** Secrets by name. */
export type Secrets = Readonly<Record<string, string>>;

/** The secrets that a Worker lacks. Without the required ones, it refuses to start or fails on jobs that the API accepts. */
export interface MissingSecrets {
  readonly worker: WorkerScript;
  readonly required: readonly string[];
  readonly advised: readonly string[];
  /** Secrets that the Worker keeps although the file no longer holds them. */
  readonly leftOver: readonly string[];
}

/** Names that no deployed Worker may have, and a sentence about each. */
export function unknownSecrets(secrets: Secrets): Map<string, string> {
  const known = new Set(WORKERS.flatMap(({ variables }) => variables));
  const strangers = Object.keys(secrets).filter((name) => !known.has(name) || name.startsWith("LOCAL_"));
  return new Map(strangers.map((name) => [name, `${name}: ${sentenceAbout(name, [...known])}`]));
}

function sentenceAbout(name: string, known: readonly string[]): string {
  if (name.startsWith("LOCAL_")) return "This is for npm start alone and must not be deployed.";
  const meant = nearest(name, known);
  const hint = meant === undefined ? "docs/operating.md lists what they read." : `Did you mean ${meant}?`;
  return `No Worker reads this. ${hint}`;
}

/** Writes the secrets that a Worker reads to a file in a folder and returns the file; undefined if it reads none. */
export async function writeSecretsOf(
  worker: WorkerScript,
  secrets: Secrets,
  folder: string,
): Promise<string | undefined> {
  const own = Object.entries(secrets).filter(
    ([name, value]) => value !== "" && worker.variables.includes(name),
  );
  if (own.length === 0) return undefined;
  const file = join(folder, `${worker.kind}.json`);
  await writeFile(file, JSON.stringify(Object.fromEntries(own)), { mode: 0o600 });
  return file;
}

/**
 * Compares the secrets of the deployed Workers with the needed ones and returns which each lacks. Variables of their configuration count
 * as set.
 */
export async function missingSecrets(
  wrangler: Wrangler,
  environment: Environment,
  secrets: Secrets,
): Promise<readonly MissingSecrets[]> {
  const all: MissingSecrets[] = [];
  const hasFile = Object.keys(secrets).length > 0;
  for (const worker of WORKERS) {
    const stored = await storedSecrets(wrangler, worker, environment);
    const set = new Set([...stored, ...Object.keys(workerConfig(worker, environment).vars)]);
    const { required, advised } = wantedSecrets(worker, set);
    all.push({
      worker,
      required: required.filter((name) => !set.has(name)),
      advised: advised.filter((name) => !set.has(name)),
      leftOver: hasFile ? stored.filter((name) => (secrets[name] ?? "") === "") : [],
    });
  }
  return all;
}

/**
 * The secrets that a Worker requires, and the optional ones that it can use.
 *
 * @param detectorKind the value of DETECTOR; undefined if only names are known
 */
export function wantedSecrets(
  { kind }: WorkerScript,
  set: ReadonlySet<string>,
  detectorKind?: string,
): { required: readonly string[]; advised: readonly string[] } {
  const usesHuggingFace =
    detectorKind === undefined ? set.has("HUGGINGFACE_URL") : detectorKind === "huggingface";
  const detector = usesHuggingFace
    ? ["DETECTOR", ...HUGGING_FACE_VARIABLES]
    : ["INFERENCE_URL", "INFERENCE_TOKEN"];
  switch (kind) {
    case "image":
    case "video":
      return { required: detector, advised: [] };
    case "api":
      return {
        required: [...detector, "PUBLIC_URL", "WEBHOOK_SECRET_KEYS"],
        advised: ["AUTH_SECRET"],
      };
  }
}

/** Names of the secrets that a deployed Worker has. */
async function storedSecrets(
  wrangler: Wrangler,
  worker: WorkerScript,
  environment: Environment,
): Promise<readonly string[]> {
  const output = await wrangler([
    "secret",
    "list",
    "-c",
    worker.configFile,
    "-e",
    environment,
    "--format=json",
  ]);
  const start = output.indexOf("[");
  if (start < 0) throw new WranglerError("wrangler secret list printed no JSON.");
  return secretsSchema.parse(JSON.parse(output.slice(start))).map(({ name }) => name);
}
