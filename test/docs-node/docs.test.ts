import { existsSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { z } from "zod";
import { PLANS } from "../../src/ground/vocabulary/plans.ts";
import { PLAN_SHARES } from "../../src/work/jobs/plan-shares.ts";
import { FAILURE_IS_RETRYABLE, FAILURE_MESSAGES } from "../../src/ground/vocabulary/failures.ts";
import { ERROR_STATUS } from "../../src/ground/platform/errors.ts";
import { CATEGORIES } from "../../inference/src/detections/categories.ts";
import { REDACTION_CATEGORIES } from "../../src/ground/vocabulary/categories.ts";
import { limitsOf } from "../../src/ground/config/values.ts";
import { apiVariables, imageVariables, videoVariables } from "../../src/ground/config/workers.config.ts";
import { ROOT } from "../../scripts/lib/wrangler.ts";

async function read(file: string): Promise<string> {
  return await readFile(join(ROOT, file), "utf8");
}

const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "inference/README.md",
  ...(await readdir(join(ROOT, "docs"))).filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`),
  ...(await readdir(join(ROOT, "docs/decisions"))).map((name) => `docs/decisions/${name}`),
];

test.for(pages)("what %s links to is there", async (page) => {
  const text = await read(page);
  const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target = ""]) => target);
  const missing = targets.filter((target) => !existsSync(join(ROOT, dirname(page), target)));
  expect(missing).toEqual([]);
});

/** The programs that the pages tell readers to run, and the test that runs each or the reason why no test can. */
const RUN_BY: readonly (readonly [RegExp, string])[] = [
  [/^npm (?:ci|start|test)\b/, "test/e2e/running-service.ts"],
  [/^npm run deploy\b/, "test/deploy-node/deploy.test.ts"],
  [/^npm run -s admin\b/, "test/start-node/start.test.ts"],
  [/^npm run (?:openapi|client)\b/, "test/openapi-node/openapi.test.ts"],
  [/^npm run wasm\b/, "test/redaction-node/wasm.test.ts"],
  [/^npx veil\b/, "test/e2e/command.test.ts"],
  [/^npm run secret-scan\b/, "test/docs-node/security.test.ts"],
  [/^npm run schema\b/, "test/docs-node/migrations.test.ts"],
  [/^npm run (?:soak|fuzz)\b/, "test/start-node/long-commands.test.ts"],
  [/^npm run audit\b/, ".ci/run"],
  [/^npm run browser\b/, "wrangler.toml"],
  [/^npm run models\b/, "inference/test/pull.test.ts"],
  [/^npm run eval\b/, "inference/test/eval.test.ts"],
];
const NOT_RUN: readonly (readonly [RegExp, string])[] = [
  [/^npx wrangler\b/, "needs an account"],
  [/^(?:docker|kubectl|cloudflared)\b/, "needs a daemon, a cluster or an account"],
  [/^openssl\b/, "makes a secret up"],
  [/^npm install --no-save\b/, "changes the installation"],
  [/^npm run bench\b/, "long"],
  [/^npm run yardstick\b/, "needs the photos and takes half an hour"],
  [/^npm run (?:pictures|sensitivities)\b/, "changes the working tree"],
  [/^npm run test:quick\b/, "runs tests"],
  [/^npx vitest\b/, "runs tests"],
];

test("every command of these pages is run by a test, or of a kind that cannot be", async () => {
  const scripts = (JSON.parse(await read("package.json")) as { scripts: Record<string, string> }).scripts;
  for (const page of [
    "README.md",
    "docs/deploy.md",
    "docs/operating.md",
    "docs/security.md",
    "docs/webhooks.md",
    "docs/inference.md",
    "inference/README.md",
    "CONTRIBUTING.md",
  ]) {
    const program = "(?:npm|npx|docker|kubectl|cloudflared|openssl)";
    const text = await read(page);
    const commands = [
      ...text.matchAll(new RegExp(`\`(${program} [^\`]+)\``, "g")),
      ...text.matchAll(new RegExp(`^(${program} .+)$`, "gm")),
    ];
    for (const [, command = ""] of commands) {
      const runner = RUN_BY.find(([pattern]) => pattern.test(command))?.[1];
      const isKnown = runner !== undefined || NOT_RUN.some(([pattern]) => pattern.test(command));
      expect([page, command, isKnown]).toEqual([page, command, true]);
      if (runner !== undefined) expect(existsSync(join(ROOT, runner))).toBe(true);
      const script = /^npm run (?:-s )?([\w:-]+)/.exec(command)?.[1];
      if (script !== undefined) expect(scripts).toHaveProperty(script);
    }
  }
});

test("the operator's commands that pages name are those that there are", async () => {
  const usage = await read("scripts/lib/admin-commands.ts");
  for (const page of pages) {
    for (const [, noun, verb] of (await read(page)).matchAll(/npm run -s admin -- ([a-z-]+) ([a-z-]+)/g)) {
      expect([page, usage.includes(`"${noun} ${verb}":`)]).toEqual([page, true]);
    }
  }
});

test("the page of errors has every code with its status", async () => {
  const text = await read("docs/errors.md");
  for (const [code, status] of Object.entries(ERROR_STATUS)) {
    expect(text).toMatch(new RegExp(`\\| ${status} +\\| \`${code}\``));
  }
});

test("the page of errors has every reason why a media can fail, in the words of the service, and no other", async () => {
  const rows = [...(await read("docs/errors.md")).matchAll(/^\| `(\w+)` +\| (Yes|No) +\| ([A-Z].*?) +\|$/gm)];
  expect(Object.fromEntries(rows.map(([, code, , message]) => [code, message]))).toEqual(FAILURE_MESSAGES);
  const retries = rows.map(([, code = "", retry]): [string, boolean] => [code, retry === "Yes"]);
  expect(Object.fromEntries(retries)).toEqual(FAILURE_IS_RETRYABLE);
});

test("the page of limits has the defaults of the code", async () => {
  const text = (await read("docs/limits.md")).replaceAll(",", "");
  for (const [name, limits] of Object.entries(PLANS)) {
    const row = text.split("\n").find((line) => line.startsWith(`| ${name} `)) ?? "";
    for (const limit of Object.values(limits)) {
      expect([name, limit === null || row.includes(` ${limit} `)]).toEqual([name, true]);
    }
  }
  for (const [name, { weight, mostAtOnce }] of Object.entries(PLAN_SHARES)) {
    const { images, videos, webhooks } = mostAtOnce;
    const row = text.split("\n").filter((line) => line.startsWith(`| ${name} `))[1] ?? "";
    expect(row.split("|").slice(2, -1).map(Number)).toEqual([weight, images, videos, webhooks]);
  }
});

test("the list of test projects has every folder with tests", async () => {
  const folders = await readdir(join(ROOT, "test"), { recursive: true });
  const projects = new Set(
    folders.filter((path) => path.endsWith(".test.ts")).map((path) => path.slice(0, path.indexOf("/"))),
  );
  const rows = [...(await read("CONTRIBUTING.md")).matchAll(/^\| `([a-z0-9-]+)` +\|/gm)].map(
    ([, name]) => name,
  );
  expect(rows).toEqual([...projects, "inference"].toSorted());
});

test("inference and training know the categories of the service, in its order", async () => {
  expect(CATEGORIES).toEqual(REDACTION_CATEGORIES);
  const training = await read("inference/training/veil_training/categories.py");
  const detected = /^DETECTED[^=]*= \(([^)]*)\)/m.exec(training)?.[1] ?? "";
  const names = [...detected.matchAll(/"(\w+)"/g)].map(([, name]) => name);
  // Writing is found as a map of its own beside the boxes of the others.
  expect(names).toEqual(REDACTION_CATEGORIES.filter((category) => category !== "writing"));
});

test("operating.md states unit, default and limits of every variable that is a number", async () => {
  const text = await read("docs/operating.md");
  const rows = text.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  const schemas: Readonly<Record<string, z.ZodType>> = {
    ...apiVariables,
    ...imageVariables,
    ...videoVariables,
  };
  const numbers = Object.entries(schemas).flatMap(([name, schema]) => {
    const limits = limitsOf(schema);
    return limits === undefined ? [] : [{ name, schema, ...limits }];
  });
  expect(numbers.length).toBeGreaterThan(20);
  const stated = numbers.map(({ name }) => rows.find((cells) => cells[1] === `\`${name}\``)?.slice(3, 7));
  const actual = numbers.map(({ schema, unit, least, most }) => {
    const fallback = schema.parse(undefined);
    return [
      unit,
      fallback === undefined ? "see right" : JSON.stringify(fallback),
      String(least),
      String(most),
    ];
  });
  expect(stated).toEqual(actual);
});
