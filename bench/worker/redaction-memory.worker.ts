import { redactStream, type Region } from "../../src/pixels/redaction/index.ts";
import type { ImageFormat } from "../../src/ground/vocabulary/media-values.ts";

interface Env {
  /** Serves the file, piece by piece, on each request. */
  readonly SOURCE: Fetcher;
  /** Samples this isolate's heap immediately. The request passes the bytes that WebAssembly holds. */
  readonly PROBE: Fetcher;
}

declare const gc: () => void;

const CHUNKS_PER_LOOK = 20;

/** The memories of the WebAssembly instances made so far, which may still be alive. */
const memories: WeakRef<WebAssembly.Memory>[] = [];

/** Records each instance's memory, since the heap's own figures do not include WebAssembly memories. */
function watchInstances(): void {
  const { Instance } = WebAssembly;
  WebAssembly.Instance = class extends Instance {
    constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
      super(module, imports);
      const { memory } = this.exports;
      if (memory instanceof WebAssembly.Memory) memories.push(new WeakRef(memory));
    }
  };
}

watchInstances();

async function look(env: Env): Promise<void> {
  gc();
  const wasmBytes = memories.reduce((sum, memory) => sum + (memory.deref()?.buffer.byteLength ?? 0), 0);
  await (await env.PROBE.fetch(`http://probe/?wasm=${wasmBytes}`)).text();
}

/** Redacts the file from SOURCE with the posted regions: `POST /?format=jpeg`. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const format = new URL(request.url).searchParams.get("format") as ImageFormat;
    const regions = await request.json<Region[]>();
    let chunks = 0;
    const lookNowAndThen = async (): Promise<void> => {
      if (chunks++ % CHUNKS_PER_LOOK === 0) await look(env);
    };
    const open = async (): Promise<ReadableStream<Uint8Array>> => {
      const { body } = await env.SOURCE.fetch("http://source/");
      if (body === null) throw new Error("no source");
      const reader = (body as ReadableStream<Uint8Array>).getReader();
      return new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            await lookNowAndThen();
            const { done, value } = await reader.read();
            if (done) controller.close();
            else controller.enqueue(value);
          },
          async cancel() {
            await reader.cancel();
          },
        },
        { highWaterMark: 0 },
      );
    };
    await look(env);
    const { stream, width, height } = await redactStream({ open, format, regions, method: "blur" });
    let bytes = 0;
    for await (const chunk of stream) {
      bytes += chunk.byteLength;
      await lookNowAndThen();
    }
    await look(env);
    return Response.json({ bytes, megapixels: (width * height) / 1e6 });
  },
};
