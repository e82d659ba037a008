import { createServer } from "node:http";
import type { TestProject } from "vitest/node";

/**
 * A local server that speaks the protocol of a Hugging Face object-detection endpoint. The path selects its behavior. It returns the size
 * of the received picture as a label, so that a test can check that the picture arrived completely.
 */
export default async function startEndpoint(project: TestProject): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const sizeBytes = Buffer.concat(chunks).length;
      if (request.url === "/broken") {
        response.writeHead(500).end("broken");
      } else if (request.headers.authorization !== "Bearer hf-test") {
        response.writeHead(401, { "Content-Type": "application/json" }).end('{"error":"unauthorized"}');
      } else if (request.url === "/garbage") {
        response.writeHead(200, { "Content-Type": "application/json" }).end('{"surprise":true}');
      } else {
        const box = { xmin: 8, ymin: 12, xmax: 24, ymax: 36 };
        response.writeHead(200, { "Content-Type": "application/json" }).end(
          JSON.stringify([
            { score: 0.9, label: "person-head", box },
            { score: 0.8, label: "unmapped", box },
            { score: 0.7, label: `bytes-${sizeBytes}`, box },
          ]),
        );
      }
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The endpoint has no port.");
  project.provide("endpointUrl", `http://127.0.0.1:${address.port}`);
  return async () => {
    await new Promise((resolve) => server.close(resolve));
  };
}

declare module "vitest" {
  interface ProvidedContext {
    endpointUrl: string;
  }
}
