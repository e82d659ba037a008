import sharp from "sharp";
import { ffmpeg } from "../../test/node-support/ffmpeg.ts";

const SIZES = [
  { width: 640, height: 360 },
  { width: 854, height: 480 },
];
const FRAME_RATES = [12, 15, 20, 25];
const SECONDS = [3, 4];
/** Every fourth film has a hard cut between two photos. */
const CUT_EVERY = 4;
/** The camera moves over the photo at this many times the size of the film, so that it moves in small steps. */
const OVERSIZE = 2;
/** How much of the picture a move leaves out, from the least to the most. */
const MOVES = [0.02, 0.04, 0.06, 0.08, 0.1];
/** A photo that is less wide than this is shown whole, between black bars. */
const LEAST_ASPECT = 1.2;

/** A photo, and the name of its file. */
export interface Photo {
  readonly name: string;
  readonly bytes: Buffer<ArrayBuffer>;
}

/** A film over one or two photos. */
export interface PhotoFilm {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly framesPerSecond: number;
}

/** Takes as many photos as the next film needs, in turn. */
function photosOf(photos: readonly Photo[], films: number): Photo[][] {
  let next = 0;
  return Array.from({ length: films }, (_none, index) => {
    const wanted = index % CUT_EVERY === CUT_EVERY - 1 ? 2 : 1;
    const start = next;
    next += wanted;
    return Array.from(
      { length: wanted },
      (_photo, offset) => photos[(start + offset) % photos.length],
    ).filter((photo) => photo !== undefined);
  });
}

/** Films photos with a slow pan or zoom over each, as H.264 with B-frames. Sizes, frame rates and moves differ from film to film. */
export async function filmPhotos(photos: readonly Photo[], films: number): Promise<PhotoFilm[]> {
  const made: PhotoFilm[] = [];
  for (const [index, shown] of photosOf(photos, films).entries()) made.push(await filmOf(shown, index));
  return made;
}

async function filmOf(photos: readonly Photo[], index: number): Promise<PhotoFilm> {
  const size = SIZES[index % SIZES.length] ?? { width: 640, height: 360 };
  const framesPerSecond = FRAME_RATES[index % FRAME_RATES.length] ?? 12;
  const seconds = SECONDS[Math.floor(index / 2) % SECONDS.length] ?? 3;
  const frames = Math.floor((framesPerSecond * seconds) / photos.length);
  const inputs: Record<string, Uint8Array> = {};
  for (const [shot, { bytes }] of photos.entries()) inputs[`${shot}.png`] = await placeOf(bytes, size);
  const shots = photos.map((_photo, shot) => {
    const options = `d=${frames}:s=${size.width}x${size.height}:fps=${framesPerSecond}`;
    return `[${shot}:v]zoompan=${moveOf(index + shot, frames)}:${options},setsar=1[shot${shot}]`;
  });
  const joined = photos.map((_photo, shot) => `[shot${shot}]`).join("");
  const { bytes } = await ffmpeg(
    inputs,
    [
      ...Object.keys(inputs).flatMap((name) => ["-i", name]),
      "-filter_complex",
      `${shots.join(";")};${joined}concat=n=${photos.length}:v=1:a=0,noise=alls=2:allf=t,format=yuv420p[v]`,
      ...`-map [v] -c:v libx264 -preset veryfast -crf 21 -bf 2 -g 60 -movflags +faststart`.split(" "),
    ],
    "film.mp4",
  );
  return { name: photos.map(({ name }) => name).join(" + "), bytes, framesPerSecond };
}

/** A photo at twice the size of the film. */
async function placeOf(bytes: Uint8Array, size: { width: number; height: number }): Promise<Buffer> {
  const { autoOrient } = await sharp(bytes).metadata();
  const fit = autoOrient.width / autoOrient.height < LEAST_ASPECT ? "contain" : "cover";
  return await sharp(bytes)
    .autoOrient()
    .resize({ width: OVERSIZE * size.width, height: OVERSIZE * size.height, fit, background: "#000" })
    .flatten()
    .png({ compressionLevel: 1 })
    .toBuffer();
}

/** The options of ffmpeg's zoompan for a move: closer, away, to the right, to the left, or along the diagonal. */
function moveOf(index: number, frames: number): string {
  const share = MOVES[index % MOVES.length] ?? 0.05;
  const passed = `(on/${Math.max(1, frames - 1)})`;
  const closest = 1 / (1 - share);
  const centered = "x='(iw-iw/zoom)/2':y='(ih-ih/zoom)/2'";
  const still = `z='${closest}'`;
  const moves = [
    `z='1+${closest - 1}*${passed}':${centered}`,
    `${still}:x='(iw-iw/zoom)*${passed}':y='(ih-ih/zoom)/2'`,
    `z='${closest}-${closest - 1}*${passed}':${centered}`,
    `${still}:x='(iw-iw/zoom)*(1-${passed})':y='(ih-ih/zoom)/2'`,
    `${still}:x='(iw-iw/zoom)*${passed}':y='(ih-ih/zoom)*${passed}'`,
  ];
  return moves[Math.floor(index / 2) % moves.length] ?? still;
}
