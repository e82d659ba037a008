import { z } from "zod";
import { detectorSettings } from "../../src/work/detection/detector-settings.ts";
import { askDetector } from "../../src/work/detection/served-categories.ts";
import type { FailingEndpoint } from "../../src/work/maintenance/failing-endpoints.repository.ts";
import { failingEndpoints, readOperations } from "../../src/work/maintenance/operations.service.ts";
import { DAY_MS, HOUR_MS } from "../../src/ground/platform/clock.ts";
import { detectorVariables } from "../../src/ground/config/detector.config.ts";
import { everyDatabase } from "./account-moves.ts";
import type { DatabaseTarget } from "./database.ts";
import { readService } from "./local.ts";
import { outsideDatabase } from "./outside-connection.ts";

const SHOWN_ENDPOINTS = 1_000;

/** The state of the service over all accounts: what the System page shows, as far as it is known outside the service. */
export async function showSystem(target: DatabaseTarget): Promise<Record<string, unknown>> {
  const databases = everyDatabase(target).map(outsideDatabase);
  const nowMs = Date.now();
  const times = { nowMs, sinceHourMs: nowMs - HOUR_MS, sinceDayMs: nowMs - DAY_MS };
  const { queues, steps: videoSteps, failures } = await readOperations(databases, times);
  return {
    inference: await inferenceState(target),
    queues,
    videoSteps,
    failures,
    failingEndpoints: await failingEndpoints(databases, SHOWN_ENDPOINTS),
  };
}

/** The webhook endpoints of all accounts that keep failing. */
export async function listFailingWebhooks(target: DatabaseTarget): Promise<FailingEndpoint[]> {
  return await failingEndpoints(everyDatabase(target).map(outsideDatabase), SHOWN_ENDPOINTS);
}

/** Whether the inference service answers this machine. */
interface InferenceState {
  /** `not_running` if the local service is stopped; `not_asked` if no address is configured or there is no health check. */
  readonly state: "ok" | "failing" | "not_running" | "not_asked";
  readonly durationMs?: number;
  readonly fault?: string;
  readonly hint?: string;
  readonly models?: readonly { readonly id: string; readonly version: string }[];
}

/** Requests the health of the local inference service, or of the one that the environment names. */
async function inferenceState(target: DatabaseTarget): Promise<InferenceState> {
  const variables = "local" in target ? await localVariables() : process.env;
  const config = z.object(detectorVariables).parse(variables);
  if (
    config.DETECTOR === "inference" &&
    (config.INFERENCE_URL === undefined || config.INFERENCE_TOKEN === undefined)
  )
    return "local" in target
      ? { state: "not_running", hint: "start it with npm start" }
      : {
          state: "not_asked",
          hint: "set INFERENCE_URL and INFERENCE_TOKEN as they are in the environment's secrets",
        };
  const { health, models = [] } = await askDetector(detectorSettings(config));
  const { state, fault, durationMs } = health;
  if (state === "not_asked") return { state, hint: "a Hugging Face endpoint has no health check" };
  if (fault !== undefined) return { state, durationMs, fault };
  return { state, durationMs, models: models.map(({ id, version }) => ({ id, version })) };
}

async function localVariables(): Promise<Record<string, string>> {
  const service = await readService();
  return service === undefined
    ? {}
    : { INFERENCE_URL: service.inferenceUrl, INFERENCE_TOKEN: service.inferenceToken };
}
