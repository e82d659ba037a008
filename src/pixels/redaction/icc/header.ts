import { concatBytes, textBytes } from "../bytes/bytes.ts";
import { uint16Bytes, uint32Bytes } from "./numbers.ts";
import { ProfileError, type ProfileReader } from "./reader.ts";

/** Bytes of a profile's header (ICC.1:2022, 7.2). */
export const HEADER_BYTES = 128;

/** The header fields that define a profile's colors. */
export interface ProfileHeader {
  readonly sizeBytes: number;
  readonly majorVersion: 2 | 4;
  readonly deviceClass: string;
  readonly colourSpace: string;
  /** Channels of the picture. */
  readonly channels: number;
  readonly connectionSpace: string;
  readonly renderingIntent: number;
}

/** The versions to write: the last version 2, and the version 4 that most readers know. */
const VERSIONS = { 2: 0x0240_0000, 4: 0x0430_0000 } as const;
/** The classes a picture's profile may have: input, display, output, color space conversion (ICC.1:2022, table 18). */
const DEVICE_CLASSES = new Set(["scnr", "mntr", "prtr", "spac"]);
const CHANNELS: ReadonlyMap<string, number> = new Map([
  ["GRAY", 1],
  ["RGB ", 3],
  ["CMYK", 4],
]);
const CONNECTION_SPACES = new Set(["XYZ ", "Lab "]);
const MAX_INTENT = 3;
/** A profile needs a date, so every profile gets this one. Year, month, day, hour, minute, second. */
const DATE = [2000, 1, 1, 0, 0, 0];
/** D50, which every profile must name (ICC.1:2022, 7.2.16). */
const ILLUMINANT = [0xf6d6, 0x1_0000, 0xd32d];

/** Reads a header. Throws {@link ProfileError} for a kind or version that a picture's profile cannot have. */
export function readHeader(reader: ProfileReader): ProfileHeader {
  const majorVersion = reader.uint8(8);
  const deviceClass = reader.signature(12);
  const colourSpace = reader.signature(16);
  const connectionSpace = reader.signature(20);
  const channels = CHANNELS.get(colourSpace);
  const isKnown = DEVICE_CLASSES.has(deviceClass) && CONNECTION_SPACES.has(connectionSpace);
  if (reader.signature(36) !== "acsp" || !isKnown || channels === undefined) {
    throw new ProfileError("The profile is of no kind that a picture has.");
  }
  if (majorVersion !== 2 && majorVersion !== 4) throw new ProfileError("The profile's version is not known.");
  const intent = reader.uint32(64);
  return {
    sizeBytes: reader.uint32(0),
    majorVersion,
    deviceClass,
    colourSpace,
    channels,
    connectionSpace,
    renderingIntent: intent > MAX_INTENT ? 0 : intent,
  };
}

/** A header that defines colors but does not say who made the profile, when, or with what. */
export function headerBytes(header: ProfileHeader): Uint8Array {
  const { sizeBytes, majorVersion, deviceClass, colourSpace, connectionSpace, renderingIntent } = header;
  const bytes = concatBytes([
    uint32Bytes([sizeBytes, 0, VERSIONS[majorVersion]]),
    textBytes(deviceClass + colourSpace + connectionSpace),
    uint16Bytes(DATE),
    textBytes("acsp"),
    // Platform, flags, manufacturer, model, attributes.
    new Uint8Array(24),
    uint32Bytes([renderingIntent, ...ILLUMINANT]),
  ]);
  // Creator, profile ID and reserved bytes.
  return concatBytes([bytes, new Uint8Array(HEADER_BYTES - bytes.byteLength)]);
}
