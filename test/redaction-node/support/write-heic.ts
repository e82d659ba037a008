import { propertyOf, readMeta, type HeifPicture } from "../../../src/pixels/conversion/heif-items.ts";
import { concatBytes, textBytes } from "../../../src/pixels/redaction/bytes/bytes.ts";
import { box, boxesOf, findBox, fullBox, u16, u32 } from "../../../src/work/video/containers/boxes.ts";

/** ISO/IEC 23008-12, 6.4.2: the item is shown only as a part of another one. */
const HIDDEN_ITEM = 1;

/** A grid of tiles as a phone writes it. */
export interface GridOptions {
  readonly columns: number;
  readonly rows: number;
  readonly width: number;
  readonly height: number;
  /** Quarter turns counterclockwise. */
  readonly turns?: number;
  /** 0: top to bottom; 1: left to right. */
  readonly mirror?: number;
  /** Width, height, and the offset of the center to the right of and below the picture's center. */
  readonly crop?: readonly [number, number, number, number];
  readonly profile?: Uint8Array;
  /** The numbers of its color primaries and transfer characteristics (ITU-T H.273). */
  readonly coded?: readonly [number, number];
  /** Whether the luma of its tiles is also its alpha. */
  readonly hasAlpha?: boolean;
}

/**
 * A HEIC file whose tiles are pictures of other files with the same size and settings. If there are too few, they repeat. It also has a
 * hidden picture and EXIF data.
 */
export function writeGrid(pictures: readonly Uint8Array[], options: GridOptions): Uint8Array {
  const { columns, rows, width, height, turns, mirror, crop, profile, coded, hasAlpha = false } = options;
  const [first] = pictures;
  const content = first && findBox(first, "meta")?.content;
  if (content === undefined) throw new Error("There is no picture.");
  const { primary, width: tileWidth, height: tileHeight } = metaOf(content);
  const config = propertyOf(primary, "hvcC");
  if (config === undefined) throw new Error("The picture does not say how it is decoded.");
  const datas = pictures.map(dataOf);
  const colour = boxesOf(findBox(content.subarray(4), "iprp", "ipco")?.content ?? new Uint8Array(0)).filter(
    ({ type }) => type === "colr",
  );

  const count = columns * rows;
  const ids = Array.from({ length: count }, (_, index) => index + 2);
  const hidden = count + 2;
  const exif = count + 3;
  const alpha = count + 4;
  const shown = [
    fullBox("ispe", {}, u32(width, height)),
    ...(coded === undefined ? colour.map(({ bytes }) => bytes) : []),
    ...(coded === undefined ? [] : [box("colr", textBytes("nclx"), u16(...coded, 6), Uint8Array.of(0x80))]),
    ...(profile === undefined ? [] : [box("colr", textBytes("prof"), profile)]),
    ...(crop === undefined ? [] : [box("clap", u32(...crop.flatMap((value) => [value, 1])))]),
    ...(turns === undefined ? [] : [box("irot", Uint8Array.of(turns))]),
    ...(mirror === undefined ? [] : [box("imir", Uint8Array.of(mirror))]),
  ];
  const ofTile = [
    fullBox("ispe", {}, u32(tileWidth, tileHeight)),
    box("hvcC", new Uint8Array(config.buffer, config.byteOffset, config.byteLength)),
  ];
  const ofAlpha = [
    fullBox("ispe", {}, u32(width, height)),
    fullBox("auxC", {}, textBytes("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0")),
  ];
  const assigned = [
    { id: 1, properties: places(0, shown.length) },
    ...[...ids, hidden].map((id) => ({ id, properties: places(shown.length, ofTile.length) })),
    ...(hasAlpha ? [{ id: alpha, properties: places(shown.length + ofTile.length, ofAlpha.length) }] : []),
  ];
  const grid = concatBytes([Uint8Array.of(0, 0, rows - 1, columns - 1), u16(width, height)]);
  // After the offset at which it begins (ISO/IEC 23008-12, A.2.1).
  const secret = concatBytes([u32(0), textBytes("A secret place")]);
  const mdat = box("mdat", ...datas, secret);
  const ends: number[] = [];
  for (const { length } of datas) ends.push((ends.at(-1) ?? 0) + length);
  const dataBytes = ends.at(-1) ?? 0;
  /** The position of a tile's picture after the head of `mdat`. */
  const lies = (tile: number): readonly [number, number] => {
    const { length } = datas[tile % datas.length] as Uint8Array;
    return [(ends[tile % datas.length] as number) - length, length];
  };
  const meta = (mdatAt: number): Uint8Array => {
    return fullBox(
      "meta",
      {},
      fullBox("hdlr", {}, u32(0), textBytes("pict"), new Uint8Array(13)),
      fullBox("pitm", {}, u16(1)),
      fullBox(
        "iinf",
        {},
        u16(count + (hasAlpha ? 4 : 3)),
        item(1, "grid"),
        ...ids.map((id) => item(id, "hvc1", true)),
        item(hidden, "hvc1"),
        item(exif, "Exif"),
        ...(hasAlpha ? [item(alpha, "grid")] : []),
      ),
      fullBox(
        "iref",
        {},
        box("dimg", u16(1, count, ...ids)),
        box("thmb", u16(hidden, 1, 1)),
        box("cdsc", u16(exif, 1, 1)),
        ...(hasAlpha ? [box("dimg", u16(alpha, count, ...ids)), box("auxl", u16(alpha, 1, 1))] : []),
      ),
      box(
        "iprp",
        box("ipco", ...shown, ...ofTile, ...ofAlpha),
        fullBox(
          "ipma",
          {},
          u32(assigned.length),
          ...assigned.map(({ id, properties }) =>
            concatBytes([u16(id), Uint8Array.of(properties.length, ...properties)]),
          ),
        ),
      ),
      box("idat", grid),
      fullBox(
        "iloc",
        { version: 1 },
        u16(0x4400, count + (hasAlpha ? 4 : 3)),
        place(1, 1, [0, grid.length]),
        ...[...ids, hidden].map((id, tile) => {
          const [start, length] = lies(tile);
          return place(id, 0, [mdatAt + 8 + start, length]);
        }),
        place(exif, 0, [mdatAt + 8 + dataBytes, secret.length]),
        ...(hasAlpha ? [place(alpha, 1, [0, grid.length])] : []),
      ),
    );
  };
  const head = box("ftyp", textBytes("heic"), u32(0), textBytes("mif1heic"));
  return concatBytes([head, meta(head.length + meta(0).length), mdat]);
}

function metaOf(content: Uint8Array): HeifPicture {
  return readMeta(new DataView(content.buffer, content.byteOffset, content.byteLength));
}

/** The coded picture of a file with only one. */
function dataOf(file: Uint8Array): Uint8Array {
  const [extent] = metaOf(findBox(file, "meta")?.content ?? new Uint8Array(0)).primary.extents;
  if (extent === undefined) throw new Error("The file has no picture.");
  return file.subarray(extent.start, extent.start + extent.length);
}

function places(from: number, length: number): number[] {
  return Array.from({ length }, (_, index) => from + index + 1);
}

function place(id: number, method: number, extent: readonly [number, number]): Uint8Array {
  return concatBytes([u16(id, method, 0, 1), u32(...extent)]);
}

function item(id: number, type: string, isHidden = false): Uint8Array {
  const flags = isHidden ? HIDDEN_ITEM : 0;
  return fullBox("infe", { version: 2, flags }, u16(id, 0), textBytes(type), Uint8Array.of(0));
}
