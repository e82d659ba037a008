import { ffmpeg } from "../node-support/ffmpeg.ts";
import { loadCodes, pictureWithCodes, readableCodes } from "../e2e/pictures.ts";
import sharp from "sharp";

const SECONDS = 3;
const FRAMES_PER_SECOND = 10;
/** A picture has a QR code and a barcode. Only the QR code must be hidden. */
const CODES_LEFT = 1;

/** A file to upload, and how many codes may be readable in its output. */
export interface SoakFile {
  readonly filename: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Sentences about readable codes in an output. */
  judge(output: Buffer): Promise<string[]>;
}

/** Photos in each format and a short video, all with codes that must not be readable afterwards. */
export async function soakFiles(): Promise<{ photos: SoakFile[]; video: SoakFile }> {
  await loadCodes();
  const { picture } = await pictureWithCodes();
  const photos = await Promise.all(
    (["jpeg", "png", "webp"] as const).map(async (format): Promise<SoakFile> => {
      const bytes = new Uint8Array(await picture.clone().toFormat(format, { quality: 90 }).toBuffer());
      return { filename: `codes.${format}`, bytes, judge: judgePicture };
    }),
  );
  const still = await picture.clone().resize(640, 480).png().toBuffer();
  const { bytes } = await ffmpeg(
    { "still.png": new Uint8Array(still) },
    [
      ..."-loop 1 -i still.png".split(" "),
      ...`-t ${SECONDS} -r ${FRAMES_PER_SECOND} -c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 10`.split(
        " ",
      ),
    ],
    "clip.mp4",
  );
  return { photos, video: { filename: "clip.mp4", bytes: new Uint8Array(bytes), judge: judgeVideo } };
}

async function judgePicture(output: Buffer): Promise<string[]> {
  const codes = await readableCodes(output);
  return codes > CODES_LEFT ? [`${codes} codes can be read.`] : [];
}

async function judgeVideo(output: Buffer): Promise<string[]> {
  const { bytes } = await ffmpeg(
    { "output.mp4": new Uint8Array(output) },
    "-i output.mp4 -fps_mode passthrough -pix_fmt rgb24 -f rawvideo".split(" "),
    "frames.rgb",
  );
  const frameBytes = 640 * 480 * 3;
  const faults: string[] = [];
  if (bytes.length !== frameBytes * SECONDS * FRAMES_PER_SECOND) {
    faults.push(`The video has ${bytes.length / frameBytes} frames.`);
  }
  for (let at = 0; at < bytes.length; at += frameBytes * FRAMES_PER_SECOND) {
    const frame = sharp(bytes.subarray(at, at + frameBytes), {
      raw: { width: 640, height: 480, channels: 3 },
    });
    faults.push(...(await judgePicture(await frame.png().toBuffer())));
  }
  return faults;
}
