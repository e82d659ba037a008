import { wholeNumber, wordOf } from "./values.ts";

/** Limits on a video, both as its container declares it and after its frames are counted, and which engine decodes large ones. */
export const videoLimitVariables = {
  MAX_VIDEO_FRAMES_PER_SECOND: wholeNumber({ unit: "frames per second", least: 1, most: 240, byDefault: 60 }),
  MAX_VIDEO_SECONDS: wholeNumber({ unit: "seconds", least: 1, most: 86_400, byDefault: 3600 }),
  /** Whether the inference service processes the videos that are too large for a Worker. Otherwise, such videos are refused. */
  VIDEO_ENGINE: wordOf(["service", "worker"]).default("service"),
};

/** How many segments of one video are in work at once. How long they are: `work/video/steps/segment-length.ts`. */
export const segmentVariables = {
  VIDEO_PARALLEL_SEGMENTS: wholeNumber({ unit: "segments", least: 1, most: 100, byDefault: 8 }),
};
