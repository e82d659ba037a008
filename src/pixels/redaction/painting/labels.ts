import { meets, type Sides } from "../../geometry/box.ts";
import { swapsSides, type Orientation } from "../../geometry/orientation.ts";
import type { Region } from "../regions/regions.ts";
import { shapeOf, type Shape } from "../regions/shapes.ts";
import { printText, type PrintedText } from "./label-font.ts";

/** 8-bit levels of a label: the plate and the text. Both differ from middle gray, so that the text is legible on any ground. */
export const PLATE_LEVEL = 16;
export const INK_LEVEL = 240;

/** A label is at most this share of its mask's height, unless its text would be too small to read. */
const MOST_OF_MASK = 0.5;
/** The height of a label is at most this share of the picture's shorter side. */
const MOST_OF_PICTURE = 0.05;

/** The rounding error of a mask's edge, in pixels. */
const ROUNDING = 1e-6;

/** A text on a mask, in whole pixels of the stored picture, without its right and bottom ends. */
export interface Label extends Sides {
  /** Pixels for each unit of the font. */
  readonly scale: number;
  /** Whether the pixel belongs to the text and not to its plate. The pixel must be within the label. */
  isInk(x: number, y: number): boolean;
}

/** Where labels are placed. */
export interface LabelGround {
  readonly width: number;
  readonly height: number;
  /** How a viewer turns the stored picture. The text is upright then. */
  readonly orientation: Orientation;
  /** Labels begin and end at multiples of this number of pixels. */
  readonly alignPx: number;
}

/** The labels of regions. A mask has no label if it is too small or if the label would overlap an earlier one. */
export function placeLabels(regions: readonly Region[], ground: LabelGround): Label[] {
  const labels: Label[] = [];
  for (const region of regions) {
    const label = placeLabel(region, ground);
    if (label !== undefined && !labels.some((other) => meets(label, other))) labels.push(label);
  }
  return labels;
}

/**
 * The label of a region, in the middle of the visible part of its mask and entirely inside it. Undefined if it has none, or if it does not
 * fit at the smallest scale.
 *
 * @param mostScale the largest scale, if it is limited further
 */
export function placeLabel(region: Region, ground: LabelGround, mostScale = Infinity): Label | undefined {
  if (region.label === undefined || region.label === "") return undefined;
  const shape = shapeOf(region, ground.width, ground.height);
  const [top, bottom] = [Math.max(0, shape.top), Math.min(ground.height, shape.bottom)];
  const span = top < bottom ? shape.spanInBand((top + bottom) / 2, (top + bottom) / 2) : undefined;
  if (span === undefined) return undefined;
  const [left, right] = [Math.max(0, span[0]), Math.min(ground.width, span[1])];
  const text = printText(region.label);
  const isTurned = swapsSides(ground.orientation);
  const [unitsAcross, unitsDown] = isTurned ? [text.height, text.width] : [text.width, text.height];
  const roomUpright = isTurned ? right - left : bottom - top;
  const heightPx = Math.min(
    MOST_OF_MASK * roomUpright,
    MOST_OF_PICTURE * Math.min(ground.width, ground.height),
  );
  const wanted = Math.max(1, Math.floor(heightPx / text.height));
  const fitting = Math.floor(Math.min((right - left) / unitsAcross, (bottom - top) / unitsDown) + ROUNDING);
  for (let scale = Math.min(wanted, fitting, mostScale); scale >= 1; scale--) {
    const placed = centered({
      x: (left + right) / 2,
      y: (top + bottom) / 2,
      width: roundUp(unitsAcross * scale, ground.alignPx),
      height: roundUp(unitsDown * scale, ground.alignPx),
      alignPx: ground.alignPx,
    });
    if (isInside(placed, shape, ground)) return labelAt(placed, { text, scale, ground });
  }
  return undefined;
}

/** A run of a row's pixels, from index `start` up to but not including `end`, that are all text or all plate. */
export interface LabelRun {
  readonly start: number;
  readonly end: number;
  readonly level: number;
}

/** Splits the pixels of a row that labels cover into runs. A row may hold only every `stepX`-th column, from `firstX` on. */
export function forEachLabelRun(
  labels: readonly Label[],
  { y, firstX, stepX, columns }: { y: number; firstX: number; stepX: number; columns: number },
  visit: (run: LabelRun) => void,
): void {
  for (const label of labels) {
    if (y < label.top || y >= label.bottom) continue;
    const last = Math.min(columns, Math.ceil((label.right - firstX) / stepX));
    let start = Math.max(0, Math.ceil((label.left - firstX) / stepX));
    while (start < last) {
      const level = levelAt(label, firstX + start * stepX, y);
      let end = start + 1;
      while (end < last && levelAt(label, firstX + end * stepX, y) === level) end++;
      visit({ start, end, level });
      start = end;
    }
  }
}

/** The 8-bit level of a label's pixel. */
export function levelAt(label: Label, x: number, y: number): number {
  return label.isInk(x, y) ? INK_LEVEL : PLATE_LEVEL;
}

function labelAt(
  placed: Sides,
  { text, scale, ground }: { text: PrintedText; scale: number; ground: LabelGround },
): Label {
  const { left, top, right, bottom } = placed;
  const [width, height] = [right - left, bottom - top];
  return {
    ...placed,
    scale,
    isInk(x, y) {
      const [u, v] = upright(ground.orientation, { x: x - left, y: y - top, width, height });
      return text.isInk(Math.floor(u / scale), Math.floor(v / scale));
    },
  };
}

/** Where a viewer shows a pixel of a stored rectangle (Exif 2.32, tag 0x0112), from the rectangle's upper left as it is shown. */
function upright(
  orientation: Orientation,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
): readonly [u: number, v: number] {
  const [fromRight, fromBottom] = [width - 1 - x, height - 1 - y];
  switch (orientation) {
    case 2:
      return [fromRight, y];
    case 3:
      return [fromRight, fromBottom];
    case 4:
      return [x, fromBottom];
    case 5:
      return [y, x];
    case 6:
      return [fromBottom, x];
    case 7:
      return [fromBottom, fromRight];
    case 8:
      return [y, fromRight];
    case 1:
      return [x, y];
  }
}

function centered({
  x,
  y,
  width,
  height,
  alignPx,
}: {
  x: number;
  y: number;
  width: number;
  height: number;
  alignPx: number;
}): Sides {
  const left = Math.round((x - width / 2) / alignPx) * alignPx;
  const top = Math.round((y - height / 2) / alignPx) * alignPx;
  return { left, top, right: left + width, bottom: top + height };
}

/** Whether a rectangle lies in a shape and in the picture. The shape is convex, so its corners decide. */
function isInside(
  { left, top, right, bottom }: Sides,
  shape: Shape,
  { width, height }: LabelGround,
): boolean {
  if (left < 0 || top < 0 || right > width || bottom > height) return false;
  if (top < shape.top - ROUNDING || bottom > shape.bottom + ROUNDING) return false;
  return [Math.max(top, shape.top), Math.min(bottom, shape.bottom)].every((y) => {
    const span = shape.spanInBand(y, y);
    return span !== undefined && span[0] <= left + ROUNDING && span[1] >= right - ROUNDING;
  });
}

function roundUp(value: number, multiple: number): number {
  return Math.ceil(value / multiple) * multiple;
}
