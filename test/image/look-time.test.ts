import { afterEach, expect, test, vi } from "vitest";
import { inferenceDetector } from "../../src/work/detection/inference.detector.ts";
import { oneHead } from "../support/jobs.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

test.for([
  { format: "jpeg", limitMs: 7000 },
  { format: "png", limitMs: 21_000 },
  { format: "webp", limitMs: 21_000 },
] as const)("a look at $format, which may be transparent or not, may take $limitMs ms", async (wanted) => {
  const { format, limitMs } = wanted;
  const timeout = vi.spyOn(AbortSignal, "timeout");
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    if (init?.body instanceof ReadableStream) await new Response(init.body).arrayBuffer();
    return oneHead();
  });
  const bytes = new Uint8Array(10);
  const frame = {
    format,
    sizeBytes: bytes.length,
    widthPixels: 80,
    heightPixels: 120,
    open: async () => new Blob([bytes]).stream(),
  };
  const detector = inferenceDetector({
    url: "http://localhost",
    token: "test-token",
    timeoutMs: 7000,
    accessHeaders: {},
  });
  await detector.detect({
    frames: [frame],
    categories: ["heads"],
    subject: { requestId: "req_1", accountId: "acc_test", mediaId: "media_test" },
  });
  expect(timeout.mock.calls).toEqual([[limitMs]]);
});

test.for([
  [new DOMException("The operation timed out", "TimeoutError"), "The detector did not answer within 7 s."],
  [new TypeError("Network connection lost"), "The detector could not be reached."],
] as const)("a look that ends with %s says what happened", async ([cause, message]) => {
  vi.spyOn(globalThis, "fetch").mockRejectedValue(cause);
  const bytes = new Uint8Array(10);
  const detector = inferenceDetector({
    url: "http://localhost",
    token: "test-token",
    timeoutMs: 7000,
    accessHeaders: {},
  });
  const look = detector.detect({
    frames: [
      {
        format: "jpeg",
        sizeBytes: bytes.length,
        widthPixels: 80,
        heightPixels: 120,
        open: async () => new Blob([bytes]).stream(),
      },
    ],
    categories: ["heads"],
    subject: { requestId: "req_1", accountId: "acc_test", mediaId: "media_test" },
  });
  await expect(look).rejects.toMatchObject({ code: "detector_unavailable", message });
});
