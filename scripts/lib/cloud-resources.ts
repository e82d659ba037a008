import { z } from "zod";
import type { Placement } from "./environments.ts";
import type { Resources } from "./worker-configs.ts";
import { WranglerError, type Wrangler } from "./wrangler.ts";

const databasesSchema = z.array(z.looseObject({ name: z.string(), jurisdiction: z.string().nullish() }));

/** Whether a resource existed or was created. */
export interface Provision {
  readonly kind: "D1 database" | "R2 bucket" | "Queue";
  readonly name: string;
  readonly outcome: "found" | "created";
}

/**
 * Creates the missing resources of an environment. Safe to repeat, so another run continues an interrupted one.
 *
 * @param tell called with each resource that is found or created
 * @throws WranglerError; a sentence if a database exists in another jurisdiction
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

/** Without a reported jurisdiction, the database is accepted. */
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

/** Whether a command finds a resource. An error other than "missing" is rethrown. */
async function exists(wrangler: Wrangler, look: readonly string[], missing: RegExp): Promise<boolean> {
  try {
    await wrangler(look);
    return true;
  } catch (error) {
    if (error instanceof WranglerError && missing.test(error.message)) return false;
    throw error;
  }
}
