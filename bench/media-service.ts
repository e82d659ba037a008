/**
 * Measures the speed of the inference service at 3840×2160 pixels, with the bundled core and with an installed `ffmpeg` if there is
 * one. Sends the same two runs over HTTP that a Worker requests for each segment: one that analyzes, and one that renders with
 * patches.
 */
import { spawnSync } from "node:child_process";
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input, type InputVideoTrack } from "mediabunny";
import { filmStreet } from "./lib/clips.ts";
import { runThere, withEngineService, type BenchEngineService, type BenchRun } from "./lib/engine-service.ts";
import { progress, reported, runBenchmark, type Finding } from "./lib/report.ts";
import { median, rounded, timed } from "./lib/statistics.ts";
import { packetInput, type SegmentPacket } from "../src/work/video/engine/engine-packets.ts";
import type { EngineInput } from "../src/work/video/engine/engine.ts";
import { coarseSize, paintedSize, sampleSize } from "../src/work/video/sampling/frame-sizes.ts";

const SIZE = { width: 3840, height: 2160 };
const CLIP_SECONDS = 2;
const FRAMES_PER_SECOND = 15;
const FRAMES = CLIP_SECONDS * FRAMES_PER_SECOND;
const QUANTISER = 22;
const HAS_FFMPEG = spawnSync("ffmpeg", ["-version"], { stdio: "ignore" }).status === 0;
/** How many times each run is timed; the median counts. The core takes half a minute for each run. */
const REPEATS = { wasm: 1, native: 3 } as const;
const NAMES = { wasm: "the core that comes along", native: "the ffmpeg that is installed" } as const;

await runBenchmark(import.meta.filename, async () => {
  progress("media-service: filming");
  const clip = await filmStreet({ ...SIZE, seconds: CLIP_SECONDS, framesPerSecond: FRAMES_PER_SECOND });
  const engines = HAS_FFMPEG ? (["native", "wasm"] as const) : (["wasm"] as const);
  const findings: Finding[] = [];
  for (const engine of engines) {
    progress(`media-service: ${engine}`);
    findings.push(
      ...(await withEngineService(engine, async (service) => await measure(service, clip, engine))),
    );
  }
  const megabitsPerSecond = rounded((8 * clip.length) / CLIP_SECONDS / 1e6, 1);
  return { findings, details: { frames: FRAMES, megabitsPerSecond, hasFfmpeg: HAS_FFMPEG } };
});

async function measure(
  service: BenchEngineService,
  clip: Uint8Array<ArrayBuffer>,
  engine: keyof typeof NAMES,
): Promise<Finding[]> {
  const { width, height } = coarseSize(SIZE);
  const coarseBytes = FRAMES * (width * height + 2 * Math.ceil(width / 2) * Math.ceil(height / 2));
  const speed = async (run: () => Promise<BenchRun>, leastBytes: number): Promise<number> => {
    const times: number[] = [];
    for (let repeat = 0; repeat < REPEATS[engine]; repeat++) {
      let firstBytes = 0;
      const asked = await run();
      times.push(
        await timed(async () => {
          [firstBytes = 0] = await runThere(service, asked);
        }),
      );
      if (firstBytes < leastBytes) throw new Error("Frames are missing.");
    }
    return rounded((1000 * FRAMES) / median(times), 1);
  };
  const shared = {
    area: { left: 0, top: 0, ...SIZE, codedWidth: SIZE.width, codedHeight: SIZE.height },
    frames: FRAMES,
    leadFrames: 0,
  };
  const analysed = await speed(
    async () => ({
      command: { kind: "analyse", ...shared, coarse: { width, height }, sample: sampleSize(SIZE) },
      inputs: { source: await sourceOf(clip) },
      outputs: ["coarse", "samples"],
    }),
    coarseBytes,
  );
  const rendered = await speed(
    async () => ({
      command: {
        kind: "render",
        ...shared,
        patches: paintedSize(SIZE),
        h264: { quantiser: QUANTISER, isArithmetic: false },
      },
      inputs: { source: await sourceOf(clip), patches: patchesOf() },
      outputs: ["packets"],
    }),
    1,
  );
  const finding = (does: string, measured: number): Finding =>
    reported({ claim: `3840×2160 is ${does} by ${NAMES[engine]}`, unit: "frames/s", measured });
  return [finding("analysed", analysed), finding("rendered", rendered)];
}

/** A clip's packets, in the form that a Worker sends them. */
async function sourceOf(clip: Uint8Array<ArrayBuffer>): Promise<EngineInput> {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(clip) });
  const [track] = await input.getVideoTracks();
  const config = await track?.getDecoderConfig();
  if (track === undefined || !(config?.description instanceof Uint8Array))
    throw new Error("The clip cannot be read.");
  const { width: widthPixels, height: heightPixels } = SIZE;
  const setup = { codec: "avc", widthPixels, heightPixels, description: config.description } as const;
  return packetInput(setup, packetsOf(track));
}

async function* packetsOf(track: InputVideoTrack): AsyncGenerator<SegmentPacket> {
  const firstSeconds = await track.getFirstTimestamp();
  for await (const { timestamp, type, data } of new EncodedPacketSink(track).packets()) {
    const frameIndex = Math.round((timestamp - firstSeconds) * FRAMES_PER_SECOND);
    yield { frameIndex, isKey: type === "key", data };
  }
}

/** Patches that hide the left quarter of every frame. */
function patchesOf(): EngineInput {
  const { width, height } = paintedSize(SIZE);
  const opaqueAt = width * height * 1.5;
  const patch = new Uint8Array(opaqueAt + width * height).fill(128, 0, opaqueAt);
  for (let row = opaqueAt; row < patch.length; row += width) patch.fill(255, row, row + width / 4);
  let at = 0;
  return {
    read(maxBytes) {
      const from = at % patch.length;
      const bytes = at < FRAMES * patch.length ? patch.subarray(from, from + maxBytes) : patch.subarray(0, 0);
      at += bytes.length;
      return bytes;
    },
  };
}
