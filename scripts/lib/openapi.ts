import { join } from "node:path";
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
