import { randomBytes } from "node:crypto";
import { detect, servedModels, type InferenceAccess } from "./inference.ts";
import { withInference } from "./inference-service.ts";
import { drawStreet } from "./pictures.ts";
import { progress, reported, type Finding } from "./report.ts";
import { rounded, timed } from "./statistics.ts";

/** Where networks run, as `PROVIDER` of the inference service. */
export const PROVIDERS = ["cpu", "cuda", "tensorrt"] as const;
export type Provider = (typeof PROVIDERS)[number];

/** A video's request: as many frames as a Worker sends at once. */
const FRAMES = { size: { width: 640, height: 360 }, perRequest: 8, categories: ["heads"] };
const PHOTO_SIZE = { width: 1920, height: 1080 };
/** Requests that are sent at the same time. */
const PARALLEL_REQUESTS = [1, 4];
const SESSIONS = [1, 2];
const REQUESTS = { cpu: 8, cuda: 64, tensorrt: 64 };

interface Speed {
  readonly provider: Provider;
  readonly sessions: number;
  readonly parallelRequests: number;
  readonly framesPerSecond: number;
  readonly photosPerSecond: number;
}

/**
 * Measures a provider with one and with two sessions of each network. The reference is the CPU with one session.
 * @throws Error if the service does not start, such as without a GPU
 */
export async function measureProvider(provider: Provider): Promise<{ findings: Finding[]; details: object }> {
  const speeds: Speed[] = [];
  for (const sessions of SESSIONS) speeds.push(...(await speedsOf(provider, sessions)));
  const reference = await speedsOf("cpu", 1);
  const findings = speeds.flatMap((speed) => {
    const { sessions, parallelRequests } = speed;
    const beside = reference.find((other) => other.parallelRequests === parallelRequests);
    const how = `${provider} with ${sessions} sessions, ${parallelRequests} requests at a time`;
    return [
      reported({
        claim: `${how}: frames of 640×360 for heads`,
        unit: "frames/s",
        measured: speed.framesPerSecond,
      }),
      reported({
        claim: `${how}: photos of 1920×1080 for all categories`,
        unit: "photos/s",
        measured: speed.photosPerSecond,
      }),
      reported({
        claim: `${how}: frames, against the CPU with one session`,
        unit: "times",
        measured: rounded(speed.framesPerSecond / (beside?.framesPerSecond ?? Number.NaN)),
      }),
      reported({
        claim: `${how}: photos, against the CPU with one session`,
        unit: "times",
        measured: rounded(speed.photosPerSecond / (beside?.photosPerSecond ?? Number.NaN)),
      }),
    ];
  });
  return { findings, details: { reference, speeds } };
}

async function speedsOf(provider: Provider, sessions: number): Promise<Speed[]> {
  const settings = { PROVIDER: provider, MODEL_SESSIONS: String(sessions) };
  return await withInference(
    randomBytes(32).toString("base64url"),
    async (access) => {
      const { categories } = await servedModels(access);
      const frame = Buffer.from(await drawStreet({ ...FRAMES.size, seed: 1 }));
      const photo = Buffer.from(await drawStreet({ ...PHOTO_SIZE, seed: 1 }));
      const film = {
        frames: Array.from({ length: FRAMES.perRequest }, () => frame),
        categories: FRAMES.categories,
      };
      const speeds: Speed[] = [];
      for (const parallelRequests of PARALLEL_REQUESTS) {
        progress(`inference: ${provider}, ${sessions} sessions, ${parallelRequests} requests at a time`);
        const load = { requests: REQUESTS[provider], parallelRequests };
        const framesPerSecond = FRAMES.perRequest * (await requestsPerSecond(access, film, load));
        const photosPerSecond = await requestsPerSecond(access, { frames: [photo], categories }, load);
        speeds.push({
          provider,
          sessions,
          parallelRequests,
          framesPerSecond: rounded(framesPerSecond, 1),
          photosPerSecond: rounded(photosPerSecond),
        });
      }
      return speeds;
    },
    settings,
  );
}

/** Sends the same request again and again, so many at a time, after two that warm the service up. */
async function requestsPerSecond(
  access: InferenceAccess,
  request: Parameters<typeof detect>[1],
  { requests, parallelRequests }: { requests: number; parallelRequests: number },
): Promise<number> {
  await Promise.all([detect(access, request), detect(access, request)]);
  let left = requests;
  const sender = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await detect(access, request);
    }
  };
  const ms = await timed(async () => await Promise.all(Array.from({ length: parallelRequests }, sender)));
  return (1000 * requests) / ms;
}
