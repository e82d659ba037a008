import { SECOND_MS } from "../../ground/platform/clock.ts";
import type { DetectorEnv } from "../../ground/platform/env.ts";
import { readLabelMap, type LabelMap } from "./label-map.ts";

interface InferenceSettings {
  readonly kind: "inference";
  /** The credentials for Cloudflare Access in front of the service. Empty if there is no Access. */
  readonly accessHeaders: Readonly<Record<string, string>>;
}

/** Which detector to use, and how to reach it. */
export type DetectorSettings = {
  readonly url: string;
  readonly token: string;
  readonly timeoutMs: number;
} & (InferenceSettings | { readonly kind: "huggingface"; readonly labels: LabelMap });

/** The settings of the configured detector. Throws an Error that names the missing variable. */
export function detectorSettings(config: DetectorEnv): DetectorSettings {
  const timeoutMs = config.DETECTION_TIMEOUT_SECONDS * SECOND_MS;
  if (config.DETECTOR === "inference") {
    return {
      kind: "inference",
      url: demand("INFERENCE_URL", config.INFERENCE_URL),
      token: demand("INFERENCE_TOKEN", config.INFERENCE_TOKEN),
      accessHeaders: accessHeadersOf(config),
      timeoutMs,
    };
  }
  return {
    kind: "huggingface",
    url: demand("HUGGINGFACE_URL", config.HUGGINGFACE_URL),
    token: demand("HUGGINGFACE_TOKEN", config.HUGGINGFACE_TOKEN),
    labels: readLabelMap(demand("HUGGINGFACE_LABELS", config.HUGGINGFACE_LABELS)),
    timeoutMs,
  };
}

/** The headers with both parts of an Access service token, as Cloudflare Access expects them from programs. */
function accessHeadersOf(config: DetectorEnv): Record<string, string> {
  const { INFERENCE_ACCESS_CLIENT_ID: id, INFERENCE_ACCESS_CLIENT_SECRET: secret } = config;
  if (id === undefined && secret === undefined) return {};
  return {
    "CF-Access-Client-Id": demand("INFERENCE_ACCESS_CLIENT_ID", id),
    "CF-Access-Client-Secret": demand("INFERENCE_ACCESS_CLIENT_SECRET", secret),
  };
}

function demand(name: string, value: string | undefined): string {
  if (value === undefined) throw new Error(`The variable ${name} is not set; the detector needs it.`);
  return value;
}
