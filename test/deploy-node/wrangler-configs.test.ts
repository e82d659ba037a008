import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CONFIG_FILES, wranglerConfig } from "../../scripts/lib/wrangler-configs.ts";
import { ROOT } from "../../scripts/lib/wrangler.ts";

test.for(["api", "image", "video"] as const)(
  "what wrangler reads of the %s Worker is what `npm run wrangler-files` writes",
  async (kind) => {
    const file: unknown = JSON.parse(await readFile(join(ROOT, CONFIG_FILES[kind]), "utf8"));
    expect(file).toEqual(wranglerConfig(kind));
  },
);
