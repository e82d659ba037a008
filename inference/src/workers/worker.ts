import { transferableSymbol, valueSymbol } from "piscina";
import sharp from "sharp";
import { codePictureOf, type CodeLook, type CodePicture, type FoundCode } from "../codes/passes.ts";
import { readCodes } from "../codes/read.ts";
import {
  decodeFrame,
  type DecodedFrame,
  type DecodeLimits,
  type Picture,
  type Refusal,
  type Showing,
} from "../images/decode.ts";
import { turnPicture, type Turn } from "../images/turn.ts";
import { toGrey } from "../images/grey.ts";
import { cutView, type TensorFormat, type View, type ViewTensor } from "../images/view.ts";
import { cutCrops, type CropFormat } from "../second-look/crops.ts";
import { pyramidOf, type Pyramid } from "../second-look/pyramid.ts";
import type { Window } from "../second-look/windows.ts";

// The pool's threads are the unit of parallelism, so libvips adds no threads of its own. It also caches no decoded pictures.
sharp.concurrency(1);
sharp.cache(false);

export interface DecodeTask {
  readonly bytes: Uint8Array;
  readonly limits: DecodeLimits;
  readonly showing: Showing;
}

export interface ViewTask {
  readonly picture: Picture;
  readonly view: View;
  readonly format: TensorFormat;
}

export interface CropsTask {
  readonly pyramid: Pyramid;
  readonly windows: readonly Window[];
  readonly format: CropFormat;
}

export interface HalveTask {
  readonly picture: Picture;
}

export interface TurnTask {
  readonly picture: Picture;
  readonly turn: Turn;
}

export interface CodePictureTask {
  readonly picture: Picture;
}

export interface CodesTask {
  readonly picture: CodePicture;
  readonly look: CodeLook;
}

/** Task `decode`. */
export async function decode({ bytes, limits, showing }: DecodeTask): Promise<DecodedFrame | Refusal> {
  return decodeFrame(bytes, limits, showing);
}

/** Task `view`. The tensor's memory is transferred, not copied. */
export async function view(task: ViewTask): Promise<ViewTensor> {
  return handedOver(await cutView(task.picture, task.view, task.format));
}

function handedOver(tensor: ViewTensor): ViewTensor {
  const wrapped = { ...tensor, [transferableSymbol]: tensor.data.buffer, [valueSymbol]: tensor };
  return wrapped;
}

/** Task `crops`. */
export async function crops({ pyramid, windows, format }: CropsTask): Promise<Uint8Array> {
  return cutCrops(pyramid, windows, format);
}

/** Task `halve`. */
export async function halve({ picture }: HalveTask): Promise<Pyramid> {
  return pyramidOf(picture);
}

/** Task `turn`. */
export async function turn(task: TurnTask): Promise<Picture> {
  return turnPicture(task.picture, task.turn);
}

/** Task `codePicture`. */
export async function codePicture({ picture }: CodePictureTask): Promise<CodePicture> {
  return codePictureOf(toGrey(picture));
}

/** Task `codes`. */
export async function codes(task: CodesTask): Promise<FoundCode[]> {
  return readCodes(task.picture, task.look);
}
