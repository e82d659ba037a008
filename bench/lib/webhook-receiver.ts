import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { z } from "zod";

const eventSchema = z.object({ id: z.string(), timestamp: z.string() });

/** The deliveries that a receiver got. */
export interface Receiver {
  readonly url: string;
  /** How many times each event arrived, by event id. */
  readonly arrivals: ReadonlyMap<string, number>;
  /** The time from each event's own timestamp to its first arrival. */
  readonly latenciesMs: readonly number[];
  readonly badSignatures: () => number;
  readonly secret: { value: string };
  readonly stop: () => Promise<void>;
}

/** Starts a server that verifies each webhook's signature. It answers 500 to the first arrival of every `failEvery`th event. */
export async function startReceiver(failEvery: number): Promise<Receiver> {
  const arrivals = new Map<string, number>();
  const latenciesMs: number[] = [];
  const secret = { value: "" };
  let badSignatures = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      const wanted = `sha256=${createHmac("sha256", secret.value).update(body).digest("hex")}`;
      const given = String(request.headers["x-service-signature"]);
      const isSigned =
        given.length === wanted.length && timingSafeEqual(Buffer.from(given), Buffer.from(wanted));
      if (!isSigned) badSignatures += 1;
      const { id, timestamp } = eventSchema.parse(JSON.parse(body.toString()));
      const times = (arrivals.get(id) ?? 0) + 1;
      arrivals.set(id, times);
      if (times === 1) latenciesMs.push(Date.now() - Date.parse(timestamp));
      const isRefused = times === 1 && arrivals.size % failEvery === 0;
      response.writeHead(isRefused ? 500 : 200).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The receiver has no port.");
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    arrivals,
    latenciesMs,
    badSignatures: () => badSignatures,
    secret,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
