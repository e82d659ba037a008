import { concatBytes } from "../../../src/pixels/redaction/bytes/bytes.ts";
import type { Orientation } from "../../../src/pixels/geometry/orientation.ts";
import type { OpenSource } from "../../../src/pixels/redaction/bytes/byte-source.ts";
import { redactJpeg } from "../../../src/pixels/redaction/jpeg/jpeg.ts";
import { redactPng } from "../../../src/pixels/redaction/png/png.ts";
import type { Region } from "../../../src/pixels/redaction/regions/regions.ts";
import { redactWebp } from "../../../src/pixels/redaction/webp/webp.ts";
import type { RedactionMethod } from "../../../src/ground/vocabulary/media-values.ts";

/** A file in pieces of one to a few hundred bytes, so that any structure may be split. */
export function openInPieces(bytes: Uint8Array): OpenSource {
  return async () => {
    let at = 0;
    return await Promise.resolve(
      new ReadableStream<Uint8Array>({
        pull(controller) {
          if (at >= bytes.byteLength) {
            controller.close();
            return;
          }
          const length = 1 + ((at * 7919 + bytes.byteLength) % (at % 3 === 0 ? 5 : 997));
          controller.enqueue(bytes.slice(at, at + length));
          at += length;
        },
      }),
    );
  };
}

const REDACTORS = { jpeg: redactJpeg, png: redactPng, webp: redactWebp } as const;

/** Redacts a file in memory, outside a Worker. */
export async function redactBytes(
  format: "jpeg" | "png" | "webp",
  source: Uint8Array,
  regions: readonly Region[],
  method: RedactionMethod,
  orientation?: Orientation,
): Promise<Uint8Array> {
  const redact = REDACTORS[format];
  const { chunks } = await redact({ open: openInPieces(source), regions, method, orientation });
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks()) parts.push(chunk);
  return concatBytes(parts);
}
