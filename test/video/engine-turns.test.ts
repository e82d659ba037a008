import { expect, onTestFinished, test, vi } from "vitest";
import type { EngineCommand } from "../../src/work/video/engine/engine-commands.ts";
import type { EngineRun } from "../../src/work/video/engine/engine.ts";
import { ffmpegEngine } from "../../src/work/video/engine/ffmpeg-engine.ts";

const SIDE = 32;
const FRAME_BYTES = (SIDE * SIDE * 3) / 2;
const COMMAND: EngineCommand = { kind: "encode", size: { width: SIDE, height: SIDE } };
const MINUTE_MS = 60_000;

/** A run that encodes one frame, and counts the bytes it writes. */
function encodeRun(read: () => Promise<Uint8Array>) {
  let bytes = 0;
  const run: EngineRun = {
    command: COMMAND,
    inputs: { source: { read } },
    outputs: {
      packets: {
        write(chunk) {
          bytes += chunk.length;
        },
      },
    },
    timeoutMs: 10 * MINUTE_MS,
  };
  return { run, bytesWritten: () => bytes };
}

/** Gives one gray frame, and then the end. */
function oneFrame(): () => Promise<Uint8Array> {
  let left = FRAME_BYTES;
  return async () => {
    const piece = new Uint8Array(Math.min(left, 1000)).fill(128);
    left -= piece.length;
    return await Promise.resolve(piece);
  };
}

test("a run waits for the one before it, but not for one whose invocation has ended", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const hanging = encodeRun(async () => await new Promise<Uint8Array>(() => undefined));
  void ffmpegEngine.run(hanging.run).catch(() => undefined);
  const next = encodeRun(oneFrame());
  const done = ffmpegEngine.run(next.run);
  await new Promise((resolve) => {
    setTimeout(resolve, 1200);
  });
  expect(next.bytesWritten()).toBe(0);
  vi.setSystemTime(Date.now() + 2 * MINUTE_MS);
  await done;
  expect(next.bytesWritten()).toBeGreaterThan(0);
  const later = encodeRun(oneFrame());
  await ffmpegEngine.run(later.run);
  expect(later.bytesWritten()).toBe(next.bytesWritten());
});
