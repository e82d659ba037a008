import { join } from "node:path";
import { ROOT } from "./wrangler.ts";

/** The committed document does not depend on where the service runs. */
const NEUTRAL_ORIGIN = "https://veil.example.com";

/** Where the OpenAPI document is kept. */
export const DOCUMENT_FILE = join(ROOT, "openapi.json");

/** The OpenAPI document as it is kept in its file. */
export async function documentText(): Promise<string> {
  // Not a literal: the Worker's sources are checked against the runtime's types, these scripts against Node's.
  const source = join(ROOT, "src/entries/api.app.ts");
  const { openApiDocument } = (await import(source)) as { openApiDocument: (origin: string) => object };
  return `${JSON.stringify(openApiDocument(NEUTRAL_ORIGIN), null, 2)}\n`;
}
