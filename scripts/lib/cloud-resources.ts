import { z } from "zod";
import type { Placement } from "./environments.ts";
import type { Resources } from "./worker-configs.ts";
import { WranglerError, type Wrangler } from "./wrangler.ts";

const databasesSchema = z.array(z.looseObject({ name: z.string(), jurisdiction: z.string().nullish() }));

/** Whether a resource was there or had to be made. */
export interface Provision {
  readonly kind: "D1 database" | "R2 bucket" | "Queue";
  readonly name: string;
  readonly outcome: "found" | "created";
}

/**
 * Makes what an environment needs and is not there. Doing so again changes nothing, so a run that broke off is resumed by
 * the next.
 *
 * @param tell is called with each resource as it is found or made
 * @throws WranglerError; a sentence when a database is there in another jurisdiction
 */
export async function provide(
  wrangler: Wrangler,
  resources: Resources & { readonly placement: Placement },
  tell: (provision: Provision) => void,
): Promise<void> {
  const { jurisdiction, location } = resources.placement;
  const within = jurisdiction === undefined ? [] : [`--jurisdiction=${jurisdiction}`];
  const place = jurisdiction !== undefined || location === undefined ? within : [`--location=${location}`];
  const databases = databasesSchema.parse(JSON.parse(await wrangler(["d1", "list", "--json"])));
  for (const name of resources.databases) {
    const found = databases.find((database) => database.name === name);
    const isThere = found !== undefined;
    if (isThere) refuseOtherJurisdiction(found, jurisdiction);
    if (!isThere) await wrangler(["d1", "create", name, ...place]);
    tell({ kind: "D1 database", name, outcome: isThere ? "found" : "created" });
  }
  for (const name of resources.buckets) {
    const isThere = await exists(
      wrangler,
      ["r2", "bucket", "info", name, "--json", ...within],
      /code: 10006|does not exist/,
    );
    if (!isThere) await wrangler(["r2", "bucket", "create", name, ...place]);
    tell({ kind: "R2 bucket", name, outcome: isThere ? "found" : "created" });
  }
  for (const name of resources.queues) {
    const isThere = await exists(wrangler, ["queues", "info", name], /does not exist/);
    if (!isThere) await wrangler(["queues", "create", name]);
    tell({ kind: "Queue", name, outcome: isThere ? "found" : "created" });
  }
}

/** An account that does not tell the jurisdiction of a database is believed. */
function refuseOtherJurisdiction(
  { name, jurisdiction: actual }: { name: string; jurisdiction?: string | null | undefined },
  wanted: string | undefined,
): void {
  if (actual === undefined || (actual ?? undefined) === wanted) return;
  throw new Error(
    `The D1 database ${name} has ${actual === null ? "no jurisdiction" : `the jurisdiction ${actual}`}, and ` +
      `the wrangler files want ${wanted ?? "none"}. A database cannot be moved: deploy a second environment, or correct the files.`,
  );
}

/** Whether a look at one thing finds it. A fault that does not say that it is missing stays a fault. */
async function exists(wrangler: Wrangler, look: readonly string[], missing: RegExp): Promise<boolean> {
  try {
    await wrangler(look);
    return true;
  } catch (error) {
    if (error instanceof WranglerError && missing.test(error.message)) return false;
    throw error;
  }
}
