import sharp from "sharp";
import { ffmpeg } from "../node-support/ffmpeg.ts";
import { SPEECH_RATE, syntheticSpeech } from "../support/synthetic-speech.ts";
import { pictureWithCodes } from "./pictures.ts";

export const FILM = "gap.webm";
const SECONDS = 8;
const FRAMES_PER_SECOND = 10;
/** When the whole picture is gray, so that nobody sees the code. */
const GAP = { from: 2, until: 3 };
/** When somebody talks over the hum, in seconds. */
export const TALKS = [
  { from: 1, until: 2.5 },
  { from: 5, until: 6.5 },
] as const;
/** Loud enough to be heard, and far quieter than talk. */
const HUM = 1500;
const TALK = 28_000;

/** A film with a QR code that is gone for a second, in which somebody talks twice over a hum. */
export async function filmWithGap(): Promise<Buffer> {
  const still = await (await pictureWithCodes()).picture.resize(480, 360).png().toBuffer();
  const blank = { width: 480, height: 360, channels: 3, background: "#c8c8c8" } as const;
  const sound = Int16Array.from({ length: SECONDS * SPEECH_RATE }, (_, at) => HUM * Math.sin(at / 5));
  for (const [index, { from, until }] of TALKS.entries()) {
    const start = from * SPEECH_RATE;
    for (const [at, value] of syntheticSpeech(until - from, index + 1).entries())
      sound[start + at] = (sound[start + at] ?? 0) + TALK * value;
  }
  const picture = (name: string) =>
    ["-loop", "1", "-framerate", String(FRAMES_PER_SECOND), "-t", String(SECONDS), "-i", name] as const;
  const { bytes } = await ffmpeg(
    {
      "still.png": still,
      "blank.png": await sharp({ create: blank }).png().toBuffer(),
      "talk.pcm": new Uint8Array(sound.buffer),
    },
    [
      ...picture("still.png"),
      ...picture("blank.png"),
      ...`-f s16le -ar ${SPEECH_RATE} -ac 1 -i talk.pcm`.split(" "),
      "-filter_complex",
      `[0][1]overlay=enable='between(t,${GAP.from},${GAP.until})'[v]`,
      ..."-map [v] -map 2:a -pix_fmt yuv420p -c:v libvpx -deadline realtime -cpu-used 8 -b:v 1M -g 20".split(
        " ",
      ),
      ..."-c:a libopus -b:a 48k".split(" "),
    ],
    FILM,
  );
  return Buffer.from(bytes);
}

/** The loudest sample of a time range of a film, 0…1. */
export async function loudness(film: Uint8Array, fromSeconds: number, untilSeconds: number): Promise<number> {
  const { bytes } = await ffmpeg(
    { [FILM]: film },
    `-i ${FILM} -f s16le -ar ${SPEECH_RATE} -ac 1`.split(" "),
    "sound.pcm",
  );
  return new Int16Array(bytes.slice().buffer)
    .subarray(fromSeconds * SPEECH_RATE, untilSeconds * SPEECH_RATE)
    .reduce((most, value) => Math.max(most, Math.abs(value) / 32_768), 0);
}
