import { request, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { controlRecord } from "../../src/work/video/engine/run-stream.ts";
import { startEngineService, type EngineServiceProcess } from "./engine-service-process.ts";

/** The inference service that tests send runs to. `http://media.test/<behaviour>` selects its behavior. */
export const ENGINE_SERVICE_TOKEN = "a-token-of-the-tests";

let running: EngineServiceProcess | undefined;
/** The number of runs and kills by address. */
const counts = new Map<string, { runs: number; kills: number }>();

async function runningService(): Promise<EngineServiceProcess> {
  if (running?.child.process.exitCode === null && running.child.process.signalCode === null) return running;
  running = await startEngineService("auto", ENGINE_SERVICE_TOKEN);
  const { process: child } = running.child;
  // It ends with the tests, and they do not wait for it.
  child.unref();
  for (const stream of [child.stdout, child.stderr]) (stream as Socket | null)?.unref();
  process.once("exit", () => child.kill("SIGKILL"));
  return running;
}

/** Kills the service, as if its machine failed, and waits until it has ended. */
async function kill({ child }: EngineServiceProcess): Promise<void> {
  child.process.kill("SIGKILL");
  await child.ended;
}

interface OutsideRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Parameters<typeof Readable.fromWeb>[0] | null;
}

/** A fault during a run. */
interface Fault {
  /** Kills the service after this many bytes of the run have arrived. */
  readonly killAfterSentBytes?: number;
  /** Kills it after this many bytes of its answer were passed on. */
  readonly killAfterAnsweredBytes?: number;
}

/** Runs are killed in turn at the beginning, in the middle of the request, and in the middle of the answer. */
const KILLS: readonly Fault[] = [
  { killAfterSentBytes: 1 },
  {},
  { killAfterAnsweredBytes: 50_000 },
  {},
  { killAfterSentBytes: 4_000_000 },
  {},
];

/** Answers like a service that works, is killed, lies, or never ends. */
export async function answerAsEngineService(asked: OutsideRequest): Promise<Response> {
  const { pathname } = new URL(asked.url);
  const [, address = "", ...rest] = pathname.split("/");
  const path = `/${rest.join("/")}`;
  const count = counts.get(address) ?? { runs: 0, kills: 0 };
  counts.set(address, count);
  if (path === "/counts") return Response.json(count);
  const [behaviour = ""] = address.split("-");
  if (behaviour === "gone") return new Response(null, { status: 502 });
  if (behaviour === "blind" && path === "/v1/abilities") return Response.json({ codecs: ["avc"] });
  if (path !== "/v1/run") return await forward(asked, path, {});
  count.runs += 1;
  switch (behaviour) {
    case "killed": {
      const fault = KILLS[count.runs - 1] ?? {};
      if (Object.keys(fault).length > 0) count.kills += 1;
      return await forward(asked, path, fault);
    }
    case "empty":
      return new Response(Uint8Array.from(controlRecord({ memoryBytes: 0 })));
    case "garbled":
      return new Response(new Uint8Array(1000).fill(7));
    case "endless":
      return new Response(Readable.toWeb(Readable.from(dribble())) as never);
    default:
      return await forward(asked, path, {});
  }
}

const DRIBBLES = 100;

/** A byte of the first output now and then, and after some time nothing, without an end. */
async function* dribble(): AsyncGenerator<Uint8Array> {
  for (let dribbles = 0; dribbles < DRIBBLES; dribbles++) {
    await delay(20);
    yield Uint8Array.of(1, 0, 0, 0, 1, 0);
  }
  await new Promise(() => undefined);
}

async function forward(asked: OutsideRequest, path: string, fault: Fault): Promise<Response> {
  const service = await runningService();
  const sent = request({
    host: "127.0.0.1",
    port: service.port,
    method: asked.method,
    path,
    headers: { authorization: asked.headers.get("authorization") ?? "" },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once("response", resolve);
    sent.once("error", reject);
  });
  const body = asked.body === null ? Readable.from([]) : Readable.fromWeb(asked.body);
  const sending = Readable.from(killing(body, service, fault.killAfterSentBytes));
  sending.on("error", () => sent.destroy());
  sending.pipe(sent);
  try {
    const response = await answered;
    const answer = Readable.from(killing(response, service, fault.killAfterAnsweredBytes));
    return new Response(Readable.toWeb(answer) as never, { status: response.statusCode ?? 500 });
  } catch {
    return new Response(null, { status: 502 });
  }
}

/** Passes bytes on and kills the service after this many. */
async function* killing(
  chunks: AsyncIterable<Uint8Array>,
  service: EngineServiceProcess,
  afterBytes: number | undefined,
): AsyncGenerator<Uint8Array> {
  let passedBytes = 0;
  for await (const chunk of chunks) {
    yield chunk;
    passedBytes += chunk.length;
    if (afterBytes === undefined || passedBytes < afterBytes) continue;
    await kill(service);
    throw new Error("The service was killed.");
  }
}
