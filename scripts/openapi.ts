/** Writes the OpenAPI document and generates the client from it: `npm run openapi`. */
import { writeFile } from "node:fs/promises";
import {
  API_TYPES_FILE,
  CLIENT_DIRECTORY,
  buildClient,
  writeApiTypes,
  DOCUMENT_FILE,
  documentText,
} from "./lib/client.ts";

await writeFile(DOCUMENT_FILE, await documentText());
await writeApiTypes(API_TYPES_FILE);
await buildClient(CLIENT_DIRECTORY);
console.log(`Wrote ${DOCUMENT_FILE}, ${API_TYPES_FILE} and ${CLIENT_DIRECTORY}.`);
