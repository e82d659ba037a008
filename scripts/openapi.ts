/** Writes the OpenAPI document, the client's declarations of it and compiles the client anew: `npm run openapi`. */
import { writeFile } from "node:fs/promises";
import { CLIENT_DIRECTORY, buildClient } from "./lib/client.ts";
import { DECLARATIONS_FILE, DOCUMENT_FILE, clientDeclarations, documentText } from "./lib/openapi.ts";

await writeFile(DOCUMENT_FILE, await documentText());
await writeFile(DECLARATIONS_FILE, await clientDeclarations());
await buildClient(CLIENT_DIRECTORY);
console.log(`Wrote ${DOCUMENT_FILE}, ${DECLARATIONS_FILE} and ${CLIENT_DIRECTORY}.`);
