import { execFile } from "node:child_process";
import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { DOCUMENT_FILE } from "./openapi.ts";
import { ROOT } from "./wrangler.ts";

const run = promisify(execFile);

/** Where the client lies as JavaScript, made when npm installs: what `npx veil` runs, on any Node. */
export const CLIENT_DIRECTORY = join(ROOT, "packages/client/dist");

/** The types of the API in the client's sources; not committed, since `openapi.json` is. */
export const API_TYPES_FILE = join(ROOT, "packages/client/src/openapi.generated.ts");

/** Writes the types that openapi-typescript makes of `openapi.json`. */
export async function writeApiTypes(file: string): Promise<void> {
  // The client's package brings the generator, and with it the TypeScript that the generator needs.
  const generator = join(ROOT, "packages/client/node_modules/openapi-typescript/bin/cli.js");
  const options = ["--default-non-nullable", "false", "--enum-values"];
  await run(process.execPath, [generator, DOCUMENT_FILE, "--output", file, ...options]);
}

/** Compiles the client's package into a folder, in the place of whatever is there. */
export async function buildClient(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  await run(
    process.execPath,
    [compiler, "-p", "packages/client/tsconfig.build.json", "--outDir", directory],
    {
      cwd: ROOT,
    },
  );
  await chmod(join(directory, "cli/main.js"), 0o755);
}
