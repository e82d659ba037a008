/** Where Veil is deployed to; the wrangler files have a section for each. */
export const ENVIRONMENTS = ["staging", "production"] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** The environment of a name. @throws a sentence that names those there are */
export function environmentNamed(name: string | undefined): Environment {
  const environment = ENVIRONMENTS.find((known) => known === name);
  if (environment !== undefined) return environment;
  throw new Error(`--env is ${name ?? "missing"}; expected one of ${ENVIRONMENTS.join(", ")}.`);
}
