import { findBytes } from "../../../src/ground/platform/buffers.ts";
import { concatBytes, textBytes } from "../../../src/pixels/redaction/bytes/bytes.ts";
import { box, boxesOf, fullBox, u32, u64 } from "../../../src/work/video/containers/boxes.ts";
import {
  EBML_IDS,
  element,
  elementHead,
  floatElement,
  openElement,
  textElement,
  uint64Element,
  uintElement,
} from "../../../src/work/video/containers/ebml.ts";
import { elementsOf } from "../../../src/work/video/containers/matroska-header.ts";
import { ffmpeg } from "../../node-support/ffmpeg.ts";
import { hollowFile, type HollowFile, type Piece } from "./hollow-files.ts";

const LENGTH_SECONDS = 3000;
const BYTES_PER_SECOND = 1_000_000;
const FRAMES_PER_SECOND = 30;
const TICKS_PER_SECOND = 1000;
/** Of ffmpeg's MP4 at 30 frames a second. */
const TIMESCALE = 15_360;
const CODEC = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p";

async function clip(args: string, name: string): Promise<Uint8Array> {
  const source = `-f lavfi -i testsrc=size=320x240:rate=${FRAMES_PER_SECOND}:duration=1 ${CODEC} ${args}`;
  return (await ffmpeg({}, source.trim().split(" "), name)).bytes;
}

/** The layout of a Matroska file of three gigabytes. */
interface MatroskaLayout {
  readonly clusterSeconds: number;
  readonly hasCues: boolean;
  /** The index of a cluster that is missing at its declared position. */
  readonly missingCluster?: number;
}

/** A Matroska file of three gigabytes with 30 blocks per second, of which only the heads exist. */
export async function hollowMatroska({
  clusterSeconds,
  hasCues,
  missingCluster,
}: MatroskaLayout): Promise<HollowFile> {
  const blocks = clusterSeconds * FRAMES_PER_SECOND;
  const blockBytes = Math.floor(BYTES_PER_SECOND / FRAMES_PER_SECOND);
  const clusterHead = (number: number): Uint8Array => {
    const time = uint64Element(EBML_IDS.timestamp, number * clusterSeconds * TICKS_PER_SECOND);
    return concatBytes([elementHead(EBML_IDS.cluster, time.length + blocks * blockBytes), time]);
  };
  const headBytes = clusterHead(0).length;
  const clusterBytes = headBytes + blocks * blockBytes;
  const clusters = LENGTH_SECONDS / clusterSeconds;
  const information = concatBytes([
    element(
      EBML_IDS.info,
      uintElement(EBML_IDS.timestampScale, 1_000_000),
      floatElement(EBML_IDS.duration, LENGTH_SECONDS * TICKS_PER_SECOND),
    ),
    await tracks(),
  ]);
  const firstCluster = (hasCues ? seekHead(0).length : 0) + information.length;
  const head = concatBytes([
    element(EBML_IDS.ebml, textElement(EBML_IDS.docType, "matroska")),
    openElement(EBML_IDS.segment),
    ...(hasCues ? [seekHead(firstCluster + clusters * clusterBytes)] : []),
    information,
  ]);
  const cuePoints = Array.from({ length: hasCues ? clusters : 0 }, (_, number) =>
    element(
      EBML_IDS.cuePoint,
      uintElement(EBML_IDS.cueTime, number * clusterSeconds * TICKS_PER_SECOND),
      element(
        EBML_IDS.cueTrackPositions,
        uintElement(EBML_IDS.cueTrack, 1),
        uintElement(EBML_IDS.cueClusterPosition, firstCluster + number * clusterBytes),
      ),
    ),
  );
  const cues = element(EBML_IDS.cues, ...cuePoints);
  const end = head.length + clusters * clusterBytes;
  return hollowFile(end + cues.length, function* pieces(from, to): Generator<Piece> {
    yield { at: 0, bytes: head };
    yield { at: end, bytes: cues };
    const first = Math.max(0, Math.floor((from - head.length) / clusterBytes));
    for (let number = first; number < clusters; number++) {
      const at = head.length + number * clusterBytes;
      if (at >= to) return;
      if (number === missingCluster) continue;
      yield { at, bytes: clusterHead(number) };
      const firstBlock = Math.max(0, Math.floor((from - at - headBytes) / blockBytes));
      for (let block = firstBlock; block < blocks; block++) {
        const blockAt = at + headBytes + block * blockBytes;
        if (blockAt >= to) return;
        yield { at: blockAt, bytes: blockHead(block, blockBytes) };
      }
    }
  });
}

/** A block of the first track, of which the first in its cluster is a key frame (RFC 9559 §10.2). */
function blockHead(block: number, blockBytes: number): Uint8Array {
  const ELEMENT_HEAD_BYTES = 9;
  const tick = Math.round((block * TICKS_PER_SECOND) / FRAMES_PER_SECOND);
  return concatBytes([
    elementHead(EBML_IDS.simpleBlock, blockBytes - ELEMENT_HEAD_BYTES),
    Uint8Array.of(0x81, tick >> 8, tick & 0xff, block === 0 ? 0x80 : 0),
  ]);
}

function seekHead(cuesAt: number): Uint8Array {
  const id = element(EBML_IDS.seekId, u32(EBML_IDS.cues));
  return element(EBML_IDS.seekHead, element(EBML_IDS.seek, id, uint64Element(EBML_IDS.seekPosition, cuesAt)));
}

/** The tracks that ffmpeg writes of a clip. */
async function tracks(): Promise<Uint8Array> {
  const file = await clip("", "small.mkv");
  const segment = elementsOf(file).find(({ id }) => id === EBML_IDS.segment);
  const found = elementsOf(segment?.content ?? new Uint8Array(0)).find(({ id }) => id === EBML_IDS.tracks);
  return found?.bytes ?? new Uint8Array(0);
}

/** An MP4 with three gigabytes between its index and its end, or between its frames and its index, as cameras write it. */
export async function hollowMovie({ isIndexFirst }: { readonly isIndexFirst: boolean }): Promise<HollowFile> {
  const small = await clip(isIndexFirst ? "-movflags +faststart" : "", "small.mp4");
  const sizeBytes = LENGTH_SECONDS * BYTES_PER_SECOND;
  const emptyAt = isIndexFirst ? small.length : findBytes(small, textBytes("moov")) - 4;
  const empty = concatBytes([u32(1), textBytes("free"), u64(sizeBytes)]);
  return hollowFile(small.length + sizeBytes, () => [
    { at: 0, bytes: small.subarray(0, emptyAt) },
    { at: emptyAt, bytes: empty },
    { at: emptyAt + sizeBytes, bytes: small.subarray(emptyAt) },
  ]);
}

/** A fragmented MP4 of three gigabytes with an index of its fragments at its end, as ffmpeg writes it. */
export async function hollowFragments(fragmentSeconds: number): Promise<HollowFile> {
  const flags = `-g ${FRAMES_PER_SECOND} -movflags frag_keyframe+empty_moov+default_base_moof`;
  const boxes = boxesOf(await clip(flags, "small.mp4"));
  const heads = boxes.filter(({ type }) => type === "ftyp" || type === "moov");
  const head = concatBytes(heads.map(({ bytes }) => bytes));
  const fragment = boxes.find(({ type }) => type === "moof")?.bytes ?? new Uint8Array(0);
  const timeAt = findBytes(fragment, textBytes("tfdt")) + 8;
  const fragmentBytes = fragmentSeconds * BYTES_PER_SECOND;
  const fragments = LENGTH_SECONDS / fragmentSeconds;
  const media = concatBytes([u32(fragmentBytes - fragment.length), textBytes("mdat")]);
  const placeOf = (number: number): number => head.length + number * fragmentBytes;
  const entries = Array.from({ length: fragments }, (_, number) =>
    concatBytes([u64(number * fragmentSeconds * TIMESCALE, placeOf(number)), Uint8Array.of(1, 1, 1)]),
  );
  const table = fullBox("tfra", { version: 1 }, u32(1, 0, fragments), ...entries);
  const index = box("mfra", table, fullBox("mfro", {}, u32(8 + table.length + 16)));
  const end = placeOf(fragments);
  return hollowFile(end + index.length, function* pieces(from, to): Generator<Piece> {
    yield { at: 0, bytes: head };
    yield { at: end, bytes: index };
    const first = Math.max(0, Math.floor((from - head.length) / fragmentBytes));
    for (let number = first; number < fragments && placeOf(number) < to; number++) {
      const own = fragment.slice();
      own.set(u64(number * fragmentSeconds * TIMESCALE), timeAt);
      yield { at: placeOf(number), bytes: concatBytes([own, media]) };
    }
  });
}
