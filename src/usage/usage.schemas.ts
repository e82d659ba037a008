import { z } from "@hono/zod-openapi";

/** Usage of the current billing period, as the contract shows it. A null limit means unlimited. */
export const usageSchema = z
  .strictObject({
    plan: z.string().openapi({ description: "Name of the current plan.", example: "Scale" }),
    period_start: z.iso
      .date()
      .openapi({ description: "First day of the billing period.", example: "2026-11-01" }),
    period_end: z.iso
      .date()
      .openapi({ description: "Last day of the billing period.", example: "2026-11-30" }),
    images: z
      .strictObject({
        used: z.int().min(0).openapi({ description: "Images completed so far." }),
        limit: z
          .int()
          .min(0)
          .nullable()
          .openapi({ description: "Images in the plan. Null means unlimited." }),
      })
      .openapi({ description: "Images completed in the period. A null limit means unlimited." }),
    video_minutes: z
      .strictObject({
        used: z.number().min(0).openapi({ description: "Minutes completed so far." }),
        limit: z
          .number()
          .min(0)
          .nullable()
          .openapi({ description: "Minutes in the plan. Null means unlimited." }),
      })
      .openapi({ description: "Minutes of video completed in the period. A null limit means unlimited." }),
  })
  .openapi("Usage");

export type UsageResponse = z.output<typeof usageSchema>;
