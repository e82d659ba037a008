import { z } from "zod";
import { boxSchema } from "../../records/masking/region.schemas.ts";
import { shownValue } from "../../records/media/media.schemas.ts";
import { validationFailed } from "../../ground/platform/errors.ts";
import { describeUnknownName } from "../../ground/platform/unknown-names.ts";

const timeSchema = z.number().min(0);

/** A box to follow through a video, and the time of its position. */
export interface FollowOrder {
  readonly timeSeconds: number;
  /** In 0…1 of the picture as a viewer sees it. */
  readonly box: z.output<typeof boxSchema>;
}

/** The path of a followed box, in the format of a revision's region. */
export interface FollowResponse {
  readonly start_seconds: number;
  readonly end_seconds: number;
  readonly keyframes: readonly { readonly time_seconds: number; readonly box: FollowOrder["box"] }[];
}

/** Parses a body into an order. @throws VeilError 422 with all errors in it */
export function checkFollowOrder(body: unknown): FollowOrder {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw validationFailed({ body: [`The body is ${shownValue(body)}; expected a JSON object.`] });
  const faults: Record<string, string[]> = {};
  for (const name of Object.keys(body)) {
    if (name === "time_seconds" || name === "box") continue;
    const { field, sentence } = describeUnknownName("property", name, ["time_seconds", "box"]);
    faults[field] = [sentence];
  }
  const time: unknown = Reflect.get(body, "time_seconds");
  const box: unknown = Reflect.get(body, "box");
  const checkedTime = timeSchema.safeParse(time);
  const checkedBox = boxSchema.safeParse(box);
  if (!checkedTime.success)
    faults["time_seconds"] = [
      `\`time_seconds\` is ${shownValue(time)}; expected a number of seconds from 0 on.`,
    ];
  if (!checkedBox.success)
    faults["box"] = [
      `\`box\` is ${shownValue(box)}; expected x, y, width and height from 0 to 1, within the picture.`,
    ];
  if (Object.keys(faults).length > 0 || !checkedTime.success || !checkedBox.success)
    throw validationFailed(faults);
  return { timeSeconds: checkedTime.data, box: checkedBox.data };
}
