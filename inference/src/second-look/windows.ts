import type { Box } from "../geometry/box.ts";
import type { Picture } from "../images/decode.ts";
import type { SecondLookManifest } from "./manifest.ts";

/** A square part of a picture, in the picture's pixels. It may reach past the picture. */
export interface Window {
  readonly left: number;
  readonly top: number;
  readonly side: number;
}

type Shape = Pick<SecondLookManifest, "context" | "min_side_pixels">;

/** The window around a box. The box is in 0…1 of a picture. */
export function windowAround(box: Box, picture: Pick<Picture, "width" | "height">, shape: Shape): Window {
  const [width, height] = [(box.right - box.left) * picture.width, (box.bottom - box.top) * picture.height];
  const side = Math.max(width, height, shape.min_side_pixels) * shape.context;
  return {
    left: ((box.left + box.right) / 2) * picture.width - side / 2,
    top: ((box.top + box.bottom) / 2) * picture.height - side / 2,
    side,
  };
}

/** Maps a box in 0…1 of a picture to 0…1 of a window. */
export function toWindow(box: Box, window: Window, picture: Pick<Picture, "width" | "height">): Box {
  return {
    left: (box.left * picture.width - window.left) / window.side,
    top: (box.top * picture.height - window.top) / window.side,
    right: (box.right * picture.width - window.left) / window.side,
    bottom: (box.bottom * picture.height - window.top) / window.side,
  };
}

/** Maps a box in 0…1 of a window to 0…1 of a picture. */
export function fromWindow(box: Box, window: Window, picture: Pick<Picture, "width" | "height">): Box {
  return {
    left: (box.left * window.side + window.left) / picture.width,
    top: (box.top * window.side + window.top) / picture.height,
    right: (box.right * window.side + window.left) / picture.width,
    bottom: (box.bottom * window.side + window.top) / picture.height,
  };
}
