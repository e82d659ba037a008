import { Agent, request } from "node:http";
import { timed } from "./statistics.ts";

/** A GET request that is sent again and again. */
export interface Target {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends GET requests over kept connections: node:http, since `fetch` takes more of the processor than some answers. */
export class LoadClient {
  readonly #agent: Agent;

  constructor(connections: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** Sends one request and returns the body of its answer. Throws unless the answer is 200. */
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

  /** The time until the whole answer of one request is there, in milliseconds. */
  async latencyMs(target: Target): Promise<number> {
    return await timed(async () => await this.get(target));
  }

  /** The times of `count` requests sent one after another: what one answer leaves to do delays the next. */
  async latenciesMs(target: Target, count: number): Promise<number[]> {
    const latencies: number[] = [];
    for (let sent = 0; sent < count; sent++) latencies.push(await this.latencyMs(target));
    return latencies;
  }

  /** Sends `count` requests one after another. */
  async warmUp(target: Target, count: number): Promise<void> {
    for (let sent = 0; sent < count; sent++) await this.get(target);
  }

  /** Answers a second when `concurrency` clients ask without pause until `count` answers are there. */
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
