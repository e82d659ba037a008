/** Writes the OpenAPI document and the typed client's declarations: `npm run openapi`. */
import { writeFile } from "node:fs/promises";
import { CLIENT_FILE, DOCUMENT_FILE, clientDeclarations, documentText } from "./lib/openapi.ts";

await writeFile(DOCUMENT_FILE, await documentText());
await writeFile(CLIENT_FILE, await clientDeclarations());
console.log(`Wrote ${DOCUMENT_FILE} and ${CLIENT_FILE}.`);
