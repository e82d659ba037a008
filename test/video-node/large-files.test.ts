import { describe, expect, test } from "vitest";
import { setTimeout as delay } from "node:timers/promises";
import { findBytes } from "../../src/ground/platform/buffers.ts";
import { openSource } from "../../src/work/video/containers/open-container.ts";
import { packetsOf } from "../../src/work/video/containers/track-packets.ts";
import { probeVideo, VideoProbeError } from "../../src/work/video/containers/probe.ts";
import type { HollowFile } from "./support/hollow-files.ts";
import { hollowFragments, hollowMatroska, hollowMovie } from "./support/hollow-videos.ts";

const GIGABYTES = 2_900_000_000;
/** How many responses a Worker can wait for at once. */
const MOST_AT_ONCE = 6;
const LIMITS = {
  maxLongSidePixels: 1920,
  maxShortSidePixels: 1088,
  maxFramesPerSecond: 60,
  maxDurationSeconds: 3600,
  decodesAv1: async () => false,
};

describe("a video of gigabytes is accepted without being read as a whole:", () => {
  test.for<[string, () => Promise<HollowFile>, { mostBytes: number; mostReads: number; atOnce: number }]>([
    [
      "an MP4 with its index first",
      async () => await hollowMovie({ isIndexFirst: true }),
      { mostBytes: 2_000_000, mostReads: 7, atOnce: 1 },
    ],
    [
      "an MP4 with its index last",
      async () => await hollowMovie({ isIndexFirst: false }),
      { mostBytes: 4_000_000, mostReads: 12, atOnce: 1 },
    ],
    [
      "a Matroska of 600 clusters with cues",
      async () => await hollowMatroska({ clusterSeconds: 5, hasCues: true }),
      { mostBytes: 20_000_000, mostReads: 620, atOnce: MOST_AT_ONCE },
    ],
    [
      "a Matroska of 3,000 clusters with cues",
      async () => await hollowMatroska({ clusterSeconds: 1, hasCues: true }),
      { mostBytes: 60_000_000, mostReads: 3020, atOnce: MOST_AT_ONCE },
    ],
    [
      "a Matroska of 600 clusters without cues",
      async () => await hollowMatroska({ clusterSeconds: 5, hasCues: false }),
      { mostBytes: 20_000_000, mostReads: 620, atOnce: 1 },
    ],
    [
      "a fragmented MP4 of 750 fragments",
      async () => await hollowFragments(4),
      { mostBytes: 20_000_000, mostReads: 770, atOnce: MOST_AT_ONCE },
    ],
  ])("%s", async ([, made, { mostBytes, mostReads, atOnce }]) => {
    const file = await made();
    expect(file.sizeBytes).toBeGreaterThan(GIGABYTES);
    expect(await probeVideo({ ...file, format: "mp4" }, LIMITS)).toMatchObject({
      widthPixels: 320,
      heightPixels: 240,
      format: "mp4",
    });
    expect(file.readBytes).toBeLessThan(mostBytes);
    expect(file.reads).toBeLessThan(mostReads);
    expect(file.mostAtOnce).toBe(atOnce);
  });
});

test("nothing reads a resting file, wherever the loop over its packets ended", async () => {
  const file = await hollowMatroska({ clusterSeconds: 5, hasCues: true });
  let pending = 0;
  const read: HollowFile["read"] = async (start, end) => {
    pending += 1;
    await delay(1);
    pending -= 1;
    return await file.read(start, end);
  };
  const { container } = await openSource(read, file.sizeBytes);
  const [track] = await container.getVideoTracks();
  if (track === undefined) throw new Error("The file has no video track.");
  for (let count = 1; count <= 80; count++) {
    let packets = 0;
    for await (const packet of packetsOf(track)) if (packet.data.length > 0 && ++packets === count) break;
    await container.rest();
    const { reads } = file;
    expect(pending, `after ${count} packets`).toBe(0);
    await delay(5);
    expect(file.reads, `after ${count} packets`).toBe(reads);
  }
  container.dispose();
});

test("a video of gigabytes is refused so too, while its first frame can be read", async () => {
  const file = await hollowMovie({ isIndexFirst: false });
  const { container } = await openSource(file.read, file.sizeBytes);
  const probed = probeVideo({ ...file, format: "mp4" }, { ...LIMITS, maxLongSidePixels: 300 });
  const [track] = await container.getVideoTracks();
  if (track === undefined) throw new Error("The file has no video track.");
  const { value: first } = await packetsOf(track).next();
  container.dispose();
  await expect(probed).rejects.toThrow(VideoProbeError);
  expect(first?.type).toBe("key");
  expect(findBytes(await file.read(0, 100_000), first?.data ?? new Uint8Array([1]))).toBeGreaterThan(0);
});

test.for([true, false])("a gap in the middle of gigabytes is found, with cues: %s", async (hasCues) => {
  const file = await hollowMatroska({ clusterSeconds: 5, hasCues, missingCluster: 300 });
  await expect(probeVideo({ ...file, format: "webm" }, LIMITS)).rejects.toThrow(/container is damaged/);
  expect(file.reads).toBeLessThan(320);
});
