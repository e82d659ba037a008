import { z } from "zod";
import { nearest } from "../../packages/client/src/cli/nearest.ts";

/** Where Veil is deployed to; the wrangler files have a section for each. */
export const ENVIRONMENTS = ["staging", "production"] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** Where an environment's data and logs go, and at which name it answers. */
export interface Placement {
  /** A host name of a zone in your Cloudflare account, such as `veil.example.com`: a custom domain of the API Worker. */
  readonly domain?: string;
  /** Keeps the D1 database and the R2 bucket inside a jurisdiction. It is chosen when they are created and cannot be changed. */
  readonly jurisdiction?: "eu" | "us" | "fedramp";
  /** Where the D1 database and the R2 bucket should be created. A jurisdiction overrides it. */
  readonly location?: "weur" | "eeur" | "apac" | "oc" | "wnam" | "enam";
  /** `false` takes the workers.dev address away, which passes by the firewall and Access of the domain's zone. Needs a domain. */
  readonly workersDev?: boolean;
  /** Lets the account's Logpush jobs take the Workers' logs. */
  readonly logpush?: boolean;
}

/** Edit these before the first deployment, then run `npm run wrangler-files`. */
export const PLACEMENTS: Readonly<Record<Environment, Placement>> = {
  staging: {},
  production: {},
};

const settings = {
  domain: z.hostname().optional(),
  jurisdiction: z.enum(["eu", "us", "fedramp"]).optional(),
  location: z.enum(["weur", "eeur", "apac", "oc", "wnam", "enam"]).optional(),
  workersDev: z.boolean().optional(),
  logpush: z.boolean().optional(),
};

const placementSchema = z
  .strictObject(settings)
  .refine(({ workersDev, domain }) => workersDev !== false || domain !== undefined, {
    error: "workersDev is false, so the API Worker needs a domain",
  });

/**
 * Nothing checks the types of `environments.ts` when it runs, and a misspelt jurisdiction must not be ignored.
 *
 * @throws a sentence that names the environment and each fault
 */
export function checkPlacement(environment: Environment, placement: unknown): void {
  const { error } = placementSchema.safeParse(placement);
  if (error === undefined) return;
  const faults = error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map(sentenceAboutStranger)
      : [[issue.path.join("."), issue.message].filter(Boolean).join(": ")],
  );
  throw new Error(`scripts/lib/environments.ts, ${environment}: ${faults.join("; ")}.`);
}

function sentenceAboutStranger(name: string): string {
  const known = Object.keys(settings);
  const meant = nearest(name, known);
  const hint = meant === undefined ? `expected some of ${known.join(", ")}` : `did you mean ${meant}?`;
  return `there is no setting ${JSON.stringify(name)} (${hint})`;
}

/** The environment of a name. @throws a sentence that names those there are */
export function environmentNamed(name: string | undefined): Environment {
  const environment = ENVIRONMENTS.find((known) => known === name);
  if (environment !== undefined) return environment;
  throw new Error(`--env is ${name ?? "missing"}; expected one of ${ENVIRONMENTS.join(", ")}.`);
}
