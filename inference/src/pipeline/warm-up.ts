import sharp from "sharp";
import type { Detector } from "./detector.ts";

/** Sizes of the pictures that are analyzed before the service is ready. Frames of a video use the same input sizes. */
const SIZES = [
  { width: 1920, height: 1080 },
  { width: 640, height: 360 },
];

/**
 * Looks at blank frames for every category, so that threads are started, the codes reader is loaded, and the networks have
 * their memory.
 */
export async function warmUp(detector: Detector, threads: number): Promise<void> {
  const never = new AbortController().signal;
  const question = {
    categories: detector.categories,
    sensitivity: "normal" as const,
    minConfidence: {},
    withCandidates: false,
    isSingleLook: false,
  };
  for (const size of SIZES) {
    const frame = await sharp({ create: { ...size, channels: 3, background: "#808080" } })
      .jpeg()
      .toBuffer();
    await detector.detect(
      Array.from({ length: threads }, () => new Uint8Array(frame)),
      question,
      never,
    );
  }
}
