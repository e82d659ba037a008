import type { Env } from "../platform/env.ts";

/**
 * Sets the variables that onnxruntime's TensorRT provider reads from the process environment when a session is created
 * (onnxruntime.ai, "NVIDIA TensorRT Execution Provider"). onnxruntime-node has no options for them. It must run on the main
 * thread, because worker threads only have copies of the environment.
 */
export function prepareTensorRt(
  { PROVIDER, PRECISION, TENSORRT_CACHE_DIR }: Pick<Env, "PROVIDER" | "PRECISION" | "TENSORRT_CACHE_DIR">,
  environment: Record<string, string | undefined>,
): void {
  if (PROVIDER !== "tensorrt") return;
  environment["ORT_TENSORRT_FP16_ENABLE"] = PRECISION === "half" ? "1" : "0";
  if (TENSORRT_CACHE_DIR === undefined) return;
  environment["ORT_TENSORRT_ENGINE_CACHE_ENABLE"] = "1";
  environment["ORT_TENSORRT_CACHE_PATH"] = TENSORRT_CACHE_DIR;
}
