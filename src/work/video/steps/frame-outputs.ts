import type { PixelSize } from "../../../pixels/geometry/box.ts";
import type { EngineCommand } from "../engine/engine-commands.ts";
import type { EngineOutput, VideoEngine } from "../engine/engine.ts";
import { FrameSplitter, JpegSplitter } from "../engine/frame-splitters.ts";
import { Y4mSplitter } from "../engine/y4m-splitter.ts";
import { yuv420Bytes } from "../sampling/coarse-frame.ts";
import { RawPictures } from "../sampling/raw-pictures.ts";
import { enginePicture, type OfferedPicture } from "../sampling/sample-looks.ts";

/** What a segment's frames are read for, each in its own size. */
interface FrameReceivers {
  readonly size: PixelSize;
  readonly coarse: PixelSize;
  readonly sample: PixelSize;
  /** Receives each frame in coarse size, as raw 4:2:0. Its bytes are valid until the promise settles. */
  readonly onCoarse: (bytes: Uint8Array) => Promise<void>;
  /** Receives each frame, before or after it came in coarse size. */
  readonly onPicture: (picture: OfferedPicture) => Promise<void>;
}

type AnalysisCommand = Extract<EngineCommand, { kind: "analyse" | "decode" }>;

/** How an engine is asked for the frames of a segment, and where it writes them. Must be closed. */
interface FrameOutputs {
  readonly command: (segment: Pick<AnalysisCommand, "area" | "frames" | "leadFrames">) => AnalysisCommand;
  readonly outputs: Readonly<Record<string, EngineOutput>>;
  readonly close: () => void;
}

/** Asks an engine in this process for raw frames, and one behind a network for small pictures. */
export function frameOutputs({ isLocal }: VideoEngine, receivers: FrameReceivers): FrameOutputs {
  return isLocal ? rawFrames(receivers) : smallPictures(receivers);
}

function rawFrames({ size, coarse, sample, onCoarse, onPicture }: FrameReceivers): FrameOutputs {
  const coarseFrames = new Y4mSplitter(yuv420Bytes(coarse.width, coarse.height), onCoarse);
  const isFullRange = (): boolean => coarseFrames.isFullRange;
  const frames = new RawPictures({ size, sample, isFullRange, onPicture });
  return {
    command: (segment) => ({ kind: "decode", ...segment, coarse }),
    outputs: { coarse: coarseFrames, frames },
    close() {
      coarseFrames.close();
      frames.close();
    },
  };
}

function smallPictures({ coarse, sample, onCoarse, onPicture }: FrameReceivers): FrameOutputs {
  const coarseFrames = new FrameSplitter(yuv420Bytes(coarse.width, coarse.height), onCoarse);
  const samples = new JpegSplitter(async (jpeg) => {
    await onPicture(enginePicture(jpeg));
  });
  return {
    command: (segment) => ({ kind: "analyse", ...segment, coarse, sample }),
    outputs: { coarse: coarseFrames, samples },
    close() {
      coarseFrames.close();
      samples.close();
    },
  };
}
