import { z } from "zod";

const modelsSchema = z.object({
  models: z.array(z.object({ id: z.string(), version: z.string(), device: z.string() })),
  categories: z.array(z.string()),
});

/** The models that run and the categories that they detect. */
export type ServedModels = z.output<typeof modelsSchema>;

/** The address of the inference service and the token for it. */
export interface InferenceAccess {
  readonly inferenceUrl: string;
  readonly inferenceToken: string;
}

/** Returns the models that the service runs and the categories that it serves. */
export async function servedModels({ inferenceUrl, inferenceToken }: InferenceAccess): Promise<ServedModels> {
  const response = await fetch(`${inferenceUrl}/v1/models`, {
    headers: { Authorization: `Bearer ${inferenceToken}` },
  });
  return modelsSchema.parse(await response.json());
}

/** Sends frames to the service for detection. Throws unless the request succeeds. */
export async function detect(
  { inferenceUrl, inferenceToken }: InferenceAccess,
  { frames, categories }: { frames: readonly Buffer<ArrayBuffer>[]; categories: readonly string[] },
): Promise<void> {
  const form = new FormData();
  form.append("request", new Blob([JSON.stringify({ categories })], { type: "application/json" }));
  for (const frame of frames) form.append("frames", new Blob([frame], { type: "image/jpeg" }));
  const response = await fetch(`${inferenceUrl}/v1/detections`, {
    method: "POST",
    headers: { Authorization: `Bearer ${inferenceToken}` },
    body: form,
  });
  const body = await response.text();
  if (!response.ok) throw new Error(`The detection was answered ${response.status}: ${body}`);
}

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
