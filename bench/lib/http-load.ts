import { Agent, request } from "node:http";
import { timed } from "./statistics.ts";

/** A GET request that the benchmark repeats. */
export interface Target {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends GET requests over keep-alive connections. Uses node:http, since `fetch` takes more processor time than some of the
 * responses do.
 */
export class LoadClient {
  readonly #agent: Agent;

  constructor(connections: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** Sends one request and returns the body of the response. Throws unless the status is 200. */
  async get(target: Target): Promise<string> {
    return await new Promise((resolve, reject) => {
      const sent = request(target.url, { agent: this.#agent, headers: { ...target.headers } }, (response) => {
        let body = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (body += chunk));
        response.on("end", () => {
          if (response.statusCode === 200) resolve(body);
          else reject(new Error(`${target.url} answered ${response.statusCode}: ${body}`));
        });
        response.on("error", reject);
      });
      sent.on("error", reject);
      sent.end();
    });
  }

  /** Returns the time until one response is complete, in milliseconds. */
  async latencyMs(target: Target): Promise<number> {
    return await timed(async () => await this.get(target));
  }

  /** Returns the times of `count` requests sent one after another. Work that one response leaves behind delays the next. */
  async latenciesMs(target: Target, count: number): Promise<number[]> {
    const latencies: number[] = [];
    for (let sent = 0; sent < count; sent++) latencies.push(await this.latencyMs(target));
    return latencies;
  }

  /** Sends `count` requests one after another. */
  async warmUp(target: Target, count: number): Promise<void> {
    for (let sent = 0; sent < count; sent++) await this.get(target);
  }

  /** Returns the responses per second when `concurrency` clients send requests without pause until `count` responses have arrived. */
  async requestsPerSecond(
    target: Target,
    { count, concurrency }: { count: number; concurrency: number },
  ): Promise<number> {
    let left = count;
    const client = async (): Promise<void> => {
      while (left-- > 0) await this.get(target);
    };
    const tookMs = await timed(async () => await Promise.all(Array.from({ length: concurrency }, client)));
    return count / (tookMs / 1000);
  }

  close(): void {
    this.#agent.destroy();
  }
}
