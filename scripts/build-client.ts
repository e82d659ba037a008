/**
 * Writes the client's types of the API and compiles the client to `packages/client/dist`, which `npx veil` runs: `npm run client`. Every
 * `npm ci` runs it too.
 */
import { API_TYPES_FILE, CLIENT_DIRECTORY, buildClient, writeApiTypes } from "./lib/client.ts";

await writeApiTypes(API_TYPES_FILE);
await buildClient(CLIENT_DIRECTORY);
