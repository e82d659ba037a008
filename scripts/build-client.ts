/** Compiles the client to `packages/client/dist`, which `npx veil` runs: `npm run client`, and by itself with every `npm ci`. */
import { CLIENT_DIRECTORY, buildClient } from "./lib/client.ts";

await buildClient(CLIENT_DIRECTORY);
