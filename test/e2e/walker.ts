import sharp from "sharp";
import { definitions, person } from "../../scripts/lib/street-scene.ts";
import { ffmpeg } from "../node-support/ffmpeg.ts";

/** A video of somebody who walks across a street and passes behind a fence through which the face is still recognizable. */
export const WALK = {
  width: 768,
  height: 416,
  framesPerSecond: 12,
  seconds: 10,
  filename: "walk.mp4",
} as const;

/** The fence, in pixels. */
const FENCE = { left: 215, right: 555, barPx: 8, stepPx: 16 } as const;
const PERSON = { y: 150, scale: 1.35, from: 100, to: 668 } as const;
const LOOKS = { skin: "#e0ac8a", hair: "#3a2415", shirt: "#31588a" };

/** The ellipse of a head in a frame, in pixels. */
export interface Head {
  readonly x: number;
  readonly y: number;
  readonly radiusX: number;
  readonly radiusY: number;
}

/** Where the head is in a frame. */
export function headAt(frame: number): Head {
  const { y, scale } = PERSON;
  return { x: placeAt(frame), y: y - 4 * scale, radiusX: 42 * scale, radiusY: 50 * scale };
}

/** How many frames the video has. */
export const WALK_FRAMES = WALK.framesPerSecond * WALK.seconds;

function placeAt(frame: number): number {
  return Math.round(PERSON.from + ((PERSON.to - PERSON.from) * frame) / (WALK_FRAMES - 1));
}

/** One frame as it is drawn. */
async function drawWalk(frame: number): Promise<Buffer> {
  const { width, height } = WALK;
  const { y, scale } = PERSON;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    ${definitions()}
    <rect width="${width}" height="260" fill="url(#sky)"/>
    <path d="M0 230 Q150 150 330 210 T768 170 L768 330 L0 330 Z" fill="#87a173" filter="url(#far)"/>
    <rect y="300" width="${width}" height="180" fill="url(#road)"/>
    ${person({ x: placeAt(frame), y, scale }, LOOKS)}
    ${fence()}
  </svg>`;
  return await sharp(Buffer.from(svg)).blur(0.8).removeAlpha().raw().toBuffer();
}

function fence(): string {
  const { left, right, barPx, stepPx } = FENCE;
  const bars = Array.from({ length: Math.ceil((right - left) / stepPx) }, (_, index) => {
    return `<rect x="${left + index * stepPx}" y="20" width="${barPx}" height="460" fill="#6b5a44"/>`;
  });
  return bars.join("");
}

/** The video, encoded as phones do. */
export async function encodeWalk(): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height, framesPerSecond, filename } = WALK;
  const frames: Buffer[] = [];
  for (let frame = 0; frame < WALK_FRAMES; frame++) frames.push(await drawWalk(frame));
  const { bytes } = await ffmpeg(
    { "frames.rgb": Buffer.concat(frames) },
    [
      ...`-f rawvideo -pix_fmt rgb24 -s ${width}x${height} -r ${framesPerSecond} -i frames.rgb`.split(" "),
      ..."-c:v libx264 -preset veryfast -crf 20 -g 30 -pix_fmt yuv420p".split(" "),
    ],
    filename,
  );
  return bytes;
}
