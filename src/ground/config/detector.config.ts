import { optionalSecret, optionalUrl, wholeNumber, wordOf } from "./values.ts";

/** How a Worker reaches its detector. */
export const detectorVariables = {
  DETECTOR: wordOf(["inference", "huggingface"]).default("inference"),
  INFERENCE_URL: optionalUrl,
  INFERENCE_TOKEN: optionalSecret,
  INFERENCE_ACCESS_CLIENT_ID: optionalSecret,
  INFERENCE_ACCESS_CLIENT_SECRET: optionalSecret,
  HUGGINGFACE_URL: optionalUrl,
  HUGGINGFACE_TOKEN: optionalSecret,
  HUGGINGFACE_LABELS: optionalSecret,
  DETECTION_TIMEOUT_SECONDS: wholeNumber({ unit: "seconds", least: 1, most: 300, byDefault: 60 }),
};
