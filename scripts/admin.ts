/** The operator's commands: `npm run -s admin -- <noun> <verb> [options]`. */
import { runAdmin } from "./lib/admin-commands.ts";

process.exitCode = await runAdmin(process.argv.slice(2), process);
