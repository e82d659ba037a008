import { execFile } from "node:child_process";
import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./wrangler.ts";

/** The committed document does not depend on where the service runs. */
const NEUTRAL_ORIGIN = "https://veil.example.com";

/** The file of the OpenAPI document. */
export const DOCUMENT_FILE = join(ROOT, "openapi.json");

/** The OpenAPI document as the text of its file. */
export async function documentText(): Promise<string> {
  // Not a literal, because the Worker's sources are type-checked for workerd and these scripts for Node.
  const source = join(ROOT, "src/entries/api.app.ts");
  const { openApiDocument } = (await import(source)) as { openApiDocument: (origin: string) => object };
  return `${JSON.stringify(openApiDocument(NEUTRAL_ORIGIN), null, 2)}\n`;
}

const run = promisify(execFile);

/** The folder of the compiled client, which `npm ci` creates and `npx veil` runs. */
export const CLIENT_DIRECTORY = join(ROOT, "packages/client/dist");

/** The API types in the client's sources. They are not committed, because they are generated from `openapi.json`. */
export const API_TYPES_FILE = join(ROOT, "packages/client/src/openapi.generated.ts");

/** Writes the types that openapi-typescript generates from `openapi.json`. */
export async function writeApiTypes(file: string): Promise<void> {
  // The generator, and the TypeScript that it needs, are dependencies of the client's package.
  const generator = join(ROOT, "packages/client/node_modules/openapi-typescript/bin/cli.js");
  const options = ["--default-non-nullable", "false", "--enum-values"];
  await run(process.execPath, [generator, DOCUMENT_FILE, "--output", file, ...options]);
}

/** Compiles the client's package into a folder and replaces the folder's content. */
export async function buildClient(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  await run(
    process.execPath,
    [compiler, "-p", "packages/client/tsconfig.build.json", "--noEmit", "false", "--outDir", directory],
    {
      cwd: ROOT,
    },
  );
  await chmod(join(directory, "cli/main.js"), 0o755);
}
