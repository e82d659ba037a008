/** How a sample of uncompressed audio is stored. */
export interface PcmFormat {
  readonly bytes: number;
  /** Writes a sample of -1…1. */
  write(view: DataView, at: number, value: number): void;
  /** Reads a sample of -1…1. */
  read(view: DataView, at: number): number;
}

/** The format of a codec; undefined if it is compressed. */
export function pcmFormat(codec: string | undefined): PcmFormat | undefined {
  if (codec === "ulaw") return logarithmic(muLaw);
  if (codec === "alaw") return logarithmic(aLaw);
  const [, kind, bits = "0", order] = /^pcm-([usf])(\d+)(be)?$/.exec(codec ?? "") ?? [];
  if (kind === undefined) return undefined;
  const isLittleEndian = order === undefined;
  const bytes = Number(bits) / 8;
  if (kind === "f") {
    return {
      bytes,
      write: (view, at, value) => {
        if (bytes === 4) view.setFloat32(at, value, isLittleEndian);
        else view.setFloat64(at, value, isLittleEndian);
      },
      read: (view, at) =>
        bytes === 4 ? view.getFloat32(at, isLittleEndian) : view.getFloat64(at, isLittleEndian),
    };
  }
  const scale = 2 ** (Number(bits) - 1);
  const offset = kind === "u" ? scale : 0;
  const placeOf = (index: number): number => (isLittleEndian ? index : bytes - 1 - index);
  return {
    bytes,
    write: (view, at, value) => {
      const whole = Math.max(-scale, Math.min(scale - 1, Math.round(value * scale))) + offset;
      for (let index = 0; index < bytes; index++)
        view.setUint8(at + placeOf(index), Math.floor(whole / 256 ** index) & 0xff);
    },
    read: (view, at) => {
      let whole = 0;
      for (let index = 0; index < bytes; index++) whole += view.getUint8(at + placeOf(index)) * 256 ** index;
      if (kind === "u") return (whole - offset) / scale;
      return (whole >= scale ? whole - 2 * scale : whole) / scale;
    },
  };
}

/** Decodes a byte of ITU-T G.711 to a sample of -1…1. */
type Law = (byte: number) => number;

function muLaw(byte: number): number {
  const bits = ~byte & 0xff;
  const size = (((bits & 0x0f) << 3) + 0x84) << ((bits >> 4) & 7);
  return ((bits & 0x80) === 0 ? size - 0x84 : 0x84 - size) / 32_768;
}

function aLaw(byte: number): number {
  const bits = byte ^ 0x55;
  const [exponent, low] = [(bits >> 4) & 7, ((bits & 0x0f) << 4) + 8];
  const size = exponent === 0 ? low : (low + 0x100) << (exponent - 1);
  return ((bits & 0x80) === 0 ? -size : size) / 32_768;
}

function logarithmic(law: Law): PcmFormat {
  const values = Array.from({ length: 256 }, (_, byte) => law(byte));
  return {
    bytes: 1,
    write: (view, at, value) => {
      let nearest = 0;
      for (const [byte, one] of values.entries())
        if (Math.abs(one - value) < Math.abs((values[nearest] ?? 0) - value)) nearest = byte;
      view.setUint8(at, nearest);
    },
    read: (view, at) => values[view.getUint8(at)] ?? 0,
  };
}
