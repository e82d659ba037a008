import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { VeilClient } from "../../packages/client/src/index.ts";
import { CLIENT_DIRECTORY } from "../../scripts/lib/client.ts";
import { ROOT } from "../../scripts/lib/wrangler.ts";
import { SNIPPETS } from "../../src/web/docs/reference/snippets.ts";
import { ScriptedService, answers, mediaItem } from "./support/scripted-service.ts";

const run = promisify(execFile);
/** Declarations of names that the text around a sample introduces, for samples that do not declare them. */
const INTRODUCED: Readonly<Record<string, string>> = {
  veil: 'declare const veil: import("@veil/client").VeilClient;',
  openFile: 'import { openFile } from "@veil/client/node";',
  id: "declare const id: string;",
  uploadUrl: "declare const uploadUrl: string;",
  input: "declare const input: HTMLInputElement;",
  show: "declare function show(share: number): void;",
};

let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "veil-samples-"));
  await mkdir(join(project, "node_modules/@veil"), { recursive: true });
  await symlink(dirname(CLIENT_DIRECTORY), join(project, "node_modules/@veil/client"));
  await symlink(join(ROOT, "node_modules/@types"), join(project, "node_modules/@types"));
  await writeFile(join(project, "package.json"), JSON.stringify({ type: "module", private: true }));
});

afterAll(async () => await rm(project, { recursive: true, force: true }));

function declarationsFor(sample: string): string[] {
  return Object.entries(INTRODUCED)
    .filter(
      ([name]) =>
        new RegExp(`\\b${name}\\b`).test(sample) &&
        !new RegExp(`(?:const|import|function) (?:${name}\\b|\\{[^}]*\\b${name}\\b)`).test(sample),
    )
    .map(([, line]) => line);
}

test("the sample of docs/webhooks.md finds why a media item failed, and its metadata, by one call", async () => {
  const page = await readFile(join(ROOT, "docs/webhooks.md"), "utf8");
  const samples = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);
  const file = join(project, "describe-failure.ts");
  await writeFile(file, samples.find((code) => code.includes("describeFailure")) ?? "");
  const { describeFailure } = (await import(/* @vite-ignore */ file)) as {
    describeFailure: (veil: VeilClient, event: object) => Promise<string | undefined>;
  };
  const failure = { code: "source_unreadable", message: "The file is damaged.", retryable: false };
  const media = mediaItem({ status: "failed" });
  const service = new ScriptedService();
  await service.start();
  try {
    service.script.push(
      answers(200, { ...media, failure, metadata: { external_id: "ticket-4711" }, folder: null }),
    );
    const veil = new VeilClient({ baseUrl: service.baseUrl, apiKey: "veil_k" });
    expect(await describeFailure(veil, { event: "media.processed", media_id: media.id })).toBeUndefined();
    expect(await describeFailure(veil, { event: "media.failed", media_id: media.id })).toBe(
      "ticket-4711: The file is damaged. (source_unreadable, do not try again)",
    );
    expect(service.requests.map(({ url }) => url)).toEqual([
      `/api/v1/media/${media.id}?include=failure,metadata`,
    ]);
  } finally {
    service.stop();
  }
});

test("every TypeScript sample of the pages and the reference compiles in a strict project", async () => {
  const docs = (await readdir(join(ROOT, "docs"))).filter((name) => name.endsWith(".md"));
  const pages = ["README.md", "packages/client/README.md", ...docs.map((name) => `docs/${name}`)];
  const files: string[] = [];
  for (const page of pages) {
    const text = await readFile(join(ROOT, page), "utf8");
    for (const [index, [, sample = ""]] of [...text.matchAll(/^```ts\n(.*?)^```$/gms)].entries()) {
      const name = `${page.replaceAll(/\W/g, "_")}_${index + 1}.ts`;
      await writeFile(join(project, name), [...declarationsFor(sample), sample, "export {};"].join("\n"));
      files.push(name);
    }
  }
  for (const [operationId, { TypeScript: sample }] of Object.entries(SNIPPETS)) {
    const name = `${operationId}.ts`;
    await writeFile(join(project, name), [...declarationsFor(sample), sample, "export {};"].join("\n"));
    files.push(name);
  }
  expect(files.length).toBeGreaterThan(7 + Object.keys(SNIPPETS).length);
  const compilerOptions = {
    module: "nodenext",
    target: "es2022",
    lib: ["ES2023", "DOM", "DOM.Iterable"],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
    types: ["node"],
  };
  await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout } = await run(process.execPath, [tsc, "-p", project]).catch(
    (error: unknown) => error as { stdout: string },
  );
  expect(stdout).toBe("");
});
