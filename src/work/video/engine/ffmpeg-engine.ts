import wasm from "../../../../node_modules/@ffmpeg/core/dist/esm/ffmpeg-core.wasm";
import type { VideoEngine } from "./engine.ts";
import { WasmEngine } from "./wasm-engine.ts";

/** A Worker has 128 MB (Cloudflare Workers' limits), which the core shares with the Worker's own heap. */
const WORKER_MEMORY = { mostBytes: 110_000_000, reuseBelowBytes: 96 * 1024 * 1024 };

/** The isolate's only engine. */
export const ffmpegEngine: VideoEngine = new WasmEngine(wasm, WORKER_MEMORY);
