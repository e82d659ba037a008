import type { Backdrop } from "./backdrop.ts";

/** Modules of a code, row by row: 1 is dark. */
export interface Symbol {
  readonly size: number;
  readonly modules: Uint8Array;
}

/** Where a target is at a moment, in pixels of the frame unless it stays with the backdrop. */
export interface Pose {
  readonly x: number;
  readonly y: number;
  /** Side of the code without its quiet zone, in pixels. */
  readonly sizePx: number;
  readonly angleRadians?: number;
}

/** A code that moves; undefined while it is not there. */
export interface Target {
  readonly symbol: Symbol;
  readonly pose: (seconds: number) => Pose | undefined;
}

/** Something in front of the targets: an ellipse. */
export interface Occluder {
  readonly at: (
    seconds: number,
  ) =>
    | { readonly x: number; readonly y: number; readonly radiusX: number; readonly radiusY: number }
    | undefined;
}

/** What is seen from one cut to the next. */
export interface Shot {
  readonly fromSeconds: number;
  readonly backdrop: Backdrop;
  /** Where the frame's top left corner lies on the backdrop; targets are not moved by it. */
  readonly camera?: (seconds: number) => readonly [x: number, y: number];
  readonly targets: readonly Target[];
  readonly occluders?: readonly Occluder[];
}

/** A script of a clip. */
export interface Script {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** When each frame is shown, in seconds, rising. */
  readonly timestampsSeconds: readonly number[];
  readonly shots: readonly Shot[];
  /** Brightness added to a frame's luma, for flashes; and a factor before it, for fades. */
  readonly light?: (seconds: number) => { readonly gain: number; readonly offset: number };
}

/** A frame as raw yuv420p, and what is true of it. */
export interface ComposedFrame {
  readonly planes: Uint8Array;
  /** Corners of each code that is at least partly in the frame, in pixels, going round; the quiet zone is not within. */
  readonly polygons: readonly (readonly (readonly [x: number, y: number])[])[];
  /** 1 for each pixel that shows a part of a code. */
  readonly truth: Uint8Array;
}

/** Indices of frames that begin a new shot, the first one's left out. */
export function cutsOf({ shots, timestampsSeconds }: Script): number[] {
  return shots.slice(1).map(({ fromSeconds }) => timestampsSeconds.findIndex((time) => time >= fromSeconds));
}

/** Timestamps at a constant rate. */
export function constantRate(framesPerSecond: number, seconds: number): number[] {
  return Array.from({ length: Math.round(framesPerSecond * seconds) }, (_, index) => index / framesPerSecond);
}
