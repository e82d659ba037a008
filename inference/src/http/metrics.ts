import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import type { TimeRange } from "../speech/speech-ranges.ts";
import type { FrameResult, ModelInfo } from "../pipeline/detector.ts";

const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Runs of the video engine take up to fifteen minutes. */
const RUN_SECONDS = [0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];

/** The service's Prometheus metrics. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Histogram({
    name: "veil_request_seconds",
    help: "Time from a detection request's headers to its answer, by outcome.",
    labelNames: ["outcome"],
    buckets: SECONDS,
    registers: [this.#registry],
  });
  readonly #frames = new Counter({
    name: "veil_frames_total",
    help: "Frames looked at.",
    registers: [this.#registry],
  });
  readonly #megapixels = new Counter({
    name: "veil_frame_megapixels_total",
    help: "Stored pixels of the frames looked at, in millions.",
    registers: [this.#registry],
  });
  readonly #detections = new Counter({
    name: "veil_detections_total",
    help: "What was found, by category.",
    labelNames: ["category"],
    registers: [this.#registry],
  });
  readonly #batches = new Histogram({
    name: "veil_batch_views",
    help: "Views or crops in one network run, by model.",
    labelNames: ["model"],
    buckets: [1, 2, 4, 8, 16, 32, 64],
    registers: [this.#registry],
  });
  readonly #modelSeconds = new Histogram({
    name: "veil_model_seconds",
    help: "Time of one network run, by model.",
    labelNames: ["model"],
    buckets: SECONDS,
    registers: [this.#registry],
  });

  readonly #speechRequests = new Histogram({
    name: "veil_speech_request_seconds",
    help: "Time from a speech request's headers to its answer, by outcome.",
    labelNames: ["outcome"],
    buckets: SECONDS,
    registers: [this.#registry],
  });
  readonly #heardSeconds = new Counter({
    name: "veil_heard_seconds_total",
    help: "Seconds of audio that were searched for speech.",
    registers: [this.#registry],
  });
  readonly #speechSeconds = new Counter({
    name: "veil_speech_seconds_total",
    help: "Seconds of audio in which speech was found.",
    registers: [this.#registry],
  });

  readonly #runs = new Histogram({
    name: "veil_run_seconds",
    help: "Time from a video run's headers to its answer's end, by outcome.",
    labelNames: ["outcome"],
    buckets: RUN_SECONDS,
    registers: [this.#registry],
  });

  readonly #models = new Gauge({
    name: "veil_model_info",
    help: "Always 1: a model that is served, its version and the device that it runs on.",
    labelNames: ["model", "version", "device"],
    registers: [this.#registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** Content type of `text`. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics in the exposition format. */
  async text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** Adds a gauge whose value is read each time the metrics are. */
  watch(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect: () => gauge.set(read()),
    });
  }

  showModels(models: readonly ModelInfo[]): void {
    for (const { id: model, version, device } of models) this.#models.set({ model, version, device }, 1);
  }

  countRequest(outcome: string, seconds: number): void {
    this.#requests.observe({ outcome }, seconds);
  }

  countFrames(results: readonly FrameResult[]): void {
    for (const { width, height, detections } of results) {
      this.#frames.inc();
      this.#megapixels.inc((width * height) / 1e6);
      for (const { category } of detections) this.#detections.inc({ category });
    }
  }

  countSpeechRequest(outcome: string, seconds: number): void {
    this.#speechRequests.observe({ outcome }, seconds);
  }

  countSpeech(seconds: number, ranges: readonly TimeRange[]): void {
    this.#heardSeconds.inc(seconds);
    this.#speechSeconds.inc(ranges.reduce((sum, { start, end }) => sum + end - start, 0));
  }

  countRun(outcome: string, seconds: number): void {
    this.#runs.observe({ outcome }, seconds);
  }

  countBatch(model: string, views: number, seconds: number): void {
    this.#batches.observe({ model }, views);
    this.#modelSeconds.observe({ model }, seconds);
  }
}
