import { wholeNumber } from "./values.ts";

/** How a job keeps its photo. */
export const photoVariables = {
  /** A photo of at most this size is read from storage once and held in memory. A larger one is read again for each step, up to six times. */
  HELD_PHOTO_BYTES: wholeNumber({ unit: "bytes", least: 0, most: 16_000_000, byDefault: 4_000_000 }),
};
