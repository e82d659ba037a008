import type { PixelSize } from "../../../pixels/geometry/box.ts";
import type { InputVideoTrack } from "mediabunny";
import { boxesOf, findBox, viewOf } from "./boxes.ts";
import { EBML_IDS, numberOf } from "./ebml.ts";
import { elementsOf, type MatroskaHeader } from "./matroska-header.ts";
import type { TrackHeader } from "./movie-header.ts";
import type { SourceHeaders } from "./shown-time.ts";
import type { ShownArea } from "./shown-area.ts";

/** A range along an axis, in pixels. Its ends may be fractions, which players and encoders may round differently. */
interface AxisRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The area of a video's frames that its container shows: the clean aperture of an MP4 or QuickTime file, or the crop of a
 * Matroska file. Its edges are moved inward to even pixels, because two pixels share one color sample in 4:2:0. Pixels outside
 * it are neither analyzed nor delivered.
 *
 * @throws ContainerError, StorageReadError
 */
export async function shownAreaOf(track: InputVideoTrack, headers: SourceHeaders): Promise<ShownArea> {
  const codedWidth = await track.getCodedWidth();
  const codedHeight = await track.getCodedHeight();
  const coded = { width: codedWidth, height: codedHeight };
  const cropped =
    headers.matroska === undefined
      ? apertureOf(
          headers.movie?.tracks.find(({ id }) => id === track.id),
          coded,
        )
      : pixelCropOf(headers.matroska, track.id, coded);
  const across = inPairs(cropped?.across, codedWidth);
  const down = inPairs(cropped?.down, codedHeight);
  return {
    left: across.start,
    top: down.start,
    width: across.end - across.start,
    height: down.end - down.start,
    codedWidth,
    codedHeight,
  };
}

function inPairs(range: AxisRange | undefined, length: number): AxisRange {
  const start = 2 * Math.ceil(Math.max(0, range?.start ?? 0) / 2);
  const last = range?.end ?? length;
  const end = last >= length ? length : 2 * Math.floor(last / 2);
  return { start, end: Math.max(start, end) };
}

interface CroppedFrame {
  readonly across: AxisRange;
  readonly down: AxisRange;
}

const PICTURE_FIELD_BYTES = 78;
const APERTURE_BYTES = 32;

/** The clean aperture of a track: its size, and the offset of its center from the frame's center (ISO/IEC 14496-12 §12.1.4). */
function apertureOf(header: TrackHeader | undefined, coded: PixelSize): CroppedFrame | undefined {
  const [entry] = boxesOf(header?.stsd.subarray(8) ?? new Uint8Array(0));
  const content = findBox(entry?.content.subarray(PICTURE_FIELD_BYTES) ?? new Uint8Array(0), "clap")?.content;
  if (content === undefined || content.length < APERTURE_BYTES) return undefined;
  const view = viewOf(content);
  const fraction = (at: number): number => view.getInt32(at) / view.getUint32(at + 4);
  const [width = NaN, height = NaN, right = NaN, below = NaN] = [0, 8, 16, 24].map(fraction);
  // Every player ignores an aperture without a size.
  if (!(width > 0 && height > 0) || !Number.isFinite(width + height + right + below)) return undefined;
  return { across: aroundMiddle(coded.width, width, right), down: aroundMiddle(coded.height, height, below) };
}

function aroundMiddle(length: number, shown: number, offset: number): AxisRange {
  return { start: (length - shown) / 2 + offset, end: (length + shown) / 2 + offset };
}

/** The Matroska crop: how many pixels are hidden at each edge (RFC 9559 §5.1.4.1.28.8 to .11). */
function pixelCropOf({ tracks }: MatroskaHeader, trackId: number, coded: PixelSize): CroppedFrame {
  const entry = tracks.find(({ number }) => number === trackId);
  const video = entry?.elements.find(({ id }) => id === EBML_IDS.video);
  const fields = elementsOf(video?.content ?? new Uint8Array(0));
  // If a field occurs twice, readers differ on which one they take. The larger crop is used.
  const crop = (wanted: number): number =>
    Math.max(0, ...fields.flatMap(({ id, content }) => (id === wanted ? [numberOf(content)] : [])));
  return {
    across: { start: crop(EBML_IDS.pixelCropLeft), end: coded.width - crop(EBML_IDS.pixelCropRight) },
    down: { start: crop(EBML_IDS.pixelCropTop), end: coded.height - crop(EBML_IDS.pixelCropBottom) },
  };
}
