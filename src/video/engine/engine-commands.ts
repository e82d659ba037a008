import { z } from "zod";

const side = z.int().min(1).max(16_384);
const sizeSchema = z.object({ width: side, height: side });

type Size = z.output<typeof sizeSchema>;

const place = z.int().min(0).max(16_384);
/** The part of the frames that comes out, in frames of the size that the container tells; those of another are scaled to it. */
const areaSchema = z.object({
  left: place,
  top: place,
  ...sizeSchema.shape,
  codedWidth: side,
  codedHeight: side,
});

const segmentFrames = {
  area: areaSchema,
  frames: z.int().min(1),
  /** How many frames are decoded before the first that comes out. */
  leadFrames: z.int().min(0),
};

/**
 * A command for the engine, in numbers only. Whoever runs it, here or elsewhere, builds its arguments with
 * {@link argumentsFor}.
 */
export const engineCommandSchema = z.discriminatedUnion("kind", [
  /** Reads `source`; writes every frame raw as `coarse`, and as a picture for the detector to `samples`. */
  z.object({ kind: z.literal("analyse"), ...segmentFrames, coarse: sizeSchema, sample: sizeSchema }),
  /** Reads `source`, and `patches` if their size is given; writes `packets`. */
  z.object({
    kind: z.literal("render"),
    ...segmentFrames,
    patches: sizeSchema.nullable(),
    /** How H.264 is encoded; VP8 when null. */
    h264: z.object({ quantiser: z.int().min(0).max(51), isArithmetic: z.boolean() }).nullable(),
  }),
  /** Reads `source`, raw frames in 4:2:0; writes them as VP8 to `packets`, near to what they are. */
  z.object({ kind: z.literal("encode"), size: sizeSchema }),
  /** Reads `source`; writes its first frame to `first`, and its first one that is not black to `lit`. */
  z.object({
    kind: z.literal("still"),
    size: sizeSchema,
    rotationDegrees: z.literal([0, 90, 180, 270]),
    isFlipped: z.boolean(),
  }),
]);

export type EngineCommand = z.output<typeof engineCommandSchema>;

/** The engine's arguments for a command; `{name}` stands for the file of that name. */
export function argumentsFor(command: EngineCommand): string[] {
  switch (command.kind) {
    case "analyse":
      return analyseArguments(command);
    case "render":
      return renderArguments(command);
    case "encode":
      return encodeArguments(command);
    case "still":
      return stillArguments(command);
  }
}

type CommandOf<Kind> = Extract<EngineCommand, { kind: Kind }>;

/** Arguments from lines of words between spaces. */
function argumentsOf(...lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(" "));
}

/**
 * The engine shows frame k at k / 25 seconds, whatever its time in the source. Its time identifies the frame, and a frame that
 * could not be decoded leaves a gap instead of shifting those after it.
 */
export const ENGINE_FRAME_RATE = 25;

/** The filters by which what is shown of a segment's frames, and no others, comes out of the engine with times from 0 on. */
function segmentFilters({ area, leadFrames }: Pick<CommandOf<"analyse">, "area" | "leadFrames">): string {
  const { left, top, width, height, codedWidth, codedHeight } = area;
  const isWhole = width === codedWidth && height === codedHeight;
  const cropped = isWhole ? "" : `crop=${width}:${height}:${left}:${top}:exact=1,`;
  const all = `scale=${codedWidth}:${codedHeight},${cropped}fps=${ENGINE_FRAME_RATE}:start_time=0`;
  if (leadFrames === 0) return all;
  // A tick of the filter `fps` is a frame. Fractions of seconds would be rounded down and give two frames one time.
  return `${all},trim=start_frame=${leadFrames},setpts=PTS-${leadFrames}`;
}

/** Larger frames than a container tells are decoded up to here, and made smaller. */
const MOST_PIXELS = 2_500_000;
/** Decoders round sizes up to their blocks. */
const BLOCK_PIXELS = 128;

/** The engine's arguments for reading the packets of `packetInput` from the file `source`. */
function decoderArguments({ width, height }: Size): string {
  const pixels = (width + BLOCK_PIXELS) * (height + BLOCK_PIXELS);
  // After an open group's key frame the decoder would hold frames back that it can decode. Filters made anew for frames of
  // another size would count time from 0 again.
  const decoder = `-flags +output_corrupt -max_pixels ${Math.max(MOST_PIXELS, pixels)} -reinit_filter 0`;
  return `-threads 1 ${decoder} -f matroska -i {source}`;
}

function analyseArguments(command: CommandOf<"analyse">): string[] {
  const { area, frames, coarse, sample } = command;
  const graph = [
    `[0:v]${segmentFilters(command)},format=yuv420p|yuvj420p,split[a][b]`,
    `[a]scale=${coarse.width}:${coarse.height}:flags=area[coarse]`,
    `[b]scale=${sample.width}:${sample.height}:flags=area:out_range=full,format=yuvj420p[samples]`,
  ].join(";");
  const all = `-fps_mode passthrough -frames:v ${frames}`;
  return argumentsOf(
    decoderArguments({ width: area.codedWidth, height: area.codedHeight }),
    `-filter_complex ${graph}`,
    `-map [coarse] ${all} -f rawvideo {coarse}`,
    // The core's optimal Huffman tables write past its memory.
    `-map [samples] ${all} -c:v mjpeg -huffman default -q:v 3 -f mpjpeg {samples}`,
  );
}

const VP8 = "-c:v libvpx -deadline realtime -cpu-used 8 -auto-alt-ref 0 -lag-in-frames 0";
/** Where every frame may be a key frame the encoder for H.264 writes other parameter sets. */
const LEAST_KEY_FRAMES_APART = 2;
/** Constant quality of the encoder for VP8. */
const VP8_CRF = 8;
const VP8_MOST_BITS_PER_SECOND = 20_000_000;

function renderArguments(command: CommandOf<"render">): string[] {
  const { area, frames, patches, h264 } = command;
  const { width, height } = area;
  const rate = ENGINE_FRAME_RATE;
  // H.264 has no odd sizes where chroma is halved (ITU-T H.264 table 6-1), so such a source is not 4:2:0 either.
  const isOdd = h264 !== null && (width % 2 === 1 || height % 2 === 1);
  const sampling = isOdd ? "444" : "420";
  // Frames of another size than the container declares would not lie under their patches.
  const main = `[0:v]${segmentFilters(command)},format=yuv${sampling}p|yuvj${sampling}p`;
  const overlaid =
    patches === null
      ? []
      : [`-f rawvideo -pix_fmt yuva420p -s ${patches.width}x${patches.height} -r ${rate} -i {patches}`];
  // Smaller patches are made as large as the frame without a value between two of theirs: alpha stays all or nothing.
  const isScaled = patches !== null && (patches.width !== width || patches.height !== height);
  const grown = isScaled ? `[1:v]scale=${width}:${height}:flags=neighbor[p];[m][p]` : "[m][1:v]";
  const vp8 = `${VP8} -crf ${VP8_CRF} -b:v ${VP8_MOST_BITS_PER_SECOND} -f ivf`;
  const x264 = `-c:v libx264 -preset ultrafast -qp ${h264?.quantiser ?? 0} -bf 0 -x264-params scenecut=0:cabac=${h264?.isArithmetic === true ? 1 : 0}:threads=1 -f flv -flvflags no_duration_filesize+no_metadata+no_sequence_end`;
  return argumentsOf(
    decoderArguments({ width: area.codedWidth, height: area.codedHeight }),
    ...overlaid,
    `-filter_complex ${patches === null ? `${main}[out]` : `${main}[m];${grown}overlay=format=yuv${sampling}[out]`}`,
    `-map [out] -fps_mode passthrough -frames:v ${frames} -map_metadata -1 -g ${Math.max(frames, LEAST_KEY_FRAMES_APART)}`,
    h264 === null ? vp8 : x264,
    "{packets}",
  );
}

/** What is encoded is encoded again once it is redacted: it loses as little as VP8 can. */
const VP8_FINEST = "-crf 4 -qmin 0 -qmax 4 -b:v 200000000";
/** So many frames at most are between key frames, so that a video can be worked on in parts. */
const KEY_FRAMES_APART = 40;

function encodeArguments({ size }: CommandOf<"encode">): string[] {
  return argumentsOf(
    `-f rawvideo -pix_fmt yuv420p -s ${size.width}x${size.height} -r ${ENGINE_FRAME_RATE} -i {source}`,
    `-map 0:v -fps_mode passthrough -map_metadata -1 -g ${KEY_FRAMES_APART} ${VP8} ${VP8_FINEST} -f ivf {packets}`,
  );
}

/** Longer side of a small version, as of those of photos. */
const MOST_SIDE_PIXELS = 320;
/** A frame with so many dark pixels or more shows nothing, in percent, and how bright a pixel may be that is dark, of 255. */
const BLACK_PERCENT = 90;
const DARK_LUMA = 32;
const QUALITY = 78;

const TURNS = {
  0: [],
  90: ["transpose=clock"],
  180: ["hflip", "vflip"],
  270: ["transpose=cclock"],
} as const satisfies Readonly<Record<number, readonly string[]>>;

function stillArguments({ size, rotationDegrees, isFlipped }: CommandOf<"still">): string[] {
  const share = Math.min(1, MOST_SIDE_PIXELS / Math.max(size.width, size.height));
  const [width, height] = [size.width, size.height].map((pixels) => Math.max(1, Math.round(pixels * share)));
  const shown = [
    `scale=${width}:${height}:flags=area`,
    "format=bgra",
    ...TURNS[rotationDegrees],
    ...(isFlipped ? ["hflip"] : []),
  ].join(",");
  const isLit = `blackframe=amount=0:threshold=${DARK_LUMA},metadata=mode=select:key=lavfi.blackframe.pblack:value=${BLACK_PERCENT}:function=less`;
  const still = `-frames:v 1 -fps_mode passthrough -map_metadata -1 -c:v libwebp -quality ${QUALITY} -f image2pipe`;
  return argumentsOf(
    decoderArguments(size),
    `-filter_complex [0:v]split[a][b];[a]${shown}[first];[b]${isLit},${shown}[lit]`,
    `-map [first] ${still} {first}`,
    `-map [lit] ${still} {lit}`,
  );
}
