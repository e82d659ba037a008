import { clipToUnit, type Box } from "../geometry/box.ts";
import { confidenceOf, logOddsOf } from "../models/odds.ts";
import type { Judgment } from "./manifest.ts";

const LEAST = 1e-4;

type Weighing = Pick<Judgment, "stage_one_weight" | "second_look_weight" | "offset" | "trusted_from">;

/**
 * Combines the confidences of both looks: their log-odds, weighted, plus the category's offset (a logistic regression). From
 * `trusted_from` on, the result is never less than stage one's confidence.
 * @param first Stage one's confidence.
 * @param second The second look's confidence.
 */
export function fuseConfidence(
  first: number,
  second: number,
  { stage_one_weight, second_look_weight, offset, trusted_from }: Weighing,
): number {
  const both = confidenceOf(
    stage_one_weight * logOddsOf(certain(first)) + second_look_weight * logOddsOf(certain(second)) + offset,
  );
  return trusted_from !== undefined && first >= trusted_from ? Math.max(first, both) : both;
}

/** The box after both looks, in 0…1 of the picture. A refinement that would turn the box inside out is ignored. */
export function refineBox(box: Box, refined: Box, { refinement, growth }: Judgment): Box {
  const between = (one: number, other: number): number => one + refinement * (other - one);
  const [left, right] = [between(box.left, refined.left), between(box.right, refined.right)];
  const [top, bottom] = [between(box.top, refined.top), between(box.bottom, refined.bottom)];
  const [across, down] = [growth * (right - left), growth * (bottom - top)];
  const moved = { left: left - across, top: top - down, right: right + across, bottom: bottom + down };
  const inside = clipToUnit(moved);
  return right > left && bottom > top && inside.right > inside.left && inside.bottom > inside.top
    ? inside
    : box;
}

/** Keeps a probability away from 0 and 1, where one look alone would decide. */
function certain(probability: number): number {
  return Math.min(1 - LEAST, Math.max(LEAST, probability));
}
