import { z } from "zod";
import { apiAccessVariables } from "./api.config.ts";
import { dashboardVariables } from "./dashboard.config.ts";
import { detectorVariables } from "./detector.config.ts";
import { leaseVariables, queueVariables } from "./jobs.config.ts";
import { photoVariables } from "./photos.config.ts";
import { retentionVariables } from "./retention.config.ts";
import { uploadVariables } from "./uploads.config.ts";
import { segmentVariables, videoLimitVariables } from "./videos.config.ts";
import { webhookVariables } from "./webhooks.config.ts";

/** The variables of the API Worker. */
export const apiVariables = {
  ...apiAccessVariables,
  ...detectorVariables,
  ...dashboardVariables,
  ...uploadVariables,
  ...videoLimitVariables,
  ...queueVariables,
  ...webhookVariables,
};

/** The variables of the image Worker. */
export const imageVariables = {
  ...detectorVariables,
  ...retentionVariables,
  ...leaseVariables,
  ...photoVariables,
};

/** The variables of the video Worker. */
export const videoVariables = {
  ...detectorVariables,
  ...retentionVariables,
  ...videoLimitVariables,
  ...leaseVariables,
  ...segmentVariables,
};

const SCHEMAS = {
  api: z.object(apiVariables),
  image: z.object(imageVariables),
  video: z.object(videoVariables),
};

/** Lists the variables that a Worker reads. */
export function variablesOf(kind: keyof typeof SCHEMAS): string[] {
  return Object.keys(SCHEMAS[kind].shape);
}

/** The faults of a Worker's variables that are set: a sentence by name. Secrets and URLs are not repeated. */
export function variableFaults(
  kind: keyof typeof SCHEMAS,
  variables: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const issues = SCHEMAS[kind].safeParse(variables).error?.issues ?? [];
  return new Map(
    issues
      .map(({ path: [name], message }): [string, string] => [String(name), message])
      .filter(([name]) => name in variables),
  );
}
