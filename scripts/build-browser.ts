/**
 * Bundles the scripts and styles that browsers load: `npm run browser`. Every `npm ci`, test run and build of the API Worker runs it too.
 */
import { writeBrowserFiles } from "./lib/browser-files.ts";

await writeBrowserFiles();
