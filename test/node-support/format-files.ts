import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from "mediabunny";
import { concatBytes } from "../../src/pixels/redaction/bytes/bytes.ts";
import {
  type Comparison,
  type Facts,
  type Format,
  filenameOf,
  outputNameOf,
  HIDDEN_BOX,
  SECRET,
} from "../video/formats/format.ts";
import { ffmpegFiles } from "./ffmpeg.ts";
import { installedFfmpegFiles } from "./installed-ffmpeg.ts";

const NONE = new Uint8Array(0);

function unchanged(file: Uint8Array): Uint8Array {
  return file;
}

/** The ffmpeg that creates and reads a format's files. */
function runnerOf({ isForInstalled }: Format): typeof ffmpegFiles {
  return isForInstalled === true ? installedFfmpegFiles : ffmpegFiles;
}

/** Creates a format's file. */
export async function makeFormat(format: Format): Promise<Uint8Array<ArrayBuffer>> {
  const { args, texts = {}, pieces = [], encode = unchanged, edit = unchanged } = format.recipe;
  const name = filenameOf(format);
  const run = runnerOf(format);
  const inputs: Record<string, Uint8Array> = {};
  for (const [key, text] of Object.entries(texts)) inputs[key] = new TextEncoder().encode(text);
  const made: Uint8Array[] = [];
  for (const piece of pieces)
    made.push((await run({}, [...piece.split(" "), "piece"], ["piece"])).files[0] ?? NONE);
  if (made.length > 0) inputs["pieces"] = encode(concatBytes(made));
  const { files } = await run(inputs, [...args.split(" "), name], [name]);
  return Uint8Array.from(edit(files[0] ?? new Uint8Array(0)));
}

interface Examined {
  readonly facts: Facts;
  readonly width: number;
  readonly height: number;
  /** Every frame as RGB, as stored. */
  readonly frames: Uint8Array;
}

/** Compares an output with its source. */
export async function compareFormat(
  format: Format,
  source: Uint8Array,
  output: Uint8Array,
): Promise<Comparison> {
  const isInMs = format.output === "MP4";
  const run = runnerOf(format);
  const before = await examine(filenameOf(format), source, { isInMs, run });
  const after = await examine(outputNameOf(format), output, { isInMs, run });
  const size = { width: before.width, height: before.height };
  const frameBytes = 3 * size.width * size.height;
  const psnr = (isInside: boolean, shift: number): number => {
    let lowest = Infinity;
    for (
      let at = 0;
      at + (shift + 1) * frameBytes <= Math.min(before.frames.length, after.frames.length);
      at += frameBytes
    ) {
      const from = before.frames.subarray(at + shift * frameBytes, at + (shift + 1) * frameBytes);
      lowest = Math.min(lowest, framePsnr(from, after.frames.subarray(at, at + frameBytes), size, isInside));
    }
    return lowest;
  };
  return {
    ...(format.output === undefined
      ? { source: before.facts, output: after.facts }
      : {
          source: betweenContainers(before.facts, before.facts, format),
          output: betweenContainers(after.facts, before.facts, format),
        }),
    outsidePsnr: psnr(false, 0),
    insidePsnr: psnr(true, 0),
    shiftedPsnr: psnr(false, 1),
  };
}

/** The rounding error of times in a container that counts milliseconds. */
const ROUNDED_MS = 1;

/** The facts that stay the same in another container: the times of all pictures, and the times of all audio packets. */
function betweenContainers(facts: Facts, source: Facts, { output, expected }: Format): Facts {
  if (output === "WebM") return facts;
  const { soundTracks = source.audio.length } = expected ?? {};
  return {
    ...facts,
    turn: "",
    packetTicks: source.packetTicks.length === 0 ? [] : facts.packetTicks.slice(0, -1),
    audio: facts.audio.slice(0, soundTracks).map(({ stream, packets }, track) => ({
      stream: stream.replaceAll(/ \([^)]*\)|\[\w+\]|\(und\)/g, "").replace(/, \w+$/, ""),
      packets: packets.map((packet, index) => {
        const [ms = "", hash = ""] = packet.split(" ");
        const [told = ""] = source.audio[track]?.packets[index]?.split(" ") ?? [];
        return `${Math.abs(Number(ms) - Number(told)) <= ROUNDED_MS ? told : ms} ${hash}`;
      }),
      sound: "",
    })),
  };
}

const MARGIN = 0.12;

function framePsnr(
  before: Uint8Array,
  after: Uint8Array,
  { width, height }: { width: number; height: number },
  isInside: boolean,
): number {
  const [left, top, boxWidth, boxHeight] = HIDDEN_BOX;
  const margin = isInside ? 0 : MARGIN;
  let squares = 0;
  let values = 0;
  for (let y = 0; y < height; y++) {
    const isRow = y / height >= top - margin && (y + 1) / height <= top + boxHeight + margin;
    for (let x = 0; x < width; x++) {
      const isIn = isRow && x / width >= left - margin && (x + 1) / width <= left + boxWidth + margin;
      if (isIn !== isInside) continue;
      for (let at = 3 * (y * width + x); at < 3 * (y * width + x) + 3; at++) {
        squares += ((before[at] ?? 0) - (after[at] ?? 0)) ** 2;
        values += 1;
      }
    }
  }
  return 10 * Math.log10((255 ** 2 * values) / Math.max(squares, 1e-9));
}

const LOOKS = [
  "-map 0:v:0 -map 0:a? -c copy -copyts -f framemd5 packets.txt",
  "-map 0:v:0 -fps_mode passthrough -enc_time_base -1 -copyts -s 16x16 -f framemd5 frames.txt",
  "-map 0:v:0 -fps_mode passthrough -pix_fmt rgb24 -f rawvideo frames.rgb",
].join(" ");
const SOUND = "-map 0:a? -c:a pcm_s16le -f streamhash -hash md5 sound.txt";

interface Reading {
  /** Whether audio times are in milliseconds, regardless of the container. */
  readonly isInMs: boolean;
  readonly run: typeof ffmpegFiles;
}

async function examine(name: string, file: Uint8Array, { isInMs, run }: Reading): Promise<Examined> {
  const input = `-noautorotate -i ${name} ${LOOKS}`.split(" ");
  const { files, log } = await withSound(run, { [name]: file }, input);
  const [packets = NONE, shownFrames = NONE, frames = NONE, sound] = files;
  const streams = log
    .slice(0, log.indexOf("Output #0"))
    .split("\n")
    .filter((line) => /^ *Stream #/.test(line));
  const shown = streams.find((line) => line.includes("Video: ")) ?? "";
  const [, width = "0", height = "0"] = /, (\d+)x(\d+)/.exec(shown) ?? [];
  const rows = rowsOf(new TextDecoder().decode(packets), isInMs);
  const sounds = sound === undefined ? [] : new TextDecoder().decode(sound).trim().split("\n");
  const audio = streams.filter((line) => line.includes("Audio: "));
  const frameBytes = 3 * Number(width) * Number(height);
  return {
    width: Number(width),
    height: Number(height),
    frames,
    facts: {
      picture: `${width}x${height} ${/SAR \d+:\d+/.exec(shown)?.[0] ?? ""} ${coloursOf(shown)} ${rotationOf(log)}`,
      turn: isMovie(name) ? movieTurn(file) : "",
      frames: frames.length / frameBytes,
      frameTicks: rowsOf(new TextDecoder().decode(shownFrames)).map(({ pts }) => pts),
      packetTicks: await packetTicksOf(file),
      audio: audio.map((line, index) => ({
        stream: line.replace(/^.*?#\d+:\d+(?:\[0x\w+\])?/, "").replace(/, \d+ kb\/s/, ""),
        packets: rows.filter((row) => row.stream === index + 1).map(({ pts, hash }) => `${pts} ${hash}`),
        sound: sounds[index]?.replace(/^\d+/, "") ?? "",
      })),
      traces: tracesOf(file, streams, log),
      startsAtOnce: startsAtOnce(name, file),
    },
  };
}

/** The times of all video packets, shown or not, in ascending order, and the end of the last one. */
async function packetTicksOf(file: Uint8Array): Promise<number[]> {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(file) });
  if (!(await input.canRead())) return [];
  const [track] = await input.getVideoTracks();
  if (track === undefined) return [];
  const scale = await track.getTimeResolution();
  const ticks: number[] = [];
  let end = 0;
  for await (const { timestamp, duration } of new EncodedPacketSink(track).packets()) {
    ticks.push(Math.round(timestamp * scale));
    end = Math.max(end, Math.round((timestamp + duration) * scale));
  }
  return [...ticks.sort((a, b) => a - b), end];
}

/** Also decodes the sound, if the core can. */
async function withSound(
  run: typeof ffmpegFiles,
  inputs: Readonly<Record<string, Uint8Array>>,
  args: readonly string[],
): Promise<{ files: Uint8Array<ArrayBuffer>[]; log: string }> {
  const looks = ["packets.txt", "frames.txt", "frames.rgb"];
  try {
    return await run(inputs, [...args, ...SOUND.split(" ")], [...looks, "sound.txt"]);
  } catch {
    return await run(inputs, args, looks);
  }
}

interface Row {
  readonly stream: number;
  readonly pts: number;
  readonly hash: string;
}

function rowsOf(text: string, isInMs = false): Row[] {
  const scales = [...text.matchAll(/^#tb \d+: (\d+)\/(\d+)/gm)].map(
    ([, ticks, second]) => (1000 * Number(ticks)) / Number(second),
  );
  return text
    .split("\n")
    .filter((line) => /^\d/.test(line))
    .map((line) => {
      const [stream, , pts, , , ...hashes] = line.split(",").map((field) => field.trim());
      return {
        stream: Number(stream),
        pts: isInMs ? Math.round(Number(pts) * (scales[Number(stream)] ?? 1)) : Number(pts),
        hash: hashes.join(" "),
      };
    });
}

/** Range, matrix, primaries, transfer and fields. */
function coloursOf(stream: string): string {
  const told = /Video: .*?, \w+\(([^)]*)\)/.exec(stream)?.[1] ?? "";
  const isFull = /Video: .*?, yuvj/.test(stream);
  return `${isFull && !told.includes("pc") ? "pc, " : ""}${told}`;
}

function rotationOf(log: string): string {
  return /displaymatrix: (.*)/.exec(log.slice(0, log.indexOf("Output #0")))?.[1] ?? "";
}

function tracesOf(file: Uint8Array, streams: readonly string[], log: string): string[] {
  const text = new TextDecoder("latin1").decode(file);
  const words = [SECRET, "Lavf", "Lavc", "x264", "libvpx", "libVorbis"].filter((word) => text.includes(word));
  const others = streams.filter((line) => !/: (Video|Audio): /.test(line)).map((line) => line.trim());
  const moreVideo = streams.filter((line) => line.includes(": Video: ")).slice(1);
  const chapters = log.includes("Chapters:") ? ["chapters"] : [];
  return [...words, ...others, ...moreVideo, ...chapters];
}

/** The matrices of the movie and of its video track (ISO/IEC 14496-12 §8.2.2, §8.3.2). */
function movieTurn(file: Uint8Array): string {
  const movie = Buffer.from(file);
  const mvhd = movie.indexOf("mvhd") + 4;
  const movieMatrix = movie.subarray(mvhd + (movie[mvhd] === 1 ? 48 : 36)).subarray(0, 36);
  for (let at = movie.indexOf("tkhd"); at >= 0; at = movie.indexOf("tkhd", at + 4)) {
    const next = movie.indexOf("hdlr", at);
    if (movie.subarray(next + 12, next + 16).toString() !== "vide") continue;
    const matrix = at + 4 + (movie[at + 4] === 1 ? 52 : 40);
    return `${movieMatrix.toString("hex")} ${movie.subarray(matrix, matrix + 36).toString("hex")}`;
  }
  return "";
}

function isMovie(name: string): boolean {
  return /\.(?:mp4|mov)$/.test(name);
}

const CUES = Buffer.from([0x1c, 0x53, 0xbb, 0x6b]);
const CLUSTER = Buffer.from([0x1f, 0x43, 0xb6, 0x75]);

function startsAtOnce(name: string, file: Uint8Array): boolean {
  const text = Buffer.from(file);
  if (!isMovie(name)) {
    const cues = text.indexOf(CUES);
    return cues > 0 && cues < text.indexOf(CLUSTER);
  }
  return text.indexOf("moov") > 0 && text.indexOf("moov") < text.indexOf("mdat");
}
