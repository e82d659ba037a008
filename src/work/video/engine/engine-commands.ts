import { z } from "zod";

const side = z.int().min(1).max(16_384);
const sizeSchema = z.object({ width: side, height: side });

type Size = z.output<typeof sizeSchema>;

const place = z.int().min(0).max(16_384);
/**
 * The area of the frames to output, within frames of the size that the container declares. Frames of another size are scaled to
 * that size.
 */
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
  /** How many frames are decoded before the first output frame. */
  leadFrames: z.int().min(0),
};

/** The codecs in which the engine encodes sound. */
const SOUND_ENCODERS = ["aac", "mp3", "opus", "ac3"] as const;

const samplesPerSecond = z.int().min(4000).max(192_000);

/**
 * A command for the engine, in numbers only. Local and remote engines both build its arguments with {@link argumentsFor}.
 */
export const engineCommandSchema = z.discriminatedUnion("kind", [
  /** Reads `source`. Writes every frame as a raw frame to `coarse` and as a JPEG for the detector to `samples`. */
  z.object({ kind: z.literal("analyse"), ...segmentFrames, coarse: sizeSchema, sample: sizeSchema }),
  /** Reads `source`. Writes every frame as a raw 4:2:0 frame to `frames` and, in another size, to `coarse` as YUV4MPEG2. */
  z.object({ kind: z.literal("decode"), ...segmentFrames, coarse: sizeSchema }),
  /** Reads `source`. Writes the frames with the given numbers, in ascending order, as JPEGs for the detector to `samples`. */
  z.object({
    kind: z.literal("look"),
    ...segmentFrames,
    sample: sizeSchema,
    wanted: z.array(z.int().min(0)).min(1),
  }),
  /** Reads `source` and writes nothing. Fails if the decoder reports any error, such as a part of a frame that is missing or stored twice. */
  z.object({ kind: z.literal("check"), size: sizeSchema }),
  /** Reads `source`, and `patches` if their size is given. Writes `packets`. */
  z.object({
    kind: z.literal("render"),
    ...segmentFrames,
    patches: sizeSchema.nullable(),
    /** How H.264 is encoded; VP8 when null. */
    h264: z
      .object({
        quantiser: z.int().min(0).max(51),
        isArithmetic: z.boolean(),
        /** The ID of the parameter sets (ITU-T H.264 §7.4.2.1.1); 0 if absent. */
        setId: z.int().min(0).max(31).optional(),
      })
      .nullable(),
  }),
  /** Reads raw 4:2:0 frames from `source`. Writes them to `packets` as VP8 with as little loss as possible. */
  z.object({ kind: z.literal("encode"), size: sizeSchema }),
  /** Reads `source`. Writes its first frame to `first`, and its first frame that is not black to `lit`. */
  z.object({
    kind: z.literal("still"),
    size: sizeSchema,
    rotationDegrees: z.literal([0, 90, 180, 270]),
    isFlipped: z.boolean(),
  }),
  /** Reads interleaved 32-bit samples from `source`. Writes them as a Matroska file with one encoded track to `packets`. */
  z.object({
    kind: z.literal("encode_sound"),
    codec: z.enum(SOUND_ENCODERS),
    samplesPerSecond,
    channels: z.int().min(1).max(8),
    /** Null for the encoder's default. */
    bitsPerSecond: z.int().min(8000).max(1_000_000).nullable(),
    /** Duration of an Opus packet; null for other codecs. */
    packetMs: z.literal([2.5, 5, 10, 20]).nullable(),
  }),
  /** Reads a Matroska file with one audio track from `source`. Writes one channel of 16-bit samples to `samples`. */
  z.object({
    kind: z.literal("decode_sound"),
    /** The rate of the samples; null for the decoder's own. Gaps between packets are filled only if it is given. */
    samplesPerSecond: samplesPerSecond.nullable(),
  }),
]);

export type EngineCommand = z.output<typeof engineCommandSchema>;

/** The engine's arguments for a command; `{name}` stands for the file of that name. */
export function argumentsFor(command: EngineCommand): string[] {
  switch (command.kind) {
    case "analyse":
      return analyseArguments(command);
    case "decode":
      return decodeArguments(command);
    case "look":
      return lookArguments(command);
    case "check":
      return checkArguments(command);
    case "render":
      return renderArguments(command);
    case "encode":
      return encodeArguments(command);
    case "still":
      return stillArguments(command);
    case "encode_sound":
      return encodeSoundArguments(command);
    case "decode_sound":
      return decodeSoundArguments(command);
  }
}

type CommandOf<Kind> = Extract<EngineCommand, { kind: Kind }>;

/** Splits each line into arguments at its spaces. */
function argumentsOf(...lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(" "));
}

/**
 * The engine shows frame k at k / 25 seconds, whatever its time in the source. That time identifies the frame. A missing
 * frame leaves a gap instead of shifting later frames.
 */
export const ENGINE_FRAME_RATE = 25;

/** The filters that output only the shown area of a segment's own frames, with times from 0 on. */
function segmentFilters({ area, leadFrames }: Pick<CommandOf<"analyse">, "area" | "leadFrames">): string {
  const { left, top, width, height, codedWidth, codedHeight } = area;
  const isWhole = width === codedWidth && height === codedHeight;
  const cropped = isWhole ? "" : `crop=${width}:${height}:${left}:${top}:exact=1,`;
  const all = `scale=${codedWidth}:${codedHeight},${cropped}fps=${ENGINE_FRAME_RATE}:start_time=0`;
  if (leadFrames === 0) return all;
  // One tick of the filter `fps` is one frame. Fractions of seconds would be rounded down, which could give two frames the same
  // time.
  return `${all},trim=start_frame=${leadFrames},setpts=PTS-${leadFrames}`;
}

/** Frames larger than the container declares are decoded up to this size and then scaled down. */
const MOST_PIXELS = 2_500_000;
/** Decoders round sizes up to their blocks. */
const BLOCK_PIXELS = 128;

/** The engine's arguments to read the packets of `packetInput` from the file `source`. */
function decoderArguments(size: Size): string {
  // Without `output_corrupt`, the decoder would hold back frames after an open group's key frame that it can decode. Without
  // `-reinit_filter 0`, frames of another size would rebuild the filters, which would count time from 0 again.
  return `-flags +output_corrupt -reinit_filter 0 ${inputArguments(size)}`;
}

/** With several threads, the decoder would not notice that slices overlap. */
function inputArguments({ width, height }: Size): string {
  const pixels = (width + BLOCK_PIXELS) * (height + BLOCK_PIXELS);
  return `-threads 1 -max_pixels ${Math.max(MOST_PIXELS, pixels)} -f matroska -i {source}`;
}

/** The core's optimal Huffman coding writes beyond its memory. */
const SAMPLE_CODEC = "-c:v mjpeg -huffman default -q:v 3 -f mpjpeg";

function analyseArguments(command: CommandOf<"analyse">): string[] {
  const { width, height } = command.sample;
  return argumentsOf(
    ...coarseArguments(command, `scale=${width}:${height}:flags=area:out_range=full,format=yuvj420p`),
    `-f rawvideo {coarse}`,
    `-map [all] ${every(command)} ${SAMPLE_CODEC} {samples}`,
  );
}

function decodeArguments(command: CommandOf<"decode">): string[] {
  return argumentsOf(
    ...coarseArguments(command, "null"),
    `-f yuv4mpegpipe {coarse}`,
    `-map [all] ${every(command)} -f rawvideo {frames}`,
  );
}

/** The arguments that output every frame in coarse size, up to its format, and every frame through another filter as `[all]`. */
function coarseArguments(command: CommandOf<"analyse" | "decode">, filter: string): string[] {
  const { area, coarse } = command;
  const graph = [
    `[0:v]${segmentFilters(command)},format=yuv420p|yuvj420p,split[a][b]`,
    `[a]scale=${coarse.width}:${coarse.height}:flags=area[coarse]`,
    `[b]${filter}[all]`,
  ].join(";");
  return [
    // Without this, a picture that the decoder rejects is replaced by the one before it, and what depends on it is a guess on gray,
    // in which the detector cannot find what a person may recognize.
    "-max_error_rate 0",
    decoderArguments({ width: area.codedWidth, height: area.codedHeight }),
    `-filter_complex ${graph}`,
    `-map [coarse] ${every(command)}`,
  ];
}

function every({ frames }: Pick<CommandOf<"analyse">, "frames">): string {
  return `-fps_mode passthrough -frames:v ${frames}`;
}

function lookArguments(command: CommandOf<"look">): string[] {
  const { area, sample, wanted } = command;
  const isWanted = wanted.map((frame) => `eq(n\\,${frame})`).join("+");
  const scaled = `scale=${sample.width}:${sample.height}:flags=area:out_range=full,format=yuvj420p`;
  return argumentsOf(
    "-max_error_rate 0",
    decoderArguments({ width: area.codedWidth, height: area.codedHeight }),
    `-filter_complex [0:v]${segmentFilters(command)},select=${isWanted},${scaled}[samples]`,
    `-map [samples] -fps_mode passthrough -frames:v ${wanted.length} ${SAMPLE_CODEC} {samples}`,
  );
}

function checkArguments({ size }: CommandOf<"check">): string[] {
  return argumentsOf(
    `-xerror -err_detect explode ${inputArguments(size)} -map 0:v -fps_mode passthrough -f null -`,
  );
}

const VP8 = "-c:v libvpx -deadline realtime -cpu-used 8 -auto-alt-ref 0 -lag-in-frames 0";
/** If every frame may be a key frame, the H.264 encoder writes different parameter sets. */
const LEAST_KEY_FRAMES_APART = 2;
/** Constant quality of the encoder for VP8. */
const VP8_CRF = 8;
const VP8_MOST_BITS_PER_SECOND = 20_000_000;

function renderArguments(command: CommandOf<"render">): string[] {
  const { area, frames, patches, h264 } = command;
  const { width, height } = area;
  const rate = ENGINE_FRAME_RATE;
  // H.264 has no odd sizes with halved chroma (ITU-T H.264 table 6-1), so a source of odd size is not 4:2:0 either.
  const isOdd = h264 !== null && (width % 2 === 1 || height % 2 === 1);
  const sampling = isOdd ? "444" : "420";
  // Frames of a size other than the declared one would not line up with their patches.
  const main = `[0:v]${segmentFilters(command)},format=yuv${sampling}p|yuvj${sampling}p`;
  const overlaid =
    patches === null
      ? []
      : [`-f rawvideo -pix_fmt yuva420p -s ${patches.width}x${patches.height} -r ${rate} -i {patches}`];
  // Nearest-neighbor scaling keeps the alpha of smaller patches at 0 or 255.
  const isScaled = patches !== null && (patches.width !== width || patches.height !== height);
  const grown = isScaled ? `[1:v]scale=${width}:${height}:flags=neighbor[p];[m][p]` : "[m][1:v]";
  const vp8 = `${VP8} -crf ${VP8_CRF} -b:v ${VP8_MOST_BITS_PER_SECOND} -f ivf`;
  const x264 = `-c:v libx264 -preset ultrafast -qp ${h264?.quantiser ?? 0} -bf 0 -x264-params scenecut=0:cabac=${h264?.isArithmetic === true ? 1 : 0}:sps-id=${h264?.setId ?? 0}:threads=1 -f flv -flvflags no_duration_filesize+no_metadata+no_sequence_end`;
  return argumentsOf(
    decoderArguments({ width: area.codedWidth, height: area.codedHeight }),
    ...overlaid,
    `-filter_complex ${patches === null ? `${main}[out]` : `${main}[m];${grown}overlay=format=yuv${sampling}[out]`}`,
    `-map [out] -fps_mode passthrough -frames:v ${frames} -map_metadata -1 -g ${Math.max(frames, LEAST_KEY_FRAMES_APART)}`,
    h264 === null ? vp8 : x264,
    "{packets}",
  );
}

/** This output is encoded again when it is redacted, so it loses as little as VP8 allows. */
const VP8_FINEST = "-crf 4 -qmin 0 -qmax 4 -b:v 200000000";
/** The most frames between two key frames, so that a video can be processed in segments. */
const KEY_FRAMES_APART = 40;

function encodeArguments({ size }: CommandOf<"encode">): string[] {
  return argumentsOf(
    `-f rawvideo -pix_fmt yuv420p -s ${size.width}x${size.height} -r ${ENGINE_FRAME_RATE} -i {source}`,
    `-map 0:v -fps_mode passthrough -map_metadata -1 -g ${KEY_FRAMES_APART} ${VP8} ${VP8_FINEST} -f ivf {packets}`,
  );
}

/** Longer side of a thumbnail, as for photos. */
const MOST_SIDE_PIXELS = 320;
/** A frame with at least this percentage of dark pixels counts as black. `DARK_LUMA` is the highest luma of a dark pixel, out of 255. */
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

/** Without a bit reservoir, each MP3 packet holds its own data. Joint stereo would depend on the packets before. */
const SOUND_CODECS: Readonly<Record<(typeof SOUND_ENCODERS)[number], string>> = {
  aac: "-c:a aac",
  mp3: "-c:a libmp3lame -reservoir 0 -joint_stereo 0",
  opus: "-c:a libopus",
  ac3: "-c:a ac3",
};

function encodeSoundArguments(command: CommandOf<"encode_sound">): string[] {
  const { codec, samplesPerSecond: rate, channels, bitsPerSecond, packetMs } = command;
  return argumentsOf(
    `-f f32le -ar ${rate} -ac ${channels} -i {source} ${SOUND_CODECS[codec]}`,
    ...(bitsPerSecond === null ? [] : [`-b:a ${bitsPerSecond}`]),
    ...(packetMs === null ? [] : [`-frame_duration ${packetMs}`]),
    "-map_metadata -1 -flags:a +bitexact -fflags +bitexact -f matroska {packets}",
  );
}

function decodeSoundArguments({ samplesPerSecond: rate }: CommandOf<"decode_sound">): string[] {
  const resampled = rate === null ? [] : [`-af aresample=${rate}:async=1:first_pts=0 -ar ${rate}`];
  // Times stay those of the packets, so that a sound that begins late has silence before it.
  return argumentsOf(
    "-copyts -f matroska -i {source}",
    ...resampled,
    "-ac 1 -c:a pcm_s16le -f s16le {samples}",
  );
}
