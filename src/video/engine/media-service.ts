import { MINUTE_MS, SECOND_MS, nowMs } from "../../platform/clock.ts";
import type { VideoEnv } from "../../platform/env.ts";
import { errorFields, log } from "../../platform/log.ts";
import type { PictureCodec } from "../containers/picture-codec.ts";
import { abilitiesSchema } from "./run-stream.ts";

/** The media service's address and token. */
export interface MediaService {
  readonly url: string;
  readonly token: string;
}

type MediaServiceEnv = Pick<VideoEnv, "MEDIA_SERVICE_URL" | "MEDIA_SERVICE_TOKEN">;

/** The media service, if its address and its token are both configured. */
export function mediaServiceOf(config: MediaServiceEnv): MediaService | undefined {
  const { MEDIA_SERVICE_URL: url, MEDIA_SERVICE_TOKEN: token } = config;
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

/** Whether the media service decodes a codec, according to an answer of the last minute; undefined if it does not answer. */
export async function decodesThere(service: MediaService, codec: PictureCodec): Promise<boolean | undefined> {
  const known = answers.get(service.url);
  const isFresh = known !== undefined && known.freshUntilMs > nowMs();
  return (isFresh ? known : await asked(service)).codecs?.has(codec);
}

/** Like `decodesThere`, but always asks the service, for decisions that are made only once. */
export async function decodesThereNow(
  service: MediaService,
  codec: PictureCodec,
): Promise<boolean | undefined> {
  return (await asked(service)).codecs?.has(codec);
}

async function asked(service: MediaService): Promise<Answer> {
  const codecs = await askCodecs(service).catch((error: unknown) => {
    log("warn", "media_service.abilities_unknown", errorFields(error));
    return undefined;
  });
  const lifetimeMs = codecs === undefined ? UNKNOWN_LIFETIME_MS : KNOWN_LIFETIME_MS;
  const answer = { codecs, freshUntilMs: nowMs() + lifetimeMs };
  answers.set(service.url, answer);
  return answer;
}

async function askCodecs({ url, token }: MediaService): Promise<ReadonlySet<string>> {
  const response = await fetch(`${url}/v1/abilities`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`The media service answered ${response.status} when asked what it can do.`);
  }
  return new Set(abilitiesSchema.parse(await response.json()).codecs);
}
