import type { Backdrop } from "./backdrop.ts";

/** Modules of a code, row by row: 1 is dark. */
export interface Symbol {
  readonly size: number;
  readonly modules: Uint8Array;
}

/** The position of a target at a time, in pixels of the frame unless it moves with the backdrop. */
export interface Pose {
  readonly x: number;
  readonly y: number;
  /** Side of the code without its quiet zone, in pixels. */
  readonly sizePx: number;
  readonly angleRadians?: number;
}

/** A moving code; undefined while it is absent. */
export interface Target {
  readonly symbol: Symbol;
  readonly pose: (seconds: number) => Pose | undefined;
}

/** An ellipse in front of the targets. */
export interface Occluder {
  readonly at: (
    seconds: number,
  ) =>
    | { readonly x: number; readonly y: number; readonly radiusX: number; readonly radiusY: number }
    | undefined;
}

/** The scene from one cut to the next. */
export interface Shot {
  readonly fromSeconds: number;
  readonly backdrop: Backdrop;
  /** The position of the frame's top left corner on the backdrop. It does not move targets. */
  readonly camera?: (seconds: number) => readonly [x: number, y: number];
  readonly targets: readonly Target[];
  readonly occluders?: readonly Occluder[];
}

/** A script of a clip. */
export interface Script {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** The time of each frame in seconds, in ascending order. */
  readonly timestampsSeconds: readonly number[];
  readonly shots: readonly Shot[];
  /** An offset of a frame's luma for flashes, and a factor before it for fades. */
  readonly light?: (seconds: number) => { readonly gain: number; readonly offset: number };
}

/** A frame as raw yuv420p with its ground truth. */
export interface ComposedFrame {
  readonly planes: Uint8Array;
  /** The corners of each code that is at least partly in the frame, in pixels and in order around it, without the quiet zone. */
  readonly polygons: readonly (readonly (readonly [x: number, y: number])[])[];
  /** 1 for each pixel that shows a part of a code. */
  readonly truth: Uint8Array;
}

/** Indices of frames that begin a new shot, except the first. */
export function cutsOf({ shots, timestampsSeconds }: Script): number[] {
  return shots.slice(1).map(({ fromSeconds }) => timestampsSeconds.findIndex((time) => time >= fromSeconds));
}

/** Timestamps at a constant rate. */
export function constantRate(framesPerSecond: number, seconds: number): number[] {
  return Array.from({ length: Math.round(framesPerSecond * seconds) }, (_, index) => index / framesPerSecond);
}
