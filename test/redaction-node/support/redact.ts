import { concatBytes } from "../../../src/redaction/bytes.ts";
import { openBytes } from "../../../src/redaction/byteSource.ts";
import { redactJpeg } from "../../../src/redaction/jpeg/jpeg.ts";
import { redactPng } from "../../../src/redaction/png/png.ts";
import type { Region } from "../../../src/redaction/regions.ts";
import type { RedactionMethod } from "../../../src/redaction/tone.ts";

/** Redacts a file in memory, outside a Worker. */
export async function redactBytes(
  format: "jpeg" | "png",
  source: Uint8Array,
  regions: readonly Region[],
  method: RedactionMethod,
): Promise<Uint8Array> {
  const redact = format === "jpeg" ? redactJpeg : redactPng;
  const { chunks } = await redact({ open: openBytes(source), regions, method });
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks()) parts.push(chunk);
  return concatBytes(parts);
}
