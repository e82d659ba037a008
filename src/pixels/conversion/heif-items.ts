import { hasText } from "../redaction/bytes/bytes.ts";
import { codedProfile, type ColourMeaning } from "../redaction/icc/coded-profile.ts";
import type { Orientation } from "../geometry/orientation.ts";
import { damaged, tooLarge, unsupported } from "./picture.ts";

/** A range of the file, or of the box `idat`. */
interface Extent {
  readonly start: number;
  readonly length: number;
  readonly isInIdat: boolean;
}

/** A picture or a part of one: an item of the box `meta` (ISO/IEC 23008-12, 14496-12 §8.11). */
export interface Item {
  readonly id: number;
  readonly type: string;
  readonly extents: readonly Extent[];
  readonly properties: readonly Property[];
  /** The items it is derived from, in order. */
  readonly parts: readonly number[];
}

interface Property {
  readonly type: string;
  readonly content: DataView;
}

/** The rectangle of the decoded picture that is shown. */
interface Crop {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** How samples become colors (ITU-T H.273). */
interface ColourCode extends ColourMeaning {
  readonly matrix: number;
  readonly isFullRange: boolean;
}

/** The description of the primary picture in the box `meta`. */
export interface HeifPicture {
  readonly primary: Item;
  readonly items: ReadonlyMap<number, Item>;
  readonly idat: Uint8Array;
  /** Size of the decoded picture. */
  readonly width: number;
  readonly height: number;
  readonly crop: Crop;
  readonly orientation: Orientation;
  readonly profile: Uint8Array | undefined;
  /** How its samples become colors, if its header says so. */
  readonly colour: ColourCode | undefined;
  /** Its alpha picture, if it has one. */
  readonly alpha: Item | undefined;
  /** Whether its colors are premultiplied by alpha. */
  readonly isPremultiplied: boolean;
}

/** Largest header of a picture. */
export const MOST_META_BYTES = 4 * 1024 * 1024;
/** The largest number of entries that a list in the header may have. A picture of 100 megapixels has some 400 tiles. */
const MOST_ENTRIES = 16_384;
const MOST_SIDE = 65_535;
const ALPHA_TYPES = new Set(["urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1"]);

/** EXIF orientation by the quarter turns of `irot`, then by mirroring (`imir`): none, top to bottom, left to right. */
const ORIENTATIONS: readonly (readonly Orientation[])[] = [
  [1, 4, 2],
  [8, 5, 7],
  [3, 2, 4],
  [6, 7, 5],
];

/** Reads consecutive numbers. @throws RedactionError past the end */
class Cursor {
  at = 0;
  readonly #view: DataView;

  constructor(view: DataView) {
    this.#view = view;
  }

  get left(): number {
    return this.#view.byteLength - this.at;
  }

  /** A big-endian number of 0 to 8 bytes. */
  number(bytes: number): number {
    if (bytes > this.left) throw damaged("The picture's header is cut off.");
    let value = 0;
    for (let index = 0; index < bytes; index++) value = value * 256 + this.#view.getUint8(this.at++);
    return value;
  }

  /** The next box, with its content. */
  box(): Property {
    const start = this.at;
    let size = this.number(4);
    const type = String.fromCharCode(...Array.from({ length: 4 }, () => this.number(1)));
    if (size === 1) size = this.number(8);
    const length = size === 0 ? this.left : size - (this.at - start);
    if (length < 0 || length > this.left) throw damaged("The picture's header is cut off.");
    const content = new DataView(this.#view.buffer, this.#view.byteOffset + this.at, length);
    this.at += length;
    return { type, content };
  }

  *boxes(): Generator<Property> {
    for (let count = 1; this.left >= 8; count++) {
      checkCount(count);
      yield this.box();
    }
  }

  text(): string {
    let text = "";
    while (this.left > 0) {
      const code = this.number(1);
      if (code === 0) break;
      text += String.fromCharCode(code);
    }
    return text;
  }
}

/** A hostile file's lists may be as long as its header, or longer where an entry takes no bytes. */
function checkCount(count: number): void {
  if (count > MOST_ENTRIES) throw tooLarge("The file has too many parts.");
}

/** Reads the content of a file's box `meta`. @throws RedactionError with a sentence for the user */
export function readMeta(content: DataView): HeifPicture {
  const meta = new Cursor(content);
  meta.number(4);
  const boxes = new Map([...meta.boxes()].map((box) => [box.type, box.content]));
  const types = readTypes(boxes.get("iinf"));
  const places = readPlaces(boxes.get("iloc"));
  const references = readReferences(boxes.get("iref"));
  const properties = readProperties(boxes.get("iprp"));
  const partsOf = new Map<number, number[]>();
  for (const { type, from, to } of references) {
    if (type === "dimg") partsOf.set(from, to);
  }
  const items = new Map(
    [...types].map(([id, type]): [number, Item] => {
      const parts = partsOf.get(id) ?? [];
      return [id, { id, type, extents: places.get(id) ?? [], properties: properties.get(id) ?? [], parts }];
    }),
  );
  const pitm = cursorOf(boxes.get("pitm"));
  const primary = items.get(pitm.number(pitm.number(4) < 2 ** 24 ? 2 : 4));
  if (primary === undefined) throw damaged("The file does not say which picture to show.");
  const idatView = boxes.get("idat");
  const idat = idatView === undefined ? new Uint8Array(0) : bytesOf(idatView);
  const { width, height } = sizeOf(primary);
  const colour = colourOf(primary) ?? colourOf(items.get(primary.parts[0] ?? -1));
  const alpha = references
    .filter(({ type, to }) => type === "auxl" && to.includes(primary.id))
    .map(({ from }) => items.get(from))
    .find((item) => isAlpha(item));
  return {
    primary,
    items,
    idat,
    width,
    height,
    crop: cropOf(primary, width, height),
    orientation: orientationOf(primary),
    profile: profileOf(primary) ?? (colour && codedProfile(colour)),
    colour,
    alpha,
    isPremultiplied: references.some(({ type, from }) => type === "prem" && from === primary.id),
  };
}

function cursorOf(content: DataView | undefined): Cursor {
  if (content === undefined) throw damaged("The picture's header lacks a part.");
  return new Cursor(content);
}

function bytesOf(view: DataView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function readTypes(content: DataView | undefined): Map<number, string> {
  const cursor = cursorOf(content);
  cursor.number(cursor.number(4) < 2 ** 24 ? 2 : 4);
  const types = new Map<number, string>();
  for (const box of cursor.boxes()) {
    const entry = new Cursor(box.content);
    const version = entry.number(4) >> 24;
    if (version < 2) continue;
    const id = entry.number(version === 2 ? 2 : 4);
    entry.number(2);
    types.set(id, String.fromCharCode(...Array.from({ length: 4 }, () => entry.number(1))));
  }
  return types;
}

function readPlaces(content: DataView | undefined): Map<number, Extent[]> {
  const cursor = cursorOf(content);
  const version = cursor.number(4) >> 24;
  const sizes = cursor.number(2);
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexBytes = version === 0 ? 0 : sizes & 15;
  const wide = version < 2 ? 2 : 4;
  const count = cursor.number(wide);
  const places = new Map<number, Extent[]>();
  let extentCount = 0;
  for (let index = 0; index < count; index++) {
    const id = cursor.number(wide);
    const method = version === 0 ? 0 : cursor.number(2) & 15;
    cursor.number(2);
    const base = cursor.number(baseBytes);
    const extents: Extent[] = [];
    const left = cursor.number(2);
    extentCount += left;
    checkCount(Math.max(index, extentCount));
    for (let number = 0; number < left; number++) {
      cursor.number(indexBytes);
      const start = base + cursor.number(offsetBytes);
      extents.push({ start, length: cursor.number(lengthBytes), isInIdat: method === 1 });
    }
    if (method < 2) places.set(id, extents);
  }
  return places;
}

function readReferences(content: DataView | undefined): { type: string; from: number; to: number[] }[] {
  if (content === undefined) return [];
  const cursor = new Cursor(content);
  const wide = cursor.number(4) < 2 ** 24 ? 2 : 4;
  return [...cursor.boxes()].map((box) => {
    const entry = new Cursor(box.content);
    const from = entry.number(wide);
    const to = Array.from({ length: entry.number(2) }, () => entry.number(wide));
    return { type: box.type, from, to };
  });
}

function readProperties(content: DataView | undefined): Map<number, Property[]> {
  const found: Property[] = [];
  const assigned = new Map<number, Property[]>();
  let count = 0;
  for (const box of cursorOf(content).boxes()) {
    const cursor = new Cursor(box.content);
    if (box.type === "ipco") found.push(...cursor.boxes());
    if (box.type !== "ipma") continue;
    const flags = cursor.number(4);
    const wide = (flags & 1) === 1;
    const entries = cursor.number(4);
    checkCount(entries);
    for (let left = entries; left > 0; left--) {
      const id = cursor.number(flags < 2 ** 24 ? 2 : 4);
      const of = assigned.get(id) ?? [];
      for (let more = cursor.number(1); more > 0; more--) {
        const index = cursor.number(wide ? 2 : 1) & (wide ? 0x7fff : 0x7f);
        const property = found[index - 1];
        checkCount(++count);
        if (property !== undefined) of.push(property);
      }
      assigned.set(id, of);
    }
  }
  return assigned;
}

/** The content of an item's property of a given type. */
export function propertyOf({ properties }: Item, type: string): DataView | undefined {
  return properties.find((property) => property.type === type)?.content;
}

/** The size of an item's decoded picture. */
export function sizeOf(item: Item): { width: number; height: number } {
  const cursor = cursorOf(propertyOf(item, "ispe"));
  cursor.number(4);
  const size = { width: cursor.number(4), height: cursor.number(4) };
  if (size.width === 0 || size.height === 0) throw damaged("The picture declares no pixels.");
  if (size.width > MOST_SIDE || size.height > MOST_SIDE) throw tooLarge("The picture's sides are too long.");
  return size;
}

/** Reads the clean aperture (ISO/IEC 14496-12 §12.1.4): a rectangle around the center, in fractions. */
function cropOf(item: Item, width: number, height: number): Crop {
  const content = propertyOf(item, "clap");
  if (content === undefined) return { left: 0, top: 0, width, height };
  if (content.byteLength < 32) throw damaged("The picture's header is cut off.");
  const fraction = (at: number): number => content.getInt32(at) / content.getInt32(at + 4);
  const shown = { width: Math.round(fraction(0)), height: Math.round(fraction(8)) };
  const left = Math.round((width - shown.width) / 2 + fraction(16));
  const top = Math.round((height - shown.height) / 2 + fraction(24));
  const isInside =
    left >= 0 &&
    top >= 0 &&
    shown.width > 0 &&
    shown.height > 0 &&
    left + shown.width <= width &&
    top + shown.height <= height;
  if (!isInside) throw damaged("The picture shows a part that it does not have.");
  return { left, top, ...shown };
}

function orientationOf(item: Item): Orientation {
  const turns = (propertyOf(item, "irot")?.getUint8(0) ?? 0) & 3;
  const mirror = propertyOf(item, "imir");
  const mirrored = mirror === undefined ? 0 : 1 + (mirror.getUint8(0) & 1);
  return ORIENTATIONS[turns]?.[mirrored] ?? 1;
}

function profileOf({ properties }: Item): Uint8Array | undefined {
  for (const { type, content } of properties) {
    if (type !== "colr" || content.byteLength < 4) continue;
    const bytes = bytesOf(content);
    if (hasText(bytes, 0, "prof") || hasText(bytes, 0, "rICC")) return bytes.slice(4);
  }
  return undefined;
}

function colourOf(item: Item | undefined): ColourCode | undefined {
  for (const { type, content } of item?.properties ?? []) {
    if (type === "colr" && content.byteLength >= 11 && hasText(bytesOf(content), 0, "nclx"))
      return {
        primaries: content.getUint16(4),
        transfer: content.getUint16(6),
        matrix: content.getUint16(8),
        isFullRange: (content.getUint8(10) & 0x80) !== 0,
      };
  }
  return undefined;
}

function isAlpha(item: Item | undefined): boolean {
  const content = item && propertyOf(item, "auxC");
  if (content === undefined) return false;
  const cursor = new Cursor(content);
  cursor.number(4);
  return ALPHA_TYPES.has(cursor.text());
}

/** How tiles form a picture (ISO/IEC 23008-12 §6.6.2.3). */
export interface Grid {
  readonly rows: number;
  readonly columns: number;
  readonly width: number;
  readonly height: number;
}

/** Reads the data of an item of type `grid`. */
export function readGrid(bytes: Uint8Array): Grid {
  const cursor = new Cursor(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (cursor.number(1) !== 0) throw unsupported("The picture's layout is not supported.");
  const wide = (cursor.number(1) & 1) === 1 ? 4 : 2;
  const rows = cursor.number(1) + 1;
  const columns = cursor.number(1) + 1;
  return { rows, columns, width: cursor.number(wide), height: cursor.number(wide) };
}
