/** Measures how much memory the kernel uses inside workerd: samples its isolate repeatedly while large files pass through. */
import { runWrangler } from "../scripts/lib/wrangler.ts";
import type { Region } from "../src/pixels/redaction/index.ts";
import {
  largeBaselineJpeg,
  largePng,
  largeProgressiveJpeg,
  type Source,
} from "../test/redaction-node/support/large-files.ts";
import { workerdProcesses, peakGrowthBytes } from "./lib/process-memory.ts";
import { atMost, type Finding, progress, reported, runBenchmark } from "./lib/report.ts";
import { rounded } from "./lib/statistics.ts";
import { withTemporaryFolder } from "./lib/temporary.ts";
import { modulesOf, type Module } from "./lib/worker-modules.ts";

const STREAMED_LIMIT_MEGABYTES = 24;
const PROGRESSIVE_LIMIT_MEGABYTES = 96;
const PIECE_BYTES = 65_536;
/** This flag lets the benchmark trigger garbage collection, so that it counts only live memory. */
process.env["MINIFLARE_WORKERD_V8_FLAGS"] = "--expose-gc";
const { convertV4MiniflareOptions, Miniflare } = await import("miniflare");

const REGIONS: readonly Region[] = Array.from({ length: 40 }, (_, index) => ({
  category: index % 3 === 0 ? "writing" : "heads",
  shape: "ellipse",
  box: [(index % 8) / 8, Math.floor(index / 8) / 5, 0.1, 0.15],
}));

function inPieces(bytes: Uint8Array): Source {
  return async () => {
    let at = 0;
    return await Promise.resolve(
      new ReadableStream<Uint8Array>({
        pull(controller) {
          if (at >= bytes.byteLength) controller.close();
          else controller.enqueue(bytes.subarray(at, (at += PIECE_BYTES)));
        },
      }),
    );
  };
}

/** Queries the isolate's inspector (Chrome DevTools protocol). */
class Inspector {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as { id?: number; result: unknown };
      if (id !== undefined) this.#waiting.get(id)?.(result);
    });
  }

  static async open(url: URL): Promise<Inspector> {
    const targets = (await (await fetch(new URL("/json", url.href.replace("ws:", "http:")))).json()) as {
      title: string;
      webSocketDebuggerUrl: string;
    }[];
    const target = targets.find(({ title }) => title.includes("core:user"));
    if (target === undefined) throw new Error("The Worker has no inspector.");
    const socket = new WebSocket(target.webSocketDebuggerUrl);
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve, { once: true });
      socket.addEventListener("error", reject, { once: true });
    });
    return new Inspector(socket);
  }

  /** The size of the JavaScript heap and its buffers, without WebAssembly memories. */
  async aliveBytes(): Promise<number> {
    const id = ++this.#lastId;
    const answer = new Promise<unknown>((resolve) => this.#waiting.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method: "Runtime.getHeapUsage" }));
    const { usedSize, backingStorageSize } = (await answer) as Record<string, number>;
    return (usedSize ?? Number.NaN) + (backingStorageSize ?? Number.NaN);
  }

  close(): void {
    this.#socket.close();
  }
}

interface Peak {
  readonly looks: number;
  readonly heapBytes: number;
  readonly wasmBytes: number;
  readonly togetherBytes: number;
  readonly residentGrowthBytes: number;
}

/** Redacts a file in a fresh workerd. Heap figures are relative to the heap before the first byte. */
async function measure(modules: readonly Module[], format: string, source: Source): Promise<Peak> {
  let inspector: Inspector | undefined;
  const peak = { looks: 0, heapBytes: 0, wasmBytes: 0, togetherBytes: 0 };
  let before: number | undefined;
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      inspectorPort: 0,
      modules,
      compatibilityDate: "2026-06-01",
      compatibilityFlags: ["nodejs_compat"],
      serviceBindings: {
        SOURCE: async () => new Response(await source()) as never,
        PROBE: async ({ url }: { url: string }) => {
          const alive = (await inspector?.aliveBytes()) ?? Number.NaN;
          before ??= alive;
          const wasmBytes = Number(new URL(url).searchParams.get("wasm"));
          peak.looks++;
          peak.heapBytes = Math.max(peak.heapBytes, alive - before);
          peak.wasmBytes = Math.max(peak.wasmBytes, wasmBytes);
          peak.togetherBytes = Math.max(peak.togetherBytes, alive - before + wasmBytes);
          return new Response("seen") as never;
        },
      },
    }),
  );
  try {
    const origin = await runtime.ready;
    inspector = await Inspector.open(await runtime.getInspectorURL());
    const [growth] = await peakGrowthBytes(workerdProcesses([process.pid]), async () => {
      const response = await fetch(new URL(`/?format=${format}`, origin), {
        method: "POST",
        body: JSON.stringify(REGIONS),
      });
      if (!response.ok)
        throw new Error(`${format} was answered ${response.status}: ${await response.text()}`);
      progress(`${format}: ${await response.text()}`);
    });
    return { ...peak, residentGrowthBytes: growth?.growthBytes ?? Number.NaN };
  } finally {
    inspector?.close();
    await runtime.dispose();
  }
}

function megabytes(bytes: number): number {
  return rounded(bytes / 1e6, 1);
}

await runBenchmark(import.meta.filename, async () => {
  return await withTemporaryFolder(async (folder) => {
    const config = "bench/worker/redaction-memory.wrangler.json";
    await runWrangler(["deploy", "--dry-run", `--outdir=${folder}`, `--config=${config}`]);
    const files = [
      {
        name: "a baseline JPEG of 100 megapixels",
        format: "jpeg",
        source: await largeBaselineJpeg(10_000, 625),
        limit: STREAMED_LIMIT_MEGABYTES,
      },
      {
        name: "a PNG of 100 megapixels",
        format: "png",
        source: largePng(10_000, 10_000),
        limit: STREAMED_LIMIT_MEGABYTES,
      },
      {
        name: "a progressive JPEG of 24 megapixels",
        format: "jpeg",
        source: inPieces(largeProgressiveJpeg(6000, 4000)),
        limit: PROGRESSIVE_LIMIT_MEGABYTES,
      },
    ];
    const modules = await modulesOf(folder);
    const findings: Finding[] = [];
    const details: Record<string, object> = {
      note: "Alive after a collection, looked at every twenty chunks read or written: the isolate's heap with its buffers, over what it was before, and the memories of WebAssembly. Resident: the whole workerd process, garbage and simulators included, sampled every 20 ms.",
    };
    for (const { name, format, source, limit } of files) {
      progress(name);
      const peak = await measure(modules, format, source);
      findings.push(
        atMost(limit, {
          claim: `Heap and WebAssembly together for ${name}`,
          unit: "MB",
          measured: megabytes(peak.togetherBytes),
        }),
        reported({
          claim: `Growth of the process for ${name}`,
          unit: "MB",
          measured: megabytes(peak.residentGrowthBytes),
        }),
      );
      details[name] = {
        looks: peak.looks,
        heapMegabytes: megabytes(peak.heapBytes),
        wasmMegabytes: megabytes(peak.wasmBytes),
      };
    }
    return { findings, details };
  });
});
