import type { HttpContext } from "../../ground/platform/http.ts";

/** Answers a request to the dashboard. Its code is evaluated with the first such request, so the API starts without it. */
export async function openDashboard(c: HttpContext): Promise<Response> {
  const { answerAsDashboard } = await import("./dashboard.app.tsx");
  return await answerAsDashboard(c);
}
