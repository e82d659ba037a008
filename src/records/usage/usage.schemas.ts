import { z } from "@hono/zod-openapi";

function consumption(amount: z.ZodNumber, noun: string) {
  const counted = amount.min(0);
  return z
    .strictObject({
      used: counted.openapi({ description: `${noun} completed so far.` }),
      limit: counted.nullable().openapi({ description: `${noun} in the plan. Null means unlimited.` }),
    })
    .openapi({ description: `${noun} completed in the period. A null limit means unlimited.` });
}

/** Usage of the current billing period, as the contract defines it. A null limit means unlimited. */
export const usageSchema = z
  .strictObject({
    plan: z.string().openapi({ description: "Name of the current plan.", example: "Scale" }),
    period_start: z.iso
      .date()
      .openapi({ description: "First day of the billing period.", example: "2026-11-01" }),
    period_end: z.iso
      .date()
      .openapi({ description: "Last day of the billing period.", example: "2026-11-30" }),
    images: consumption(z.int(), "Images"),
    video_minutes: consumption(z.number(), "Minutes of video"),
  })
  .openapi("Usage");

export type UsageResponse = z.output<typeof usageSchema>;
