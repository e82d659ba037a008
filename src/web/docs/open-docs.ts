import type { HttpContext } from "../../ground/platform/http.ts";

/** Answers a request below `/docs`. The code is loaded with the first such request, so that the API starts without it. */
export async function openDocs(c: HttpContext, openApiDocument: object): Promise<Response> {
  const { answerAsDocs } = await import("./docs.app.tsx");
  return await answerAsDocs(c, openApiDocument);
}
