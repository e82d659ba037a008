import { storedBox } from "../../detection/orientation.ts";

type Orientation = Parameters<typeof storedBox>[1];
type Box = readonly [number, number, number, number];

/** A box of the stored picture, in the picture as a viewer shows it: the way back of `storedBox`. */
export function shownBox(box: Box, orientation: Orientation): Box {
  // A quarter turn is undone by the other one; every other orientation undoes itself.
  const inverse = orientation === 6 ? 8 : orientation === 8 ? 6 : orientation;
  return storedBox(box, inverse);
}
