import type { WrittenBox } from "../../../pixels/geometry/box.ts";

/** Fractions 0…1 of the picture. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Fractions 0…1 of the picture, as in the API. */
export type Box = WrittenBox;

/** The box between two opposite corners. */
export function boxBetween(a: Point, b: Point): Box {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return { x, y, width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y) };
}

/** A box moved by fractions of the picture, without leaving the picture. */
export function moveWithin(box: Box, right: number, down: number): Box {
  const x = Math.min(1 - box.width, Math.max(0, box.x + right));
  const y = Math.min(1 - box.height, Math.max(0, box.y + down));
  return { ...box, x, y };
}

/** A box of a size around a point, moved inside the picture. */
export function boxAround({ x, y }: Point, size: { readonly width: number; readonly height: number }): Box {
  const [width, height] = [Math.min(1, size.width), Math.min(1, size.height)];
  return moveWithin({ x: x - width / 2, y: y - height / 2, width, height }, 0, 0);
}

/** A box scaled around its center. */
export function scaleBox(box: Box, times: number): Box {
  return boxAround(middleOf(box), { width: box.width * times, height: box.height * times });
}

/**
 * Returns the box after one of its handles was dragged.
 *
 * @param handle which sides it moves: -1 the left or upper one, 1 the right or lower one
 */
export function resizeBox(
  { x, y, width, height }: Box,
  { across, down }: { readonly across: number; readonly down: number },
  to: Point,
): Box {
  const a = { x: across === -1 ? to.x : x, y: down === -1 ? to.y : y };
  const b = { x: across === 1 ? to.x : x + width, y: down === 1 ? to.y : y + height };
  return boxBetween(a, b);
}

/** The area of a box. */
export function areaOf({ width, height }: Box): number {
  return width * height;
}

export function middleOf({ x, y, width, height }: Box): Point {
  return { x: x + width / 2, y: y + height / 2 };
}
