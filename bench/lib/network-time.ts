import type { InferenceAccess } from "./inference.ts";

const SUM = /^veil_model_seconds_sum\{.*\} (\S+)$/gm;

/** How long the networks of a running inference service have run in all, in milliseconds, by its metrics. */
export async function networksMs({ inferenceUrl, inferenceToken }: InferenceAccess): Promise<number> {
  const response = await fetch(`${inferenceUrl}/metrics`, {
    headers: { Authorization: `Bearer ${inferenceToken}` },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The metrics were answered ${response.status}: ${text}`);
  return [...text.matchAll(SUM)].reduce((sum, [, seconds]) => sum + Number(seconds) * 1000, 0);
}
