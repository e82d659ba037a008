import { z } from "zod";
import { fieldErrors, validationFailed } from "../../../ground/platform/errors.ts";
import type { DashboardContext } from "../request/dashboard.http.ts";

function selectionSchema(most: number) {
  return z.object({
    id: z
      .preprocess(
        (value) => (value === undefined ? [] : [value].flat()),
        z.array(z.uuid("A selected ID is not the ID of a media item.")),
      )
      .refine((ids) => ids.length <= most, {
        error: (issue) =>
          `${Array.isArray(issue.input) ? issue.input.length : 0} files are selected; the limit is ${most}.`,
      }),
  });
}

/** The files that a form selects. @throws VeilError 422 if a value is invalid */
export async function selectedIds(c: DashboardContext, most: number): Promise<readonly string[]> {
  const form = selectionSchema(most).safeParse(await c.req.parseBody({ all: true }));
  if (!form.success) throw validationFailed(fieldErrors(form.error));
  return form.data.id;
}
