/**
 * `npm test`: everything that must hold before a change lands; `npm test -- api image` runs those test projects alone, and
 * `npm run test:quick` the static checks and the projects that need neither a browser nor a started service.
 *
 * Three lanes run side by side, since tests of a whole service mostly wait for it. One lane prints as it goes, the others
 * print what each command said once it has ended. The last lines repeat how failed commands ended and what was not checked.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ROOT } from "./lib/wrangler.ts";

interface Check {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
  /** Judges what is outside this repository, so `npm test` tells of it and only CI fails. */
  readonly isAdvice?: boolean;
}

/** Of the sources alone. */
const STATIC_CHECKS: readonly Check[] = [
  { name: "Format", command: ["oxfmt", "--check"] },
  { name: "Lint and import rules", command: ["oxlint", "--type-aware", "--deny-warnings"] },
  { name: "Unused code", command: ["knip"] },
  { name: "Types", command: ["npm", "run", "--silent", "typecheck"] },
];
const CHECKS: readonly Check[] = [
  ...STATIC_CHECKS,
  { name: "Worker scripts", command: ["node", "scripts/deploy.ts", "--dry-run", "--env", "production"] },
  { name: "Known vulnerabilities", command: ["npm", "run", "--silent", "audit"], isAdvice: true },
];

/** Their files share a service: one worker. */
const SERVICE_PROJECTS = ["e2e"];
/** Their files start services, one after another: one worker. */
const START_PROJECTS = ["start-node", "inference"];

/** They take seconds each and need neither a browser nor a started service. */
const QUICK_PROJECTS = [
  "deploy-node",
  "docs-node",
  "openapi-node",
  "redaction",
  "video-node",
  "webhook-docs-node",
];

/** Lines repeated of a command that failed: the lanes' output is long, and CI services show the end of it. */
const REPEATED_LINES = 60;

const startedAtMs = Date.now();
const failed: { readonly name: string; readonly lastLines: readonly string[] }[] = [];
const notes = new Set<string>();

const chosen = process.argv.slice(2);
if (chosen.includes("--quick")) await runQuick();
else if (chosen.length > 0) await runLane([tests("Tests", only(chosen))], { isLive: true });
else await runAll();
console.log(`\n── ${secondsSince(startedAtMs)} s in all`);
for (const note of notes) console.log(note);
for (const { name, lastLines } of failed) console.error(`\n${name} failed:\n${lastLines.join("\n")}`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function runAll(): Promise<void> {
  await Promise.all([
    runLane([tests("Tests", only(await listOtherProjects()))], { isLive: true }),
    runLane([tests("Tests of the service", only(SERVICE_PROJECTS))], { isLive: false }),
    runLane([tests("Tests of starts", ["--maxWorkers=1", ...only(START_PROJECTS)]), ...CHECKS], {
      isLive: false,
    }),
  ]);
}

async function runQuick(): Promise<void> {
  await Promise.all([
    runLane([tests("Quick tests", only(QUICK_PROJECTS))], { isLive: true }),
    runLane(STATIC_CHECKS, { isLive: false }),
  ]);
}

/**
 * The projects of the first lane: every folder with tests that is not another lane's. Named one by one, since vitest runs a
 * project that fits any of several `--project`, so several negations leave none out.
 */
async function listOtherProjects(): Promise<string[]> {
  const folders = await readdir(join(ROOT, "test"), { withFileTypes: true });
  const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const withTests = await Promise.all(
    names.map(async (name) => ({
      name,
      files: await readdir(join(ROOT, "test", name), { recursive: true }),
    })),
  );
  return withTests
    .filter(({ files }) => files.some((file) => file.endsWith(".test.ts")))
    .map(({ name }) => name)
    .filter((name) => ![...SERVICE_PROJECTS, ...START_PROJECTS].includes(name));
}

function only(projects: readonly string[]): string[] {
  return projects.map((project) => `--project=${project}`);
}

function tests(name: string, args: readonly string[]): Check {
  const reporters = ["--reporter=default", "--reporter=./scripts/lib/skipped-reporter.ts"];
  return { name, command: ["vitest", "run", ...reporters, ...args] };
}

/** Runs checks one after another. */
async function runLane(checks: readonly Check[], { isLive }: { readonly isLive: boolean }): Promise<void> {
  for (const check of checks) await runCheck(check, isLive);
}

async function runCheck({ name, command, isAdvice = false }: Check, isLive: boolean): Promise<void> {
  const [program, ...args] = command;
  const checkStartedAtMs = Date.now();
  const lines = [`\n── ${name}`];
  if (isLive) printAll(lines);
  const child = spawn(program, args, {
    cwd: ROOT,
    env: process.stdout.isTTY ? { ...process.env, FORCE_COLOR: "1" } : process.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      if (line.startsWith("SKIPPED: ")) notes.add(line);
      lines.push(line);
      if (isLive) console.log(line);
    });
  }
  const [status] = (await ended) as [number | null];
  const seconds = secondsSince(checkStartedAtMs);
  const end = status === 0 ? `${name}: ${seconds} s` : `${name} failed after ${seconds} s.`;
  printAll(isLive ? [end] : [...lines, end]);
  if (status === 0) return;
  if (isAdvice) notes.add(`NOTED: ${name}: see above. CI fails on it.`);
  else failed.push({ name, lastLines: lines.slice(-REPEATED_LINES) });
}

function printAll(lines: readonly string[]): void {
  console.log(lines.join("\n"));
}

function secondsSince(atMs: number): string {
  return ((Date.now() - atMs) / 1000).toFixed(1);
}
