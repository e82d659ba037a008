import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLIENT_DIRECTORY } from "../../scripts/lib/client.ts";
import { ROOT } from "../../scripts/lib/wrangler.ts";

const run = promisify(execFile);
const PACKAGE = dirname(CLIENT_DIRECTORY);

let project: string;

/** Installs a package and its dependencies into a project, as npm does from its registry. */
async function lay(name: string, from: string): Promise<void> {
  const manifestPath = createRequire(join(from, "package.json")).resolve(`${name}/package.json`);
  await mkdir(join(project, "node_modules"), { recursive: true });
  await cp(dirname(manifestPath), join(project, "node_modules", name), { recursive: true });
  const { dependencies = {} } = JSON.parse(await readFile(manifestPath, "utf8")) as {
    dependencies?: Record<string, string>;
  };
  for (const needed of Object.keys(dependencies)) await lay(needed, dirname(manifestPath));
}

// Installs the tarball that `npm publish` would send into an empty project.
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "veil-package-"));
  await run("npm", ["pack", "--ignore-scripts", "--workspaces=false", `--pack-destination=${project}`], {
    cwd: PACKAGE,
  });
  const tarball = (await readdir(project)).find((name) => name.endsWith(".tgz")) ?? "";
  const home = join(project, "node_modules/@veil/client");
  await mkdir(home, { recursive: true });
  await run("tar", ["-xzf", join(project, tarball), "-C", home, "--strip-components=1"]);
  await lay("tinyglobby", PACKAGE);
  await writeFile(join(project, "package.json"), JSON.stringify({ type: "module", private: true }));
});

afterAll(async () => await rm(project, { recursive: true, force: true }));

test("the tarball has the needed files and no others", async () => {
  const home = join(project, "node_modules/@veil/client");
  expect((await readdir(home)).sort()).toEqual(["LICENSE", "README.md", "bin", "dist", "package.json"]);
  const manifest = JSON.parse(await readFile(join(home, "package.json"), "utf8")) as Record<string, unknown>;
  expect(manifest["private"]).toBeUndefined();
  // Scripts would run or cause warnings during the installation.
  expect(manifest["scripts"]).toBeUndefined();
  expect(manifest["publishConfig"]).toEqual({ access: "public", provenance: true });
  const files = await readdir(join(home, "dist"), { recursive: true });
  expect(files.filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))).toEqual([]);
});

test("its command and its module run where nothing else is installed", async () => {
  const bin = join(project, "node_modules/@veil/client/bin/veil.js");
  expect((await run(process.execPath, [bin, "--version"], { cwd: project })).stdout).toMatch(
    /^\d+\.\d+\.\d+\n$/,
  );
  const script = `
    import { VeilClient, REDACTION_CATEGORIES } from "@veil/client";
    import { openFile, saveDownload } from "@veil/client/node";
    console.log(typeof VeilClient, REDACTION_CATEGORIES.length, typeof openFile, typeof saveDownload);`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: project });
  expect(stdout).toBe("function 13 function function\n");
});

test("its core imports nothing of Node, so that it runs in browsers, Deno, Bun and Workers", async () => {
  const dist = join(project, "node_modules/@veil/client/dist");
  const core = (await readdir(dist)).filter((file) => file.endsWith(".js"));
  expect(core).toContain("index.js");
  for (const file of core) {
    expect([file, /from "node:|require\(/.test(await readFile(join(dist, file), "utf8"))]).toEqual([
      file,
      false,
    ]);
  }
});

test("a strict TypeScript project sees its types", async () => {
  await symlink(join(ROOT, "node_modules/@types"), join(project, "node_modules/@types"));
  await writeFile(
    join(project, "main.ts"),
    `import { VeilClient, type Media } from "@veil/client";
const veil = new VeilClient({ baseUrl: "https://veil.example.com", apiKey: "veil_k" });
export async function main(): Promise<Media> {
  return await veil.redact({ sourceUrl: "https://files.example.com/a.jpg", categories: ["heads"] });
}
// @ts-expect-error a category that is none
export const wrong = veil.redact({ sourceUrl: "https://files.example.com/a.jpg", categories: ["faces"] });
// @ts-expect-error neither a file nor a URL
export const nothing = veil.redact({ categories: ["heads"] });
`,
  );
  await writeFile(
    join(project, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        module: "nodenext",
        target: "es2022",
        lib: ["ES2023", "DOM"],
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        types: ["node"],
      },
      files: ["main.ts"],
    }),
  );
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout } = await run(process.execPath, [tsc, "-p", project]).catch(
    (error: unknown) => error as { stdout: string },
  );
  expect(stdout).toBe("");
});
