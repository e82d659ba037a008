import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";

/** A received webhook. */
export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A local server that receives and stores webhooks. It answers the first one after `firstAnswerMs`. */
export async function openInbox(firstAnswerMs = 0): Promise<{
  url: string;
  received: readonly ReceivedWebhook[];
  close: () => void;
}> {
  const received: ReceivedWebhook[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      received.push({ headers: request.headers, body });
      setTimeout(() => response.end("thank you"), received.length === 1 ? firstAnswerMs : 0);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The inbox has no port.");
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    received,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
