import { z } from "zod";

const modelsSchema = z.object({
  models: z.array(z.object({ id: z.string(), version: z.string(), device: z.string() })),
  categories: z.array(z.string()),
});

/** What looks, and what it is asked for. */
export type ServedModels = z.output<typeof modelsSchema>;

/** Where the inference service is, and the token for it. */
export interface InferenceAccess {
  readonly inferenceUrl: string;
  readonly inferenceToken: string;
}

/** The models that the service runs, and the categories that it serves. */
export async function servedModels({ inferenceUrl, inferenceToken }: InferenceAccess): Promise<ServedModels> {
  const response = await fetch(`${inferenceUrl}/v1/models`, {
    headers: { Authorization: `Bearer ${inferenceToken}` },
  });
  return modelsSchema.parse(await response.json());
}

/** Asks the service to look at frames. Throws unless it answers. */
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
