/** The beginning of a part of a file: a JPEG's marker, or a PNG's or WebP's chunk. */
export interface Part {
  readonly name: string;
  readonly at: number;
  /** The position of its length, and the number of its bytes; 0 for a marker without a length. */
  readonly lengthAt: number;
  readonly lengthBytes: 0 | 2 | 4;
  readonly bodyAt: number;
  readonly bodyBytes: number;
}

/** A file with one fault. */
export interface DamagedFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

function textOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/** The markers of a JPEG in their order, without the start of image and restart markers. */
export function jpegParts(file: Uint8Array): Part[] {
  const parts: Part[] = [];
  for (let at = 2; at + 1 < file.length;) {
    const marker = file[at + 1] ?? 0;
    const isMarker = file[at] === 0xff && marker !== 0 && (marker < 0xd0 || marker > 0xd7);
    if (!isMarker) {
      at++;
      continue;
    }
    const lengthBytes = marker === 0xd9 ? 0 : 2;
    const length = lengthBytes === 0 ? 0 : ((file[at + 2] ?? 0) << 8) | (file[at + 3] ?? 0);
    const bodyBytes = Math.max(0, length - lengthBytes);
    const bodyAt = at + 2 + lengthBytes;
    parts.push({ name: marker.toString(16), at, lengthAt: at + 2, lengthBytes, bodyAt, bodyBytes });
    at = bodyAt + bodyBytes;
  }
  return parts;
}

/** The chunks of a PNG in their order. */
export function pngParts(file: Uint8Array): Part[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const parts: Part[] = [];
  for (let at = 8; at < file.length;) {
    const bodyBytes = view.getUint32(at);
    const name = textOf(file.subarray(at + 4, at + 8));
    parts.push({ name, at: at + 4, lengthAt: at, lengthBytes: 4, bodyAt: at + 8, bodyBytes });
    at += 12 + bodyBytes;
  }
  return parts;
}

/** The chunks of a WebP in their order. */
export function webpParts(file: Uint8Array): Part[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const parts: Part[] = [];
  for (let at = 12; at < file.length;) {
    const bodyBytes = view.getUint32(at + 4, true);
    const name = textOf(file.subarray(at, at + 4)).trim();
    parts.push({ name, at, lengthAt: at + 4, lengthBytes: 4, bodyAt: at + 8, bodyBytes });
    at += 8 + bodyBytes + (bodyBytes & 1);
  }
  return parts;
}

/** Copies of a file, each with one part damaged in one way: renamed, truncated, with a wrong length, or overwritten. */
export function damageEachPart(
  file: Uint8Array,
  parts: readonly Part[],
  names: readonly (readonly number[])[],
): DamagedFile[] {
  return parts.flatMap(({ name, at, lengthAt, lengthBytes, bodyAt, bodyBytes }, index) => {
    const damaged = (what: string, offset: number, damage: readonly number[]): DamagedFile => {
      const bytes = Uint8Array.from(file);
      bytes.set(damage, offset);
      return { name: `part ${index} (${name}): ${what}`, bytes };
    };
    const files = names.map((other) => damaged(`named ${other.join(" ")}`, at, other));
    const middle = bodyAt + (bodyBytes >> 1);
    files.push({
      name: `part ${index} (${name}): cut off`,
      bytes: Uint8Array.from(file.subarray(0, middle)),
    });
    if (lengthBytes > 0) {
      const zeros = Array.from({ length: lengthBytes }, () => 0);
      files.push(damaged("length 0", lengthAt, zeros));
      files.push(damaged("another length", lengthAt, [...zeros.slice(1), 200]));
    }
    if (bodyBytes >= 4) files.push(damaged("ff at its start", bodyAt, [255, 255, 255, 255]));
    if (bodyBytes >= 8) files.push(damaged("ff in its middle", middle, [255, 255, 255, 255]));
    return files;
  });
}
