import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./wrangler.ts";

/** The committed document does not depend on where the service runs. */
const NEUTRAL_ORIGIN = "https://veil.example.com";

/** Where the OpenAPI document is kept. */
export const DOCUMENT_FILE = join(ROOT, "openapi.json");
/** Where the client keeps its declarations of the document. */
export const DECLARATIONS_FILE = join(ROOT, "packages/client/src/openapi.generated.ts");

const run = promisify(execFile);

/** The OpenAPI document as it is kept in its file. */
export async function documentText(): Promise<string> {
  // Not a literal: the Worker's sources are checked against the runtime's types, these scripts against Node's.
  const source = join(ROOT, "src/api.app.ts");
  const { openApiDocument } = (await import(source)) as { openApiDocument: (origin: string) => object };
  return `${JSON.stringify(openApiDocument(NEUTRAL_ORIGIN), null, 2)}\n`;
}

/** The declarations that openapi-typescript makes of the document. */
export async function clientDeclarations(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "veil-openapi-"));
  try {
    const input = join(directory, "openapi.json");
    const output = join(directory, "openapi.ts");
    await writeFile(input, await documentText());
    // The client's package brings the generator, and with it the TypeScript that the generator needs.
    const generator = join(ROOT, "packages/client/node_modules/openapi-typescript/bin/cli.js");
    await run(process.execPath, [
      generator,
      input,
      "--output",
      output,
      "--default-non-nullable",
      "false",
      "--enum-values",
    ]);
    return await readFile(output, "utf8");
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
