/** How a TIFF is written: 8 bits a sample, without compression, in two strips. */
interface TiffOptions {
  readonly width: number;
  readonly height: number;
  readonly samplesPerPixel: number;
  /** 2: RGB; 5: CMYK. */
  readonly photometric: number;
  /** Whether each color has its own plane. */
  readonly isPlanar?: boolean;
}

const SHORT = 3;
const LONG = 4;

/** A little-endian TIFF of interleaved samples. */
export function writeTiff(samples: Uint8Array, options: TiffOptions): Uint8Array {
  const { width, height, samplesPerPixel, photometric, isPlanar = false } = options;
  const rowsPerStrip = Math.ceil(height / 2);
  const planes = isPlanar ? samplesPerPixel : 1;
  const strips: Uint8Array[] = [];
  for (let plane = 0; plane < planes; plane++) {
    const stored = isPlanar ? samples.filter((_, at) => at % samplesPerPixel === plane) : samples;
    const stripBytes = rowsPerStrip * (stored.length / height);
    for (let at = 0; at < stored.length; at += stripBytes) strips.push(stored.subarray(at, at + stripBytes));
  }
  const entries: [tag: number, type: number, values: number[]][] = [
    [256, SHORT, [width]],
    [257, SHORT, [height]],
    [258, SHORT, Array.from({ length: samplesPerPixel }, () => 8)],
    [259, SHORT, [1]],
    [262, SHORT, [photometric]],
    [273, LONG, strips.map(() => 0)],
    [277, SHORT, [samplesPerPixel]],
    [278, SHORT, [rowsPerStrip]],
    [279, LONG, strips.map(({ length }) => length)],
    [284, SHORT, [isPlanar ? 2 : 1]],
  ];
  let end = 8 + 2 + entries.length * 12 + 4;
  const places = entries.map(([, type, values]) => {
    const bytes = values.length * (type === SHORT ? 2 : 4);
    const place = end;
    if (bytes > 4) end += bytes;
    return place;
  });
  const file = new Uint8Array(end + strips.reduce((sum, { length }) => sum + length, 0));
  for (const [index, strip] of strips.entries()) {
    (entries[5] ?? [])[2]?.splice(index, 1, end);
    file.set(strip, end);
    end += strip.length;
  }
  const view = new DataView(file.buffer);
  file.set([0x49, 0x49, 42, 0, 8]);
  view.setUint16(8, entries.length, true);
  for (const [index, [tag, type, values]] of entries.entries()) {
    const at = 10 + index * 12;
    view.setUint16(at, tag, true);
    view.setUint16(at + 2, type, true);
    view.setUint32(at + 4, values.length, true);
    const step = type === SHORT ? 2 : 4;
    const isWithin = values.length * step <= 4;
    if (!isWithin) view.setUint32(at + 8, places[index] ?? 0, true);
    for (const [number, value] of values.entries()) {
      const to = (isWithin ? at + 8 : (places[index] ?? 0)) + number * step;
      if (step === 2) view.setUint16(to, value, true);
      else view.setUint32(to, value, true);
    }
  }
  return file;
}
