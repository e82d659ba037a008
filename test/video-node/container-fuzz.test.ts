import { beforeAll, describe, expect, it } from "vitest";
import { concatBytes } from "../../src/pixels/redaction/bytes/bytes.ts";
import { movieOfMatroska } from "../../src/work/video/output/matroska-movie.ts";
import { movieParts } from "../../src/work/video/output/movie-assembly.ts";
import { openSource, type StoredContainer } from "../../src/work/video/containers/open-container.ts";
import type { RangeReader } from "../../src/work/video/containers/stored-ranges.ts";
import { pictureCodecOf } from "../../src/work/video/containers/picture-codec.ts";
import { probeVideo, VideoProbeError } from "../../src/work/video/containers/probe.ts";
import { codecSetupOf, segmentPackets } from "../../src/work/video/engine/segment-packets.ts";
import { ContainerError, packetsOf, tickOf } from "../../src/work/video/containers/track-packets.ts";
import { cutIntoSegments, PlanError, type VideoPlan } from "../../src/work/video/tasks/video-plan.ts";
import type { RenderedPackets } from "../../src/work/video/output/rendered-packets.ts";
import { webmParts } from "../../src/work/video/output/webm-assembly.ts";
import { cpuMs } from "../node-support/cpu-time.ts";
import { makeFormat } from "../node-support/format-files.ts";
import { mutate } from "../redaction-node/support/mutate.ts";
import { Random } from "../support/random.ts";
import { HOSTILE_SOURCES } from "../video/formats/hostile-sources.ts";

/** `CONTAINER_FUZZ_RUNS=100000 CONTAINER_FUZZ_SEED=7 npx vitest run --project video-node fuzz` runs long. */
const RUNS = Number(process.env["CONTAINER_FUZZ_RUNS"] ?? 900);
const SEED = Number(process.env["CONTAINER_FUZZ_SEED"] ?? 1);
/** The longest time for one file. */
const HANG_MS = 5000;
const LIMITS = {
  maxLongSidePixels: 1920,
  maxShortSidePixels: 1088,
  maxFramesPerSecond: 60,
  maxDurationSeconds: 3600,
  decodesAv1: async () => false,
};
const MOST_PACKETS = 220_000;

interface Source {
  readonly bytes: Uint8Array;
  readonly format: "mp4" | "webm" | "matroska" | "avi";
  readonly mediaAt: number;
}

/** Most of the damage is in the header, so that it affects the structure more often than a packet. */
function damaged(random: Random, { bytes, mediaAt }: Source): Uint8Array {
  if (random.int(0, 3) === 0) return mutate(random, bytes);
  return concatBytes([mutate(random, bytes.subarray(0, mediaAt)), bytes.subarray(mediaAt)]);
}

/** The first position of a four-byte name. */
function placeOf(bytes: Uint8Array, name: readonly number[]): number {
  return bytes.findIndex((_, at) => name.every((byte, index) => bytes[at + index] === byte));
}

const MDAT = [0x6d, 0x64, 0x61, 0x74];
const CLUSTER = [0x1f, 0x43, 0xb6, 0x75];

/** Runs all code that reads a container: the probe, the plan, the packets, the output's header. */
async function readAll({ bytes, format }: Pick<Source, "bytes" | "format">): Promise<"refused" | "read"> {
  const read: RangeReader = async (start, end) => bytes.slice(start, end);
  const file = { read, sizeBytes: bytes.length };
  let container: StoredContainer | undefined;
  try {
    const declared = format === "webm" ? "webm" : "mp4";
    const { widthPixels, heightPixels } = await probeVideo({ ...file, format: declared }, LIMITS);
    const opened = await openSource(read, bytes.length);
    container = opened.container;
    const [track] = await container.getVideoTracks();
    if (track === undefined) throw new Error("The probe found a video.");
    const ticksPerSecond = await track.getTimeResolution();
    const packets: { tick: number; isKey: boolean }[] = [];
    for await (const packet of packetsOf(track, { isWithoutData: true })) {
      packets.push({ tick: tickOf(packet, ticksPerSecond), isKey: packet.type === "key" });
      if (packets.length > MOST_PACKETS) return "refused";
    }
    const cut = cutIntoSegments(packets, {
      leastTicks: ticksPerSecond / 5,
      mostFrames: MOST_PACKETS,
      mostLeadFrames: MOST_PACKETS,
    });
    const codec = (await pictureCodecOf(track)) as VideoPlan["codec"];
    const plan: VideoPlan = {
      ...cut,
      codec,
      widthPixels,
      heightPixels,
      rotationDegrees: 0,
      isFlipped: false,
      ticksPerSecond,
      lastFrameTicks: 1,
      averageBitsPerSecond: 0,
    };
    await codecSetupOf(track, plan);
    for (const segment of plan.segments) {
      for await (const packet of segmentPackets(track, plan, segment)) expect(packet.data).toBeDefined();
    }
    const rendered = {
      sizesBytes: plan.frameTicks.map(() => 4),
      keys: [0],
      description: new Uint8Array(8),
      next: async () => new Uint8Array(4),
    } as unknown as RenderedPackets;
    const options = { ...opened, plan, rendered, isMuted: false, muting: undefined };
    const parts = {
      webm: () => webmParts(options),
      matroska: () => movieOfMatroska(options),
      avi: () => movieParts({ ...options, isQuickTime: false }),
      mp4: () => movieParts({ ...options, isQuickTime: false }),
    }[format]();
    for await (const part of parts) expect(part).toBeDefined();
    return "read";
  } catch (error) {
    const isNamed = [VideoProbeError, ContainerError, PlanError].some((kind) => error instanceof kind);
    if (!isNamed) throw error;
    return "refused";
  } finally {
    container?.dispose();
  }
}

describe("damaged containers", () => {
  const sources: Source[] = [];
  beforeAll(async () => {
    for (const property of [
      "faststart",
      "fragments",
      "clusters",
      "matroska",
      "avi",
      "avi, old index",
    ] as const) {
      const format = HOSTILE_SOURCES.find((candidate) => candidate.property === property);
      if (format === undefined) throw new Error(`There is no source ${property}.`);
      const bytes = await makeFormat(format);
      const kind = (
        {
          faststart: "mp4",
          fragments: "mp4",
          clusters: "webm",
          matroska: "matroska",
          avi: "avi",
          "avi, old index": "avi",
        } as const
      )[property];
      const mediaAt = kind === "avi" ? bytes.length : placeOf(bytes, kind === "mp4" ? MDAT : CLUSTER);
      sources.push({ bytes, format: kind, mediaAt });
    }
  });

  it("are read or refused, in time", async () => {
    const random = new Random(SEED);
    const ends = { refused: 0, read: 0 };
    for (const source of sources) expect(await readAll(source)).toBe("read");
    for (let run = 0; run < RUNS; run++) {
      const source = sources[run % sources.length] as Source;
      const startedAt = cpuMs();
      ends[await readAll({ ...source, bytes: damaged(random, source) })] += 1;
      expect(cpuMs() - startedAt, `run ${run}`).toBeLessThan(HANG_MS);
    }
    expect(ends.refused).toBeGreaterThan(RUNS / 10);
    expect(ends.read).toBeGreaterThan(RUNS / 100);
  });
});
