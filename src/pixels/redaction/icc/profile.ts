import { concatBytes, textBytes } from "../bytes/bytes.ts";
import { headerBytes, HEADER_BYTES, readHeader, type ProfileHeader } from "./header.ts";
import { pad, uint32Bytes } from "./numbers.ts";
import { ProfileError, ProfileReader } from "./reader.ts";
import { type Rebuild, rebuildOf, refuseWithoutColours } from "./tags.ts";
import { wordTags } from "./words.ts";

/** The largest profile to read or write. Profiles of offset presses have about 2 MB. */
export const MAX_PROFILE_BYTES = 4 * 1024 * 1024;
const MAX_TAGS = 100;
const ENTRY_BYTES = 12;

/**
 * A profile that gives the same colors as the one at the start of `bytes`. Only the numbers that colors need are read and
 * written again, under a neutral header, description and copyright. Undefined if no complete profile can be read: the picture's
 * colors then have the format's default meaning, sRGB.
 */
export function rebuildProfile(bytes: Uint8Array): Uint8Array | undefined {
  try {
    const reader = new ProfileReader(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    const header = readHeader(reader);
    if (header.sizeBytes > MAX_PROFILE_BYTES) return undefined;
    const tags = rebuildTags(reader.part(0, header.sizeBytes), header);
    return writeProfile(header, new Map([...wordTags(header.majorVersion), ...tags]));
  } catch (error) {
    if (error instanceof ProfileError) return undefined;
    throw error;
  }
}

/** Rebuilds the tags that colors need. Tags that share their data in the source still share it afterward. */
function rebuildTags(reader: ProfileReader, header: ProfileHeader): ReadonlyMap<string, Uint8Array> {
  const count = reader.uint32(HEADER_BYTES);
  if (count > MAX_TAGS) throw new ProfileError("The profile has too many tags.");
  const tags = new Map<string, Uint8Array>();
  const known = new Map<Rebuild, Map<string, Uint8Array>>();
  let writtenBytes = 0;
  for (let index = 0; index < count; index++) {
    const entryAt = HEADER_BYTES + 4 + ENTRY_BYTES * index;
    const name = reader.signature(entryAt);
    const rebuild = rebuildOf(name);
    if (rebuild === undefined) continue;
    if (tags.has(name)) throw new ProfileError("The profile has a tag twice.");
    const offset = reader.uint32(entryAt + 4);
    const sizeBytes = reader.uint32(entryAt + 8);
    const shared = known.get(rebuild) ?? new Map<string, Uint8Array>();
    known.set(rebuild, shared);
    const place = `${offset} ${sizeBytes}`;
    let data = shared.get(place);
    if (data === undefined) {
      data = rebuild(reader.part(offset, sizeBytes), header);
      shared.set(place, data);
      writtenBytes += data.byteLength;
      if (writtenBytes > MAX_PROFILE_BYTES) throw new ProfileError("The profile becomes too large.");
    }
    tags.set(name, data);
  }
  refuseWithoutColours(header, new Set(tags.keys()));
  return tags;
}

/** Writes a profile from tags. */
export function writeProfile(
  header: Omit<ProfileHeader, "sizeBytes">,
  tags: ReadonlyMap<string, Uint8Array>,
): Uint8Array {
  const names = [...tags.keys()].toSorted();
  const tableBytes = 4 + ENTRY_BYTES * names.length;
  const places = new Map<Uint8Array, number>();
  const entries: Uint8Array[] = [];
  const parts: Uint8Array[] = [];
  let sizeBytes = HEADER_BYTES + tableBytes;
  for (const name of names) {
    const data = tags.get(name) ?? new Uint8Array(0);
    let place = places.get(data);
    if (place === undefined) {
      place = sizeBytes;
      places.set(data, place);
      parts.push(pad(data));
      sizeBytes += data.byteLength + (-data.byteLength & 3);
    }
    entries.push(textBytes(name), uint32Bytes([place, data.byteLength]));
  }
  const head = headerBytes({ ...header, sizeBytes });
  return concatBytes([head, uint32Bytes([names.length]), ...entries, ...parts]);
}
