import { concatBytes, textBytes } from "../bytes/bytes.ts";
import { MAX_PROFILE_BYTES, rebuildProfile } from "../icc/profile.ts";

const NAME = "ICC profile";

/**
 * The replacement of an iCCP payload (PNG, 11.3.2.3): the rebuilt profile under a neutral name. Undefined if the payload holds
 * no readable profile.
 */
export async function keptProfile(payload: Uint8Array): Promise<Uint8Array | undefined> {
  const nameEnd = payload.indexOf(0);
  if (nameEnd < 0 || payload[nameEnd + 1] !== 0) return undefined;
  const inflated = await inflate(payload.subarray(nameEnd + 2));
  return inflated && (await profilePayload(inflated));
}

/** The iCCP payload of a rebuilt profile. Undefined if the bytes are no readable profile. */
export async function profilePayload(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const profile = rebuildProfile(bytes);
  if (profile === undefined) return undefined;
  const compressed = new Response(new Response(profile).body?.pipeThrough(new CompressionStream("deflate")));
  const payload = new Uint8Array(await compressed.arrayBuffer());
  return concatBytes([textBytes(NAME), new Uint8Array(2), payload]);
}

/** Undefined if the bytes are damaged or inflate to more than a profile may have. */
async function inflate(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const inflater = new DecompressionStream("deflate");
  const writer = inflater.writable.getWriter();
  const writing = Promise.allSettled([writer.write(bytes.slice()), writer.close()]);
  const reader = inflater.readable.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return concatBytes(parts);
      parts.push(value);
      length += value.byteLength;
      if (length > MAX_PROFILE_BYTES) return undefined;
    }
  } catch {
    return undefined;
  } finally {
    await reader.cancel().catch(() => undefined);
    await writing;
  }
}
