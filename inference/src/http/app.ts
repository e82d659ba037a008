import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import type { Metrics } from "./metrics.ts";
import type { Detector } from "../pipeline/detector.ts";
import { ServiceError } from "../platform/errors.ts";
import { errorFields, type Log } from "../platform/log.ts";
import type { Admission } from "./admission.ts";
import { answerOf } from "./detection-response.ts";
import { bearerCheck } from "./auth.ts";
import { readBody, type BodyLimits, type ByteBudget } from "./body.ts";
import { boundaryOf } from "./multipart.ts";
import { assertServed, parseRequest, type FrameLimits } from "./detection-request.ts";
import { assertSamples, samplesOf, speechAnswer, type SpeechFinder } from "./speech.ts";
import { SAMPLES_PER_SECOND } from "../speech/samples.ts";
import type { RunRoute } from "./run.ts";
import { watched, type AppTypes, type Ctx, type Watch } from "./request-log.ts";

export interface AppOptions {
  readonly detector: Detector;
  readonly speech: SpeechFinder;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly token: string;
  readonly admission: Admission;
  readonly budget: ByteBudget;
  readonly limits: BodyLimits & FrameLimits;
  /** The video engine's route; undefined if the service has no engine. */
  readonly runs: RunRoute | undefined;
  /** Whether the models are warm. */
  readonly isReady: () => boolean;
}

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** The service's HTTP interface. */
export function createApp(options: AppOptions): Hono<AppTypes> {
  const { detector, log, metrics, runs, isReady } = options;
  const app = new Hono<AppTypes>();
  const checkToken = bearerCheck(options.token);

  app.use(async (c, next) => {
    const given = c.req.header("x-request-id") ?? "";
    c.set("requestId", REQUEST_ID.test(given) ? given : `req_${randomUUID()}`);
    c.header("x-request-id", c.get("requestId"));
    await next();
  });
  app.use("/v1/*", async (c, next) => {
    checkToken(c.req.header("authorization"));
    await next();
  });

  app.get("/healthz", (c) => c.json({ status: "ok" }));
  app.get("/readyz", (c) => (isReady() ? c.json({ status: "ready" }) : c.json({ status: "starting" }, 503)));
  app.get("/metrics", async (c) =>
    c.body(await metrics.text(), 200, { "content-type": metrics.contentType }),
  );
  app.get("/v1/models", (c) => {
    const { categories, models, thresholds } = detector;
    return c.json({ categories, models, thresholds });
  });
  app.post("/v1/detections", async (c) => detections(c, options));
  app.post("/v1/speech", async (c) => speech(c, options));
  if (runs !== undefined) {
    app.get("/v1/abilities", (c) => runs.abilities(c));
    app.post("/v1/run", async (c) => runs.run(c));
  }

  app.notFound((c) =>
    errorAnswer(c, new ServiceError({ code: "not_found", message: "There is nothing at this address." })),
  );
  app.onError((error, c) => {
    if (error instanceof ServiceError) return errorAnswer(c, error);
    log.error({ event: "fault", requestId: c.get("requestId"), ...errorFields(error) });
    const message = "Something went wrong on our side. The cause is in the log under the request id.";
    return errorAnswer(c, new ServiceError({ code: "server_error", message, cause: error }));
  });
  return app;
}

async function detections(c: Ctx, options: AppOptions): Promise<Response> {
  const { detector, log, metrics, limits } = options;
  const seen = { frames: 0, sizeBytes: 0, categories: 0 };
  const count: Watch["count"] = (outcome, seconds) => metrics.countRequest(outcome, seconds);
  return await watched(c, { log, event: "detections", seen, count }, async () =>
    options.admission.hold(async () => {
      const boundary = boundaryOf(c.req.header("content-type"));
      const body = await readBody(c.req.raw, limits, options.budget);
      try {
        const { question, frames } = parseRequest(body.bytes, boundary, limits);
        assertServed(question.categories, detector.categories);
        Object.assign(seen, {
          frames: frames.length,
          sizeBytes: body.bytes.byteLength,
          categories: question.categories.length,
        });
        const results = await detector.detect(frames, question, c.req.raw.signal);
        metrics.countFrames(results);
        return c.json(answerOf(results, detector.modelsFor(question)));
      } finally {
        body.release();
      }
    }),
  );
}

async function speech(c: Ctx, options: AppOptions): Promise<Response> {
  const { log, metrics, limits } = options;
  const heard = { audioSeconds: 0, ranges: 0 };
  const count: Watch["count"] = (outcome, seconds) => metrics.countSpeechRequest(outcome, seconds);
  return await watched(c, { log, event: "speech", seen: heard, count }, async () =>
    options.admission.hold(async () => {
      assertSamples(c.req.header("content-type"));
      const body = await readBody(c.req.raw, limits, options.budget);
      try {
        const samples = samplesOf(body.bytes);
        heard.audioSeconds = Math.round(samples.length / SAMPLES_PER_SECOND);
        const ranges = await options.speech.listen(samples);
        heard.ranges = ranges.length;
        metrics.countSpeech(samples.length / SAMPLES_PER_SECOND, ranges);
        return c.json(speechAnswer(ranges, options.speech.manifest));
      } finally {
        body.release();
      }
    }),
  );
}

function errorAnswer(c: Ctx, error: ServiceError): Response {
  if (error.retryAfterSeconds !== undefined) c.header("retry-after", String(error.retryAfterSeconds));
  if (error.code === "unauthorized") c.header("www-authenticate", "Bearer");
  const body = {
    error: { code: error.code, message: error.message, details: error.details },
    request_id: c.get("requestId"),
  };
  return new Response(JSON.stringify(body), {
    status: error.status,
    headers: { ...Object.fromEntries(c.res.headers), "content-type": "application/json" },
  });
}
