/**
 * Runs the parsers on damaged input for a long time: `npm run fuzz -- --runs 20000 --seed 7`, or `--only "webhook URLs"`. A failure prints
 * its seed.
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { ROOT } from "./lib/wrangler.ts";

/** Every parser of untrusted bytes, with the test file that damages its input. */
const TARGETS: Readonly<Record<string, { project: string; file: string }>> = {
  "pictures that are redacted": { project: "redaction-node", file: "test/redaction-node/fuzz.test.ts" },
  "pictures that are converted": {
    project: "redaction-node",
    file: "test/redaction-node/conversion.test.ts",
  },
  "GIF animations": { project: "redaction-node", file: "test/redaction-node/gif-animation.test.ts" },
  "HEIC pictures": { project: "redaction-node", file: "test/redaction-node/heic.test.ts" },
  "color profiles": { project: "redaction-node", file: "test/redaction-node/icc-damage.test.ts" },
  "uploads: sniffing, image headers, video containers": {
    project: "video-node",
    file: "test/video-node/upload-parsers-fuzz.test.ts",
  },
  "uploads: multipart forms": { project: "api", file: "test/api/multipart.test.ts" },
  "webhook URLs": { project: "webhooks", file: "test/webhooks/hostile-urls.test.ts" },
  "inference: bodies and frames": { project: "inference", file: "inference/test/robustness.test.ts" },
};

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "20000" },
    seed: { type: "string" },
    only: { type: "string" },
  },
});
const targets = Object.entries(TARGETS).filter(([name]) => name === (values.only ?? name));
if (targets.length === 0) {
  console.error(`--only is "${values.only}"; targets are ${Object.keys(TARGETS).join("; ")}.`);
  process.exit(1);
}
const seed = values.seed ?? String(Date.now() % 1_000_000);
const env = {
  ...process.env,
  FUZZ_RUNS: values.runs,
  FUZZ_SEED: seed,
  REDACTION_FUZZ_RUNS: values.runs,
  REDACTION_FUZZ_SEED: seed,
};
console.log(`Seed ${seed}: npm run fuzz -- --runs ${values.runs} --seed ${seed} repeats this run.`);
let isSound = true;
for (const [name, { project, file }] of targets) {
  console.log(`\n── ${name}`);
  // Long runs exceed the usual time limit of a test.
  const args = ["run", `--project=${project}`, "--testTimeout=3600000", file];
  const { status } = spawnSync("vitest", args, { cwd: ROOT, stdio: "inherit", env });
  if (status !== 0) isSound = false;
}
process.exit(isSound ? 0 : 1);
