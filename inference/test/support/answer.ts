import { z } from "zod";
import { CATEGORIES } from "../../src/detections/categories.ts";

const share = z.number().min(0).max(1);

const answer = z.strictObject({
  frames: z.array(
    z.strictObject({
      width: z.int().positive(),
      height: z.int().positive(),
      detections: z.array(
        z.strictObject({
          category: z.enum(CATEGORIES),
          confidence: share,
          second_look: share.optional(),
          candidate: z.literal(true).optional(),
          box: z.tuple([share, share, share, share]),
          polygon: z
            .array(z.tuple([share, share]))
            .min(3)
            .optional(),
        }),
      ),
    }),
  ),
  models: z.array(
    z.strictObject({ id: z.string(), version: z.string(), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
  ),
});

const errorAnswer = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    details: z.record(z.string(), z.array(z.string())),
  }),
  request_id: z.string(),
});

export type Answer = z.output<typeof answer>;
export type ErrorAnswer = z.output<typeof errorAnswer>;

/** Parses an answer strictly; fails on anything the contract does not name. */
export async function answerOf(response: Response): Promise<Answer> {
  return answer.parse(await response.json());
}

/** Parses an error strictly. */
export async function errorOf(response: Response): Promise<ErrorAnswer> {
  return errorAnswer.parse(await response.json());
}
