import { join } from "node:path";
import { provide } from "./cloud-resources.ts";
import { MAKERS, lackingSecrets, wrongSecrets } from "./deployed-settings.ts";
import { WORKERS } from "./deployed-workers.ts";
import { PLACEMENTS, type Environment } from "./environments.ts";
import { resourcesOf } from "./worker-configs.ts";
import { brokenLimits, measureScript, readDeployRecord } from "./worker-scripts.ts";
import { missingSecrets, writeSecretsOf, type MissingSecrets, type Secrets } from "./worker-secrets.ts";
import type { Wrangler } from "./wrangler.ts";

const DEPLOY_TIMEOUT_MS = 600_000;
const HEALTH_TIMEOUT_MS = 10_000;

/** What a deployment works with: a folder of its own, and where each step is told. */
interface Deployment {
  readonly environment: Environment;
  readonly folder: string;
  readonly tell: (line: string) => void;
}

/**
 * Shows what a deployment would find, make and deploy, and what each script weighs; needs no account.
 *
 * @param secrets undefined when there is no file of secrets: they may be set already, which only the account knows
 * @throws when the secrets are not what production needs, or a script is too heavy or too slow to start
 */
export async function dryRun(
  wrangler: Wrangler,
  { environment, folder, secrets, tell }: Deployment & { secrets: Secrets | undefined },
): Promise<void> {
  if (secrets === undefined) {
    tell(`Secrets: not checked. Name the file with --secrets FILE to check them.`);
    for (const sentence of lackingSecrets({})) tell(`  ${sentence}`);
  } else {
    refuse([...wrongSecrets(secrets, environment), ...lackingSecrets(secrets)]);
    tell("Secrets: complete");
  }
  const { databases, buckets, queues } = resourcesOf(environment);
  tell(`Would find or create, and then bring the database to the newest schema:`);
  const where = placeOf(environment);
  for (const name of databases) tell(`  D1 database  ${name}${where}`);
  for (const name of buckets) tell(`  R2 bucket    ${name}${where}`);
  for (const name of queues) tell(`  Queue        ${name}`);
  tell(`\nWould deploy, in this order:`);
  const broken: string[] = [];
  for (const worker of WORKERS) {
    const measure = await measureScript(wrangler, worker, { environment, folder });
    const { sizeBytes, gzipBytes, startUpMs } = measure;
    tell(
      `  veil-${environment}-${worker.kind}: ${megabytes(sizeBytes)} (${megabytes(gzipBytes)} compressed), ${startUpMs.toFixed(0)} ms to start`,
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
  { environment, folder, secrets, tell }: Deployment & { secrets: Secrets },
): Promise<void> {
  refuse(wrongSecrets(secrets, environment));
  await signedIn(wrangler);
  await provide(
    wrangler,
    { ...resourcesOf(environment), placement: PLACEMENTS[environment] },
    ({ kind, name, outcome }) => {
      tell(`${kind} ${name}: ${outcome}`);
    },
  );
  await wrangler(["d1", "migrations", "apply", "DB", "-c", "wrangler.json", "-e", environment, "--remote"], {
    timeoutMs: DEPLOY_TIMEOUT_MS,
  });
  tell("Database: at the newest schema");
  const addresses: string[] = [];
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
    addresses.push(...targets.filter((target) => /^https?:/.test(target)));
    tell(`Worker veil-${environment}-${worker.kind}: deployed`);
  }
  const missing = await missingSecrets(wrangler, environment);
  await tellNextSteps({ environment, addresses, missing, tell });
}

function refuse(sentences: readonly string[]): void {
  if (sentences.length === 0) return;
  throw new Error(
    `Nothing was deployed. The secrets need changes:\n${sentences.map((text) => `  ${text}`).join("\n")}`,
  );
}

function placeOf(environment: Environment): string {
  const { jurisdiction, location } = PLACEMENTS[environment];
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

async function tellNextSteps({
  environment,
  addresses,
  missing,
  tell,
}: Pick<Deployment, "environment" | "tell"> & {
  addresses: readonly string[];
  missing: readonly MissingSecrets[];
}): Promise<void> {
  const isComplete = missing.every(({ required }) => required.length === 0);
  const [address] = addresses;
  tell(`\nVeil is deployed${address === undefined ? "" : ` at ${address}`}.`);
  for (const { worker, required, advised } of missing) {
    const put = (name: string): string => {
      const known = name === "PUBLIC_URL" && address !== undefined ? `echo ${address}` : MAKERS[name];
      const maker = known === undefined ? "" : `${known} | `;
      return `  ${maker}npx wrangler secret put ${name} -c ${worker.configFile} -e ${environment}`;
    };
    if (required.length > 0) tell(`\nThe ${worker.kind} Worker does not work without:`);
    for (const name of required) tell(put(name));
    if (advised.length > 0) tell(`\nThe ${worker.kind} Worker works without these, but you will want them:`);
    for (const name of advised) tell(put(name));
  }
  if (!isComplete) {
    tell("\nSet them, keep a copy, and run this command again to check.");
    return;
  }
  if (address !== undefined) await tellHealth(address, tell);
  tell(`\nNext: npm run admin -- account create --name "First" --env ${environment} --json`);
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
