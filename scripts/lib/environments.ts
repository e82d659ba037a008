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
  /** Lets the account's Logpush jobs take the Workers' logs. */
  readonly logpush?: boolean;
}

/** Edit these before the first deployment, then run `npm run wrangler-files`. */
export const PLACEMENTS: Readonly<Record<Environment, Placement>> = {
  staging: {},
  production: {},
};

/** The environment of a name. @throws a sentence that names those there are */
export function environmentNamed(name: string | undefined): Environment {
  const environment = ENVIRONMENTS.find((known) => known === name);
  if (environment !== undefined) return environment;
  throw new Error(`--env is ${name ?? "missing"}; expected one of ${ENVIRONMENTS.join(", ")}.`);
}
