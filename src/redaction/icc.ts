/** Header of a profile and its count of tags (ICC.1:2022, 7.2 and 7.3). */
const MIN_PROFILE_BYTES = 132;
const SIGNATURE_OFFSET = 36;
/** "acsp" (ICC.1:2022, 7.2.9). */
const SIGNATURE = 0x61637370;

/**
 * The size in bytes that an ICC profile's header declares (ICC.1:2022, 7.2.2), undefined where the bytes begin no
 * profile: what stands in a profile's place is kept only if it is one, and not past its end.
 */
export function profileSizeOf(bytes: Uint8Array): number | undefined {
  if (bytes.byteLength < MIN_PROFILE_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sizeBytes = view.getUint32(0);
  const isProfile = view.getUint32(SIGNATURE_OFFSET) === SIGNATURE && sizeBytes >= MIN_PROFILE_BYTES;
  return isProfile ? sizeBytes : undefined;
}

/** The profile that `bytes` begin with, undefined where they hold no whole one. */
export function profileOf(bytes: Uint8Array): Uint8Array | undefined {
  const sizeBytes = profileSizeOf(bytes);
  return sizeBytes === undefined || sizeBytes > bytes.byteLength ? undefined : bytes.subarray(0, sizeBytes);
}
