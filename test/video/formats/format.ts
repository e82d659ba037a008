/** A source file that the tests create, and its special property. */
export interface Format {
  readonly container: "MP4" | "QuickTime" | "WebM" | "Matroska" | "AVI";
  /** The output's container, if it is a different one. */
  readonly output?: "MP4" | "WebM" | undefined;
  readonly video: string;
  readonly audio: string;
  /** The tested property, which distinguishes it from all other formats. */
  readonly property: string;
  readonly recipe: Recipe;
  /** Whether the installed ffmpeg creates and reads its files, because the core cannot. The inference service processes them. */
  readonly isForInstalled?: true;
  readonly expected?: Expected | undefined;
}

/** How a file is created: ffmpeg's arguments before the output's name, and changes to the resulting bytes. */
export interface Recipe {
  readonly args: string;
  /** Arguments that create one piece each. The joined pieces are the file `pieces`, which the arguments may name. */
  readonly pieces?: readonly string[];
  /** A change to the pieces before that. */
  readonly encode?: (pieces: Uint8Array) => Uint8Array;
  /** Text files that the arguments name. */
  readonly texts?: Readonly<Record<string, string>>;
  readonly edit?: (file: Uint8Array) => Uint8Array;
}

/** The expected differences between the output and the source. */
export interface Expected extends Partial<Pick<Facts, "picture" | "frameTicks" | "packetTicks">> {
  /** Lowest PSNR of a frame outside the region, in dB. */
  readonly leastPsnr?: number;
  /** The number of the output's audio tracks, if the source has several. */
  readonly soundTracks?: number;
}

const EXTENSIONS = { MP4: "mp4", QuickTime: "mov", WebM: "webm", Matroska: "mkv", AVI: "avi" } as const;

/** Name of a format's file. */
export function filenameOf({ container }: Format): string {
  return `clip.${EXTENSIONS[container]}`;
}

/** Name of the output file. */
export function outputNameOf({ container, output }: Format): string {
  return `output.${EXTENSIONS[output ?? container]}`;
}

/** The unique name of a format. */
export function nameOf({ container, video, property }: Format): string {
  return `${container}, ${video}: ${property}`;
}

/** The detector's box in every frame: left, top, width and height in fractions of the stored frame. */
export const HIDDEN_BOX = [0.25, 0.25, 0.3, 0.4] as const;

/** A text in sources that outputs must not contain, in addition to names of encoders. */
export const SECRET = "SECRET";

/** The properties of a file according to an independent reader. */
export interface Facts {
  /** Width, height, pixel aspect ratio, colors and field order of the shown video. */
  readonly picture: string;
  /** The rotation of the picture: the matrices of an MP4. */
  readonly turn: string;
  readonly frames: number;
  /** The times of shown frames, in the stream's ticks. */
  readonly frameTicks: readonly number[];
  /** The times of all packets, shown or not, in ascending order, and the end of the last one. */
  readonly packetTicks: readonly number[];
  /** For each audio stream: codec, layout, rate and language, and the times and hashes of its packets. */
  readonly audio: readonly {
    readonly stream: string;
    readonly packets: readonly string[];
    readonly sound: string;
  }[];
  /** Content that the file should not have: other streams than video and audio, chapters, secrets, names of encoders. */
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
  /** The same with every frame compared with its neighbor, which is the value of a frame that is too early or too late. */
  readonly shiftedPsnr: number;
}
