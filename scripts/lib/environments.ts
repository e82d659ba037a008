/** The environments of a deployment. The wrangler files have a section for each. */
export const ENVIRONMENTS = ["staging", "production"] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** Where an environment's data is stored, and the name at which it answers. */
export interface Placement {
  /** The custom domain of the API Worker. */
  readonly domain?: string | undefined;
  /** Keeps the D1 database and the R2 bucket inside a jurisdiction. It is chosen when they are created and cannot be changed. */
  readonly jurisdiction?: string | undefined;
  /** Where the D1 database and the R2 bucket should be created. A jurisdiction overrides it. */
  readonly location?: Location | undefined;
}

/** Cloudflare's location hints for new databases and buckets. */
export const LOCATIONS = ["weur", "eeur", "apac", "oc", "wnam", "enam"] as const;
export type Location = (typeof LOCATIONS)[number];

/** The environment with a name. @throws a sentence that lists the environments */
export function environmentNamed(name: string | undefined): Environment {
  const environment = ENVIRONMENTS.find((known) => known === name);
  if (environment !== undefined) return environment;
  throw new Error(`--env is ${name ?? "missing"}; expected one of ${ENVIRONMENTS.join(", ")}.`);
}

/** The location hint with a name. @throws a sentence that lists the hints */
export function locationNamed(name: string | undefined): Location | undefined {
  const location = LOCATIONS.find((known) => known === name);
  if (name === undefined || location !== undefined) return location;
  throw new Error(`--location is ${name}; expected one of ${LOCATIONS.join(", ")}.`);
}
