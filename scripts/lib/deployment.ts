import { join } from "node:path";
import { provide } from "./cloud-resources.ts";
import { MAKERS, halfSets, lackingSecrets, wrongSecrets } from "./deployed-settings.ts";
import { WORKERS } from "./deployed-workers.ts";
import type { Environment, Location, Placement } from "./environments.ts";
import { databaseBindings, placementOf, resourcesOf } from "./worker-configs.ts";
import { brokenLimits, measureScript, readDeployRecord, sizeLimitOf } from "./worker-scripts.ts";
import type { SecretsFile } from "./secrets-file.ts";
import { missingSecrets, writeSecretsOf, type MissingSecrets } from "./worker-secrets.ts";
import type { Wrangler } from "./wrangler.ts";

const DEPLOY_TIMEOUT_MS = 600_000;
const HEALTH_TIMEOUT_MS = 10_000;

/** The context of a deployment: its own folder, and a function that reports each step. */
interface Deployment {
  readonly environment: Environment;
  readonly folder: string;
  /** Where the database and the bucket should be created. A jurisdiction overrides it. */
  readonly location?: Location | undefined;
  /** The folder of the wrangler files; the repository's root by default. */
  readonly configFolder?: string;
  readonly tell: (line: string) => void;
}

/**
 * Shows what a deployment would create and deploy, and the size of each script. Needs no account.
 *
 * @param file undefined if there is no file of secrets, which may already be set in the account
 * @throws if the secrets are not what production needs, or a script is too large or too slow to start
 */
export async function dryRun(
  wrangler: Wrangler,
  { environment, folder, file, location, configFolder, tell }: Deployment & { file: SecretsFile | undefined },
): Promise<void> {
  const placement = { ...placementOf(environment, configFolder), location };
  if (file === undefined) {
    tell(`Secrets: not checked. Name the file with --secrets FILE to check them.`);
    for (const sentence of lackingSecrets({})) tell(`  ${sentence}`);
  } else {
    const lacking = lackingSecrets(file.secrets);
    const faults = [...file.faults, ...wrongSecrets(file.secrets, placement), ...lacking];
    // The first deployment reveals the address to use as PUBLIC_URL.
    if (faults.some((sentence) => !sentence.startsWith("PUBLIC_URL "))) refuse(faults);
    const [warning] = lacking;
    tell(warning === undefined ? "Secrets: complete" : `Secrets: one is missing.\n  Warning: ${warning}`);
  }
  const { databases, buckets, queues } = resourcesOf(environment, configFolder);
  tell(
    `Would find or create, and then bring the ${databases.length === 1 ? "database" : "databases"} to the newest schema:`,
  );
  const where = placeOf(placement);
  for (const name of databases) tell(`  D1 database  ${name}${where}`);
  for (const name of buckets) tell(`  R2 bucket    ${name}${where}`);
  for (const name of queues) tell(`  Queue        ${name}`);
  tell(`\nWould deploy, in this order:`);
  await checkScripts(wrangler, { environment, folder, tell });
}

/** Builds, measures and starts each script. @throws if one is too large or too slow to start */
async function checkScripts(
  wrangler: Wrangler,
  { environment, folder, tell }: Pick<Deployment, "environment" | "folder" | "tell">,
): Promise<void> {
  const broken: string[] = [];
  for (const worker of WORKERS) {
    const measure = await measureScript(wrangler, worker, { environment, folder });
    const { sizeBytes, gzipBytes, startUpMs } = measure;
    const start =
      startUpMs === undefined
        ? "warning: workerd timed out twice, so the time to start is unknown"
        : `${startUpMs.toFixed(0)} ms to start`;
    const limit = sizeLimitOf(worker);
    tell(
      `  veil-${environment}-${worker.kind}: ${megabytes(sizeBytes)} of ${megabytes(limit.bytes)} (${limit.setBy}); ${megabytes(gzipBytes)} compressed; ${start}`,
    );
    broken.push(...brokenLimits(measure));
  }
  if (broken.length > 0) throw new Error(broken.join("\n"));
}

/**
 * Deploys an environment: creates missing resources, migrates the databases, deploys each Worker, and checks its secrets. Every step is
 * safe to repeat, so another run continues an interrupted one.
 *
 * @throws before anything is done if a secret is wrong; WranglerError at the first step that fails
 */
export async function deploy(
  wrangler: Wrangler,
  { environment, folder, file, location, configFolder, tell }: Deployment & { file: SecretsFile },
): Promise<void> {
  const { secrets } = file;
  const placement = { ...placementOf(environment, configFolder), location };
  refuse([...file.faults, ...wrongSecrets(secrets, placement), ...halfSets(secrets)]);
  await signedIn(wrangler);
  tell("Checking the scripts:");
  await checkScripts(wrangler, { environment, folder, tell });
  await provide(
    wrangler,
    { ...resourcesOf(environment, configFolder), placement },
    ({ kind, name, outcome }) => {
      tell(`${kind} ${name}: ${outcome}`);
    },
  );
  for (const database of databaseBindings(environment, configFolder)) {
    await wrangler(
      ["d1", "migrations", "apply", database, "-c", "wrangler.toml", "-e", environment, "--remote"],
      { timeoutMs: DEPLOY_TIMEOUT_MS },
    );
    tell(`Database ${database}: at the newest schema`);
  }
  const allTargets: string[] = [];
  for (const worker of WORKERS) {
    const record = join(folder, `${worker.kind}.record`);
    const secretsFile = await writeSecretsOf(worker, secrets, folder);
    await wrangler(
      [
        "deploy",
        "-c",
        worker.configFile,
        "-e",
        environment,
        ...(secretsFile === undefined ? [] : [`--secrets-file=${secretsFile}`]),
      ],
      { timeoutMs: DEPLOY_TIMEOUT_MS, environment: { WRANGLER_OUTPUT_FILE_PATH: record } },
    );
    const { targets = [] } = await readDeployRecord(record);
    allTargets.push(...targets);
    tell(`Worker veil-${environment}-${worker.kind}: deployed`);
  }
  const missing = await missingSecrets(wrangler, environment, secrets);
  await tellNextSteps({ environment, address: addressOf(placement, allTargets), missing, tell });
}

function refuse(sentences: readonly string[]): void {
  if (sentences.length === 0) return;
  throw new Error(
    `Nothing was deployed. The secrets need changes:\n${sentences.map((text) => `  ${text}`).join("\n")}`,
  );
}

function placeOf({ jurisdiction, location }: Placement): string {
  if (jurisdiction !== undefined) return ` (jurisdiction ${jurisdiction})`;
  return location === undefined ? "" : ` (location ${location})`;
}

async function signedIn(wrangler: Wrangler): Promise<void> {
  try {
    await wrangler(["whoami", "--json"]);
  } catch (cause) {
    throw new Error(
      "wrangler is not signed in: run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID.",
      { cause },
    );
  }
}

/** The address of the service: its domain if it has one, or else the first address that wrangler reports. */
export function addressOf({ domain }: Placement, targets: readonly string[]): string | undefined {
  return domain === undefined ? targets.find((target) => /^https?:/.test(target)) : `https://${domain}`;
}

async function tellNextSteps({
  environment,
  address,
  missing,
  tell,
}: Pick<Deployment, "environment" | "tell"> & {
  address: string | undefined;
  missing: readonly MissingSecrets[];
}): Promise<void> {
  const isComplete = missing.every(({ required }) => required.length === 0);
  tell(`\nVeil is deployed${address === undefined ? "" : ` at ${address}`}.`);
  for (const { worker, required, advised, leftOver } of missing) {
    const put = (name: string): string => {
      const known = name === "PUBLIC_URL" && address !== undefined ? `echo ${address}` : MAKERS[name];
      const maker = known === undefined ? "" : `${known} | `;
      return `  ${maker}npx wrangler secret put ${name} -c ${worker.configFile} -e ${environment}`;
    };
    if (required.length > 0) tell(`\nThe ${worker.kind} Worker does not work without:`);
    for (const name of required) tell(put(name));
    if (advised.length > 0)
      tell(`\nThe ${worker.kind} Worker works without these, which are optional but recommended:`);
    for (const name of advised) tell(put(name));
    if (leftOver.length > 0)
      tell(`\nThe ${worker.kind} Worker keeps secrets that the file does not hold. To delete them:`);
    for (const name of leftOver) {
      tell(`  npx wrangler secret delete ${name} -c ${worker.configFile} -e ${environment}`);
    }
  }
  if (!isComplete) {
    tell("\nSet them, keep a copy, and run this command again to check.");
    return;
  }
  if (address !== undefined) await tellHealth(address, tell);
  tell(`\nNext: npm run -s admin -- account create --name "First" --env ${environment} --json`);
}

async function tellHealth(address: string, tell: Deployment["tell"]): Promise<void> {
  const url = new URL("/healthz", address);
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    tell(`\n${url.href} answers ${response.status}: ${(await response.text()).slice(0, 500)}`);
  } catch {
    tell(`\n${url.href} does not answer yet; a new address may take a minute.`);
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`;
}
