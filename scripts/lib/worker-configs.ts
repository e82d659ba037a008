import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { LOCAL_DIRECTORY } from "./local.ts";
import { ROOT } from "./wrangler.ts";

/** The Workers besides the API's; plain JSON, so that they can be completed for a local run. */
const OTHER_WORKERS = ["wrangler.image.json", "wrangler.video.json"];

const configSchema = z.looseObject({
  main: z.string(),
  d1_databases: z.array(z.looseObject({ migrations_dir: z.string().optional() })),
});

/**
 * Writes each other Worker's configuration, completed by variables, into the local folder, and returns the files.
 * `wrangler dev` takes variables from outside for its first Worker alone.
 */
export async function writeLocalConfigs(variables: Readonly<Record<string, string>>): Promise<string[]> {
  return await Promise.all(
    OTHER_WORKERS.map(async (name) => {
      const config = configSchema.parse(JSON.parse(await readFile(join(ROOT, name), "utf8")));
      const local = { ...config, $schema: undefined, main: join(ROOT, config.main), vars: variables };
      const file = join(LOCAL_DIRECTORY, name);
      await writeFile(file, JSON.stringify(local, null, 2), { mode: 0o600 });
      return file;
    }),
  );
}
