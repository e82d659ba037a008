import { concatBytes } from "../../../src/pixels/redaction/bytes/bytes.ts";
import {
  box,
  boxesOf,
  findBox,
  fullBox,
  u32,
  u64,
  viewOf,
} from "../../../src/work/video/containers/boxes.ts";

type Change = (content: Uint8Array) => Uint8Array;

/** Changes the movie header of a file that has it at the end, so that no offset changes. */
function editMovie(file: Uint8Array, change: Change): Uint8Array {
  return concatBytes(
    boxesOf(file).map(({ type, content, bytes }) => (type === "moov" ? box("moov", change(content)) : bytes)),
  );
}

/** Changes the content of every box along a path of types. Missing boxes are not added. */
function editBoxes(content: Uint8Array, path: readonly string[], change: Change): Uint8Array {
  const [type, ...rest] = path;
  return concatBytes(
    boxesOf(content).map((found) => {
      if (found.type !== type) return found.bytes;
      return box(
        found.type,
        rest.length === 0 ? change(found.content) : editBoxes(found.content, rest, change),
      );
    }),
  );
}

/** Changes the tracks of a handler. */
function editTracks(moov: Uint8Array, handler: "vide" | "soun", change: Change): Uint8Array {
  return concatBytes(
    boxesOf(moov).map(({ type, content, bytes }) => {
      if (type !== "trak") return bytes;
      const hdlr = findBox(content, "mdia", "hdlr")?.content.subarray(8, 12) ?? new Uint8Array(0);
      return String.fromCharCode(...hdlr) === handler ? box("trak", change(content)) : bytes;
    }),
  );
}

/** Replaces the edit list of the tracks of a handler: durations in the movie's ticks, media times in the track's. */
export function withEdits(
  file: Uint8Array,
  handler: "vide" | "soun",
  edits: readonly { duration: number; mediaTime: number }[],
): Uint8Array {
  const elst = fullBox(
    "elst",
    { version: 1 },
    u32(edits.length),
    ...edits.flatMap(({ duration, mediaTime }) => [u64(duration, mediaTime), u32(0x10000)]),
  );
  return editMovie(file, (moov) =>
    editTracks(moov, handler, (trak) => {
      const kept = boxesOf(trak).filter(({ type }) => type !== "edts");
      const [tkhd, ...rest] = kept.map(({ bytes }) => bytes);
      return concatBytes([tkhd ?? new Uint8Array(0), box("edts", elst), ...rest]);
    }),
  );
}

/** Changes the boxes at a path inside an audio or video track, or the whole track without a path. */
export function withTrackBoxes(
  file: Uint8Array,
  handler: "vide" | "soun",
  path: readonly string[],
  change: Change,
): Uint8Array {
  return editMovie(file, (moov) => editTracks(moov, handler, (trak) => editBoxes(trak, path, change)));
}

/** Changes a track's first sample entry. */
export function withSampleEntry(file: Uint8Array, handler: "vide" | "soun", change: Change): Uint8Array {
  return withTrackBoxes(file, handler, ["mdia", "minf", "stbl", "stsd"], (stsd) => {
    const [entry] = boxesOf(stsd.subarray(8));
    if (entry === undefined) throw new Error("There is no sample entry.");
    return concatBytes([stsd.subarray(0, 8), box(entry.type, change(entry.content))]);
  });
}

/** A matrix of a movie or a track: nine fixed-point numbers. The third of each row has 30 fraction bits, the others 16. */
type Matrix = readonly [number, number, number, number, number, number, number, number, number];

/** Matrices of turned pictures of 160×120, in header order: a, b, u, c, d, v, x, y, w. */
export const MATRICES = {
  90: [0, 1, 0, -1, 0, 0, 120, 0, 1],
  180: [-1, 0, 0, 0, -1, 0, 160, 120, 1],
  270: [0, -1, 0, 1, 0, 0, 0, 160, 1],
  flipped: [-1, 0, 0, 0, 1, 0, 160, 0, 1],
  flippedDown: [1, 0, 0, 0, -1, 0, 0, 120, 1],
} as const satisfies Record<string, Matrix>;

function matrixBytes(matrix: Matrix): Uint8Array {
  return u32(...matrix.map((value, index) => (value * (index % 3 === 2 ? 2 ** 30 : 2 ** 16)) | 0));
}

function replaced(bytes: Uint8Array, at: number, part: Uint8Array): Uint8Array {
  return concatBytes([bytes.subarray(0, at), part, bytes.subarray(at + part.length)]);
}

/** Turns the video track. */
export function withTrackMatrix(file: Uint8Array, matrix: Matrix): Uint8Array {
  return editMovie(file, (moov) =>
    editTracks(moov, "vide", (trak) =>
      editBoxes(trak, ["tkhd"], (tkhd) => replaced(tkhd, tkhd[0] === 1 ? 52 : 40, matrixBytes(matrix))),
    ),
  );
}

/** Turns the whole movie. */
export function withMovieMatrix(file: Uint8Array, matrix: Matrix): Uint8Array {
  return editMovie(file, (moov) =>
    editBoxes(moov, ["mvhd"], (mvhd) => replaced(mvhd, mvhd[0] === 1 ? 48 : 36, matrixBytes(matrix))),
  );
}

/** Moves the media of all fragments. The first track is video with 12,800 ticks per second, the second audio with 44,100. */
export function withFragmentsLater(file: Uint8Array, seconds: number): Uint8Array {
  return editBoxes(file, ["moof", "traf"], (traf) => {
    const id = viewOf(findBox(traf, "tfhd")?.content ?? new Uint8Array(8)).getUint32(4);
    const ticks = seconds * (id === 1 ? 12_800 : 44_100);
    return editBoxes(traf, ["tfdt"], (tfdt) => {
      const view = viewOf(tfdt.slice());
      if (tfdt[0] === 1) view.setBigUint64(4, view.getBigUint64(4) + BigInt(ticks));
      else view.setUint32(4, view.getUint32(4) + ticks);
      return new Uint8Array(view.buffer);
    });
  });
}
