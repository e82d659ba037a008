/** Deploys Veil to Cloudflare: `npm run deploy -- --env production`; `--dry-run` shows what would be done, without an account. */
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { deploy, dryRun } from "./lib/deployment.ts";
import { ENVIRONMENTS, LOCATIONS, environmentNamed, locationNamed } from "./lib/environments.ts";
import { sentenceOf } from "./lib/sentence-of.ts";
import { readSecrets } from "./lib/secrets-file.ts";
import { WRANGLER, wranglerAt } from "./lib/wrangler.ts";

const USAGE = `Usage: npm run deploy -- --env ${ENVIRONMENTS.join("|")} [options]

  --dry-run         check the secrets, and show what would be done and what the scripts weigh; needs no account
  --secrets FILE    a file of NAME=value lines; each Worker is given those that it reads
  --location HINT   where the first deployment creates the database and the bucket: ${LOCATIONS.join(", ")}
  --wrangler FILE   run this wrangler instead of the repository's`;

/** npm parses arguments before `--` as its own options and passes only the rest on. */
function refuseWithoutDashes(): void {
  const taken = ["env", "secrets", "location", "wrangler"].filter(
    (name) => `npm_config_${name}` in process.env,
  );
  const isDryRun = process.env["npm_config_dry_run"] === "true";
  if (taken.length === 0 && !isDryRun) return;
  const options = [...taken.map((name) => `--${name}`), ...(isDryRun ? ["--dry-run"] : [])].join(" and ");
  throw new Error(
    `npm took ${options} for its own; \`--\` is missing before the options: npm run deploy -- --env production`,
  );
}

async function main(): Promise<void> {
  refuseWithoutDashes();
  const { values } = parseArgs({
    options: {
      env: { type: "string" },
      "dry-run": { type: "boolean", default: false },
      secrets: { type: "string" },
      location: { type: "string" },
      wrangler: { type: "string", default: WRANGLER },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const environment = environmentNamed(values.env);
  const wrangler = wranglerAt(values.wrangler);
  const file = values.secrets === undefined ? undefined : await readSecrets(values.secrets);
  const folder = await mkdtemp(join(tmpdir(), "veil-deploy-"));
  removeAtExit(folder);
  const deployment = { environment, folder, location: locationNamed(values.location), tell: console.log };
  if (values["dry-run"]) await dryRun(wrangler, { ...deployment, file });
  else await deploy(wrangler, { ...deployment, file: file ?? { secrets: {}, faults: [] } });
}

/** The folder holds secrets, so it is deleted however the process ends, also by a signal or a closed pipe. */
function removeAtExit(folder: string): void {
  process.once("exit", () => {
    rmSync(folder, { recursive: true, force: true });
  });
  for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) {
    process.once(signal, () => {
      process.exit(128 + number);
    });
  }
}

try {
  await main();
} catch (error) {
  console.error(sentenceOf(error, "npm run deploy -- --help"));
  process.exit(1);
}
