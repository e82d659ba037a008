import { REDACTION_CATEGORIES } from "../../src/ground/vocabulary/categories.ts";

export const DETECTOR_URL = "http://inference.test";
/** A detector that serves two categories. */
export const SMALL_DETECTOR_URL = "http://small.inference.test";
export const SMALL_DETECTOR_CATEGORIES = ["heads", "license_plates"];
/** A detector that answers 503 to everything. */
export const DOWN_DETECTOR_URL = "http://down.inference.test";

/** Answers for the inference services outside the Worker. */
export async function answerAsDetector(request: { url: string }): Promise<Response> {
  const { origin, pathname } = new URL(request.url);
  if (origin === DOWN_DETECTOR_URL) return new Response(null, { status: 503 });
  if (origin === SMALL_DETECTOR_URL) {
    return Response.json({ categories: SMALL_DETECTOR_CATEGORIES, models: [] });
  }
  if (pathname === "/v1/models") return Response.json({ categories: REDACTION_CATEGORIES, models: [] });
  return new Response(null, { status: 404 });
}
