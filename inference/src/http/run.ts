import { once } from "node:events";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { ChosenEngine } from "../engine/choose-engine.ts";
import { answerRun } from "../engine/run.ts";
import { invalid, ServiceError } from "../platform/errors.ts";
import { Gate } from "../platform/gate.ts";
import { errorFields, type Log } from "../platform/log.ts";
import { Admission } from "./admission.ts";
import type { Metrics } from "./metrics.ts";
import { watched, type Ctx, type Watch } from "./request-log.ts";

/** The most runs, including waiting ones. Each waiting run holds a connection. */
const MOST_RUNS = 1000;
/** Clients give up a run within fifteen minutes (Cloudflare Queues' limits). */
export const LONGEST_RUN_MS = 15 * 60 * 1000;

const MEDIA_ID = /^[\w-]{1,128}$/;

/**
 * The video engine's part of the HTTP interface. Runs have limits of their own, so they take no places from detections. Waiting
 * runs are served in order, and their bodies are read only as far as the system buffers them.
 */
export class RunRoute {
  readonly #engine: ChosenEngine;
  readonly #log: Log;
  readonly #metrics: Metrics;
  readonly #admission = new Admission(MOST_RUNS);
  readonly #gate: Gate;

  constructor(engine: ChosenEngine, { log, metrics }: { log: Log; metrics: Metrics }) {
    this.#engine = engine;
    this.#log = log;
    this.#metrics = metrics;
    this.#gate = new Gate(engine.parallelRuns);
    metrics.watch("veil_runs_inside", "Runs that the video engine works on.", () => this.#gate.inside);
    metrics.watch("veil_queue_runs", "Runs that wait for the video engine.", () => this.#gate.waiting);
  }

  /** `GET /v1/abilities`: what the engine can do. */
  abilities(c: Ctx): Response {
    return c.json(this.#engine.abilities);
  }

  /** `POST /v1/run`: answers a run with the engine's output, as it comes. */
  async run(c: Ctx): Promise<Response> {
    const mediaId = c.req.header("x-media-id") ?? "";
    const seen: Seen = MEDIA_ID.test(mediaId) ? { mediaId } : {};
    const count: Watch["count"] = (outcome, seconds) => this.#metrics.countRun(outcome, seconds);
    return await watched(c, { log: this.#log, event: "run", seen, count }, async () =>
      this.#admission.hold(async () => await this.#answer(c, seen)),
    );
  }

  // Runs use Node's own streams: an answer may begin long before its request has ended, and both may have gigabytes.
  async #answer(c: Ctx, seen: Seen): Promise<Response> {
    const { incoming, outgoing } = c.env;
    const startedAtMs = performance.now();
    const gone = new AbortController();
    outgoing.once("close", () => {
      gone.abort(new Error("Nobody waits for the answer any more."));
    });
    try {
      await this.#gate.hold(gone.signal, async () => {
        seen.waitedMs = Math.round(performance.now() - startedAtMs);
        const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(LONGEST_RUN_MS)]);
        signal.addEventListener("abort", () => {
          // Without this, the server would wait for the rest of the request body.
          incoming.destroy();
        });
        const write = async (bytes: Uint8Array): Promise<void> => {
          signal.throwIfAborted();
          if (!outgoing.headersSent) {
            const headers = {
              "content-type": "application/octet-stream",
              "x-request-id": c.get("requestId"),
            };
            outgoing.writeHead(200, headers);
          }
          if (!outgoing.write(bytes)) await once(outgoing, "drain", { signal });
        };
        await answerRun(this.#engine.engine, incoming, { answer: { write }, signal });
        outgoing.end();
      });
    } catch (error) {
      // A format fault of the records.
      if (!outgoing.headersSent) throw error instanceof RangeError ? invalid("body", error.message) : error;
      outgoing.destroy();
      seen.outcome = error instanceof ServiceError ? error.code : "broken_off";
      this.#log.warn({ event: "run_broken_off", requestId: c.get("requestId"), ...errorFields(error) });
    }
    return RESPONSE_ALREADY_SENT;
  }
}

/** What the log says about a run. */
interface Seen {
  mediaId?: string;
  waitedMs?: number;
  outcome?: string;
}
