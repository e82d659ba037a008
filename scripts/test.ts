/**
 * `npm test`: everything that must hold before a change lands; `npm test -- api image` runs those test projects alone, and
 * `npm run test:quick` the static checks and the projects that need neither a browser nor a started service.
 *
 * Three commands run side by side, since tests of a whole service mostly wait for it. When one ends, the next of the list begins,
 * so all lanes end at about the same time. Each prints its output once it has ended; a command that runs alone prints as it
 * goes. The last lines repeat how failed commands ended and what was not checked.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { availableParallelism } from "node:os";
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

/** Their files share a service, or start services one after another: one worker. */
const ONE_WORKER = ["--maxWorkers=1"];
/** More than there are processors: many tests wait for a server or a queue, and with fewer workers so does the machine. */
const WORKERS = [`--maxWorkers=${availableParallelism() + 1}`];
/** Projects with a command of their own. The others that run in Node have one together, and so do those that run in workerd. */
const OWN_PROJECTS: ReadonlySet<string> = new Set(["e2e", "inference", "start-node"]);

/** They take seconds each and need neither a browser nor a started service. */
const QUICK_PROJECTS = [
  "bench-node",
  "deploy-node",
  "docs-node",
  "openapi-node",
  "redaction",
  "video-node",
  "webhook-docs-node",
];

/** How many commands run side by side. */
const LANES = 3;

/** Node's cache of compiled modules: most processes that tests start load the same ones, and the types are stripped once. */
const COMPILE_CACHE = join(ROOT, "node_modules/.cache/veil-compiled");

/** Lines repeated of a command that failed: the lanes' output is long, and CI services show the end of it. */
const REPEATED_LINES = 60;

const startedAtMs = Date.now();
const failed: { readonly name: string; readonly lastLines: readonly string[] }[] = [];
const notes = new Set<string>();

const chosen = process.argv.slice(2);
if (chosen.includes("--quick")) await runQuick();
else if (chosen.length > 0) await runCheck(tests("Tests", only(chosen)), true);
else await runAll();
console.log(`\n── ${secondsSince(startedAtMs)} s in all`);
for (const note of notes) console.log(note);
for (const { name, lastLines } of failed) console.error(`\n${name} failed:\n${lastLines.join("\n")}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Runs all commands; those that take longest begin first, and short ones fill the lanes up. */
async function runAll(): Promise<void> {
  const projects = await listSharedProjects();
  await runLanes(LANES, [
    tests("Tests of the service", [...ONE_WORKER, ...only(["e2e"])]),
    tests("Tests of the inference service", [...ONE_WORKER, ...only(["inference"])]),
    tests("Tests in workerd", [...WORKERS, ...only(projects.filter((project) => !isOfNode(project)))]),
    tests("Tests of starts", [...ONE_WORKER, ...only(["start-node"])]),
    tests("Tests in Node", [...WORKERS, ...only(projects.filter(isOfNode))]),
    ...CHECKS,
  ]);
}

async function runQuick(): Promise<void> {
  await runLanes(2, [tests("Quick tests", only(QUICK_PROJECTS)), ...STATIC_CHECKS]);
}

/** The projects without a command of their own: every other folder with tests. */
async function listSharedProjects(): Promise<string[]> {
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
    .filter((name) => !OWN_PROJECTS.has(name));
}

function isOfNode(project: string): boolean {
  return project.endsWith("-node");
}

function only(projects: readonly string[]): string[] {
  return projects.map((project) => `--project=${project}`);
}

function tests(name: string, args: readonly string[]): Check {
  const reporters = ["--reporter=default", "--reporter=./scripts/lib/skipped-reporter.ts"];
  return { name, command: ["vitest", "run", ...reporters, ...args] };
}

/** Runs so many checks at a time, in their order. */
async function runLanes(lanes: number, checks: readonly Check[]): Promise<void> {
  const waiting = checks.values();
  const runLane = async (): Promise<void> => {
    for (const check of waiting) await runCheck(check, false);
  };
  await Promise.all(Array.from({ length: lanes }, runLane));
}

async function runCheck({ name, command, isAdvice = false }: Check, isLive: boolean): Promise<void> {
  const [program, ...args] = command;
  const checkStartedAtMs = Date.now();
  const lines = [`\n── ${name}`];
  printAll(isLive ? lines : [`… ${name}`]);
  const child = spawn(program, args, {
    cwd: ROOT,
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : {}),
    },
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
