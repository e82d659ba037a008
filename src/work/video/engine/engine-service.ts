import { MINUTE_MS, SECOND_MS, nowMs } from "../../../ground/platform/clock.ts";
import type { VideoEnv } from "../../../ground/platform/env.ts";
import { errorFields, log } from "../../../ground/platform/log.ts";
import type { PictureCodec } from "../containers/picture-codec.ts";
import { abilitiesSchema } from "./run-stream.ts";

/** The address and token of an inference service that has a video engine. */
export interface EngineService {
  readonly url: string;
  readonly token: string;
}

type EngineServiceEnv = Pick<
  VideoEnv,
  "VIDEO_ENGINE" | "INFERENCE_URL" | "INFERENCE_TOKEN" | "INFERENCE_ACCESS_CLIENT_ID"
>;

/**
 * The inference service, if it is configured and large videos may go there. They cannot if Cloudflare Access is in front of it:
 * Cloudflare's proxy limits the size of a request and the time until its answer, and a run exceeds both.
 */
export function engineServiceOf(config: EngineServiceEnv): EngineService | undefined {
  const { VIDEO_ENGINE, INFERENCE_URL: url, INFERENCE_TOKEN: token, INFERENCE_ACCESS_CLIENT_ID } = config;
  if (VIDEO_ENGINE === "worker" || INFERENCE_ACCESS_CLIENT_ID !== undefined) return undefined;
  return url === undefined || token === undefined ? undefined : { url, token };
}

const KNOWN_LIFETIME_MS = MINUTE_MS;
const UNKNOWN_LIFETIME_MS = 5 * SECOND_MS;
const TIMEOUT_MS = 2 * SECOND_MS;

/** The codecs that a service decodes and how long this answer is valid. `codecs` is undefined if the service did not answer. */
interface Answer {
  readonly codecs: ReadonlySet<string> | undefined;
  readonly freshUntilMs: number;
}

const answers = new Map<string, Answer>();

/** Whether the inference service decodes a codec, according to an answer of the last minute; undefined if it does not answer. */
export async function decodesThere(
  service: EngineService,
  codec: PictureCodec,
): Promise<boolean | undefined> {
  const known = answers.get(service.url);
  const isFresh = known !== undefined && known.freshUntilMs > nowMs();
  return (isFresh ? known : await asked(service)).codecs?.has(codec);
}

/** Like `decodesThere`, but always asks the service, for decisions that are made only once. */
export async function decodesThereNow(
  service: EngineService,
  codec: PictureCodec,
): Promise<boolean | undefined> {
  return (await asked(service)).codecs?.has(codec);
}

async function asked(service: EngineService): Promise<Answer> {
  const codecs = await askCodecs(service).catch((error: unknown) => {
    log("warn", "engine_service.abilities_unknown", errorFields(error));
    return undefined;
  });
  const lifetimeMs = codecs === undefined ? UNKNOWN_LIFETIME_MS : KNOWN_LIFETIME_MS;
  const answer = { codecs, freshUntilMs: nowMs() + lifetimeMs };
  answers.set(service.url, answer);
  return answer;
}

async function askCodecs({ url, token }: EngineService): Promise<ReadonlySet<string>> {
  const response = await fetch(`${url}/v1/abilities`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(
      `The inference service answered ${response.status} when asked what its video engine can do.`,
    );
  }
  return new Set(abilitiesSchema.parse(await response.json()).codecs);
}
