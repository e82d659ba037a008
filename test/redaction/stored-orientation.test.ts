import { describe, expect, test } from "vitest";
import { openBytes } from "../../src/pixels/redaction/bytes/byte-source.ts";
import { writeOrientation } from "../../src/pixels/redaction/bytes/exif.ts";
import type { Orientation } from "../../src/pixels/geometry/orientation.ts";
import { readStoredOrientation } from "../../src/pixels/redaction/index.ts";
import { chunk, concat, png } from "../support/images.ts";

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

function segment(marker: number, payload: Uint8Array): Uint8Array {
  return concat([Uint8Array.of(0xff, marker, 0, payload.length + 2), payload]);
}

/** A JPEG's segments up to its scan, with EXIF data after another program's segment. */
function jpeg(orientation: Orientation): Uint8Array {
  return concat([
    Uint8Array.of(0xff, 0xd8),
    segment(0xe1, text("http://ns.adobe.com/xap/1.0/\0")),
    segment(0xe1, concat([text("Exif\0\0"), writeOrientation(orientation)])),
    Uint8Array.of(0xff, 0xda),
  ]);
}

/** A PNG whose EXIF data comes after its picture. */
async function lateExif(orientation: Orientation): Promise<Uint8Array> {
  const plain = await png({ width: 8, height: 8 });
  const end = plain.length - 12;
  return concat([plain.subarray(0, end), chunk("eXIf", writeOrientation(orientation)), plain.subarray(end)]);
}

function webp(...chunks: readonly (readonly [name: string, payload: Uint8Array])[]): Uint8Array {
  const body = chunks.flatMap(([name, payload]) => {
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, payload.length, true);
    return [text(name), length, payload, new Uint8Array(payload.length & 1)];
  });
  return concat([text("RIFF"), new Uint8Array(4), text("WEBP"), ...body]);
}

describe.for([1, 2, 3, 4, 5, 6, 7, 8] as const)("orientation %d is read", (orientation) => {
  test("from a JPEG", async () => {
    expect(await readStoredOrientation(openBytes(jpeg(orientation)), "jpeg")).toBe(orientation);
  });

  test("from a PNG, behind its picture", async () => {
    expect(await readStoredOrientation(openBytes(await lateExif(orientation)), "png")).toBe(orientation);
  });

  test.for(["", "Exif\0\0"])("from a WebP that begins its data with %j", async (mark) => {
    const exif = concat([text(mark), writeOrientation(orientation)]);
    const file = webp(["VP8L", new Uint8Array(11)], ["EXIF", exif]);
    expect(await readStoredOrientation(openBytes(file), "webp")).toBe(orientation);
  });
});

test.for(["jpeg", "png", "webp"] as const)("a %s that is none is shown as it is stored", async (format) => {
  for (const bytes of [new Uint8Array(0), text("RIFF"), text("nothing of a picture, at some length")])
    expect(await readStoredOrientation(openBytes(bytes), format)).toBe(1);
});
