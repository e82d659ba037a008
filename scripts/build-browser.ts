/** Bundles the scripts and styles that browsers load: `npm run browser`, and by itself with every `npm ci`, test and build of the API Worker. */
import { writeBrowserFiles } from "./lib/browser-files.ts";

await writeBrowserFiles();
