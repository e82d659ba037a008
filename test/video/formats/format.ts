/** A file that videos are redacted from, made by the tests' own code, and what is special about it. */
export interface Format {
  readonly container: "MP4" | "QuickTime" | "WebM" | "Matroska" | "AVI";
  /** What is made of it, where that is another container. */
  readonly output?: "MP4" | "WebM" | undefined;
  readonly video: string;
  readonly audio: string;
  /** What is tried with it: tells it from all others. */
  readonly property: string;
  readonly recipe: Recipe;
  /** Whether the ffmpeg that is installed makes and reads its files, since the core cannot; the inference service works on them. */
  readonly isForInstalled?: true;
  readonly expected?: Expected | undefined;
}

/** How a file is made: ffmpeg's arguments, between which and the output's name nothing comes, and what is done to its bytes then. */
export interface Recipe {
  readonly args: string;
  /** Arguments of which each makes a piece; all together are the file `pieces` that the arguments may name. */
  readonly pieces?: readonly string[];
  /** What is done to the pieces before. */
  readonly encode?: (pieces: Uint8Array) => Uint8Array;
  /** Text files that the arguments name. */
  readonly texts?: Readonly<Record<string, string>>;
  readonly edit?: (file: Uint8Array) => Uint8Array;
}

/** In what the output differs from the source, if in anything. */
export interface Expected extends Partial<Pick<Facts, "picture" | "frameTicks" | "packetTicks">> {
  /** Lowest PSNR of a frame outside the region, in dB. */
  readonly leastPsnr?: number;
  /** Of several sound tracks, how many the output has. */
  readonly soundTracks?: number;
}

const EXTENSIONS = { MP4: "mp4", QuickTime: "mov", WebM: "webm", Matroska: "mkv", AVI: "avi" } as const;

/** Name of a format's file. */
export function filenameOf({ container }: Format): string {
  return `clip.${EXTENSIONS[container]}`;
}

/** Name of the file that is made of it. */
export function outputNameOf({ container, output }: Format): string {
  return `output.${EXTENSIONS[output ?? container]}`;
}

/** What tells a format from all others. */
export function nameOf({ container, video, property }: Format): string {
  return `${container}, ${video}: ${property}`;
}

/** What is hidden in every frame, as the detector tells it: left, top, width, height in shares of the stored frame. */
export const HIDDEN_BOX = [0.25, 0.25, 0.3, 0.4] as const;

/** What stands in sources and must not stand in outputs, besides names of encoders. */
export const SECRET = "SECRET";

/** What an independent reader sees of a file. */
export interface Facts {
  /** Width, height, shape of pixels, colours and order of fields of the video, as they are shown. */
  readonly picture: string;
  /** What turns the picture: matrices of an MP4. */
  readonly turn: string;
  readonly frames: number;
  /** When frames are shown, in the stream's ticks. */
  readonly frameTicks: readonly number[];
  /** Times of all packets, shown or not, ascending, and the last one's end. */
  readonly packetTicks: readonly number[];
  /** A line for each audio stream: codec, layout, rate, language; and when its packets are heard, with their hashes. */
  readonly audio: readonly {
    readonly stream: string;
    readonly packets: readonly string[];
    readonly sound: string;
  }[];
  /** What the file should not tell: kinds of streams besides video and audio, chapters, secrets, encoders. */
  readonly traces: readonly string[];
  /** Whether the header is before the media. */
  readonly startsAtOnce: boolean;
}

/** How an output compares with its source. */
export interface Comparison {
  readonly source: Facts;
  readonly output: Facts;
  /** Lowest PSNR of any frame in RGB, in dB: outside the region, and within. */
  readonly outsidePsnr: number;
  readonly insidePsnr: number;
  /** The same with every frame compared with its neighbour: what a frame too early or too late would have. */
  readonly shiftedPsnr: number;
}
