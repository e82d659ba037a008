import { join } from "node:path";
import { provide } from "./cloud-resources.ts";
import { MAKERS, halfSets, lackingSecrets, wrongSecrets } from "./deployed-settings.ts";
import { WORKERS } from "./deployed-workers.ts";
import type { Environment, Location, Placement } from "./environments.ts";
import { placementOf, resourcesOf } from "./worker-configs.ts";
import { brokenLimits, measureScript, readDeployRecord, sizeLimitOf } from "./worker-scripts.ts";
import type { SecretsFile } from "./secrets-file.ts";
import { missingSecrets, writeSecretsOf, type MissingSecrets } from "./worker-secrets.ts";
import type { Wrangler } from "./wrangler.ts";

const DEPLOY_TIMEOUT_MS = 600_000;
const HEALTH_TIMEOUT_MS = 10_000;

/** What a deployment works with: a folder of its own, and where each step is told. */
interface Deployment {
  readonly environment: Environment;
  readonly folder: string;
  /** Where the database and the bucket should be created. A jurisdiction overrides it. */
  readonly location?: Location | undefined;
  /** Where the wrangler files are, unless it is the repository's root. */
  readonly configFolder?: string;
  readonly tell: (line: string) => void;
}

/**
 * Shows what a deployment would find, make and deploy, and what each script weighs; needs no account.
 *
 * @param file undefined when there is no file of secrets: they may be set already, which only the account knows
 * @throws when the secrets are not what production needs, or a script is too heavy or too slow to start
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
  tell(`Would find or create, and then bring the database to the newest schema:`);
  const where = placeOf(placement);
  for (const name of databases) tell(`  D1 database  ${name}${where}`);
  for (const name of buckets) tell(`  R2 bucket    ${name}${where}`);
  for (const name of queues) tell(`  Queue        ${name}`);
  tell(`\nWould deploy, in this order:`);
  await checkScripts(wrangler, { environment, folder, tell });
}

/** Builds and weighs each script, and starts it. @throws when one is too heavy or too slow to start */
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
 * Deploys an environment: what it needs is found or made, the database brought to the newest schema, each Worker deployed
 * and its secrets checked. Every step may be repeated, so a run that broke off is resumed by the next.
 *
 * @throws when a secret is wrong, before anything is done; WranglerError at the first step that fails
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
  await wrangler(["d1", "migrations", "apply", "DB", "-c", "wrangler.toml", "-e", environment, "--remote"], {
    timeoutMs: DEPLOY_TIMEOUT_MS,
  });
  tell("Database: at the newest schema");
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

/** Where people reach the service: at its domain if it has one, else at the first address that wrangler tells. */
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
