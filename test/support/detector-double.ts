import { REDACTION_CATEGORIES } from "../../src/media/media.values.ts";

export const DETECTOR_URL = "http://inference.test";

/** Answers for the inference service outside the Worker: it serves every category and finds one head. */
export async function answerAsDetector(request: { url: string }): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/v1/models") return Response.json({ categories: REDACTION_CATEGORIES, models: [] });
  return new Response(null, { status: 404 });
}
