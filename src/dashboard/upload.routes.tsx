import { Hono } from "hono";
import { z } from "zod";
import { fieldErrors, validationFailed } from "../platform/errors.ts";
import { readUploadOptions } from "./data/upload-options.data.ts";
import { readUploadProgress } from "./data/upload-progress.data.ts";
import { UploadPage } from "./pages/upload.page.tsx";
import { teamOf, viewerOf, type DashboardEnv } from "./request/dashboard.http.ts";

const MOST_FOLLOWED = 100;

const progressQuerySchema = z.object({
  id: z
    .array(z.uuid("`id` is not the ID of a media item."))
    .max(MOST_FOLLOWED, { error: `At most ${MOST_FOLLOWED} files can be asked for.` })
    .default([]),
});

/** The page that files are uploaded on, and what it asks while they are worked on. */
export const uploadPageRoutes = new Hono<DashboardEnv>();

uploadPageRoutes.get("/", async (c) => {
  const options = await readUploadOptions(c.get("config"));
  return c.html(<UploadPage viewer={viewerOf(c)} options={options} />);
});

uploadPageRoutes.get("/progress", async (c) => {
  const query = progressQuerySchema.safeParse(c.req.queries());
  if (!query.success) throw validationFailed(fieldErrors(query.error));
  const media = await readUploadProgress(c.get("config"), teamOf(c).accountId, query.data.id);
  return c.json({ media });
});
