import { variablesOf } from "../../src/ground/config/workers.config.ts";

/** A Worker: its configuration, and the variables that it may have when deployed. */
export interface WorkerScript {
  readonly kind: "api" | "image" | "video";
  readonly configFile: string;
  readonly variables: readonly string[];
}

/** The file of each Worker. Wrangler finds the first by itself. */
const CONFIG_FILES: Readonly<Record<WorkerScript["kind"], string>> = {
  api: "wrangler.toml",
  image: "wrangler.image.toml",
  video: "wrangler.video.toml",
};

/**
 * The Workers in the order of their deployment. The API comes last, so that nothing is accepted before the Workers that process it are
 * deployed.
 */
export const WORKERS: readonly WorkerScript[] = (["image", "video", "api"] as const).map((kind) => ({
  kind,
  configFile: CONFIG_FILES[kind],
  // Only `npm start` sets the local ones.
  variables: variablesOf(kind).filter((name) => !name.startsWith("LOCAL_")),
}));
