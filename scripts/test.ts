/** `npm test`: everything that must hold before a change lands; `npm test -- api image` runs those projects alone. */
import { spawnSync } from "node:child_process";
import { ROOT } from "./lib/wrangler.ts";

const CHECKS: readonly (readonly [string, readonly string[]])[] = [
  ["Format", ["oxfmt", "--check"]],
  ["Lint and import rules", ["oxlint", "--type-aware", "--deny-warnings"]],
  ["Unused code", ["knip"]],
  ["Types", ["npm", "run", "--silent", "typecheck"]],
  ["Worker scripts", ["node", "scripts/deploy.ts", "--dry-run", "--env", "production"]],
];

const projects = process.argv.slice(2);
if (projects.length === 0) for (const [name, command] of CHECKS) run(name, command);
run("Tests", ["vitest", "run", ...projects.map((project) => `--project=${project}`)]);

function run(name: string, [program = "", ...args]: readonly string[]): void {
  const startedAtMs = Date.now();
  console.log(`\n── ${name}`);
  const { status } = spawnSync(program, args, { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) {
    console.error(`${name} failed.`);
    process.exit(1);
  }
  console.log(`${name}: ${((Date.now() - startedAtMs) / 1000).toFixed(1)} s`);
}
