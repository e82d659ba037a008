import { z } from "zod";
import { REDACTION_CATEGORIES } from "../media/media.values.ts";
import { SECOND_MS } from "../platform/clock.ts";
import type { DetectorEnv } from "../platform/env.ts";

/** Which of an endpoint's labels mean which category; labels that are not named are ignored. */
const labelMapSchema = z.record(z.string(), z.enum(REDACTION_CATEGORIES));

export type LabelMap = z.output<typeof labelMapSchema>;

/** Which detector is used, and how it is reached. */
export type DetectorSettings = {
  readonly url: string;
  readonly token: string;
  readonly timeoutMs: number;
} & ({ readonly kind: "inference" } | { readonly kind: "huggingface"; readonly labels: LabelMap });

/** The detector that the configuration names. Throws a sentence that names the variable that is missing. */
export function detectorSettings(config: DetectorEnv): DetectorSettings {
  const timeoutMs = config.DETECTION_TIMEOUT_SECONDS * SECOND_MS;
  if (config.DETECTOR === "inference") {
    return {
      kind: "inference",
      url: required("INFERENCE_URL", config.INFERENCE_URL),
      token: required("INFERENCE_TOKEN", config.INFERENCE_TOKEN),
      timeoutMs,
    };
  }
  return {
    kind: "huggingface",
    url: required("HUGGINGFACE_URL", config.HUGGINGFACE_URL),
    token: required("HUGGINGFACE_TOKEN", config.HUGGINGFACE_TOKEN),
    labels: labelMapSchema.parse(JSON.parse(required("HUGGINGFACE_LABELS", config.HUGGINGFACE_LABELS))),
    timeoutMs,
  };
}

function required(name: string, value: string | undefined): string {
  if (value === undefined) throw new Error(`The variable ${name} is not set; the detector needs it.`);
  return value;
}
