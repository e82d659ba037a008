import sharp from "sharp";
import { blockOf, type JpegPicture, type Plane } from "./jpeg-picture.ts";
import { pngChunk } from "./png-file.ts";
import { Random } from "../../support/random.ts";
import { fillAc } from "./random-jpeg.ts";
import { writeJpeg } from "./write-jpeg.ts";

/** A file that is too large for memory and is generated each time it is opened. */
export type Source = () => Promise<ReadableStream<Uint8Array>>;

function streamOf(parts: () => Generator<Uint8Array>): Source {
  return async () => {
    const running = parts();
    return await Promise.resolve(
      new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            const turn = running.next();
            if (turn.done === true) controller.close();
            else controller.enqueue(turn.value);
          },
        },
        { highWaterMark: 0 },
      ),
    );
  };
}

/**
 * A baseline 4:2:0 JPEG of width × (16 · stripes) pixels: one stripe of MCUs, encoded by sharp with its own restart interval, repeated.
 */
export async function largeBaselineJpeg(width: number, stripes: number): Promise<Source> {
  const noise = { type: "gaussian", mean: 128, sigma: 8 } as const;
  const stripe = await sharp({ create: { width, height: 16, channels: 3, background: "#888", noise } })
    .jpeg({ quality: 85 })
    .toBuffer();
  const file = new Uint8Array(stripe);
  const frame = file.findIndex((byte, at) => byte === 0xff && file[at + 1] === 0xc0);
  const scan = file.findIndex((byte, at) => byte === 0xff && file[at + 1] === 0xda);
  const height = stripes * 16;
  file.set([height >> 8, height & 255], frame + 5);
  const interval = Math.ceil(width / 16);
  const restart = Uint8Array.of(0xff, 0xdd, 0, 4, interval >> 8, interval & 255);
  const bits = file.subarray(scan + 2 + ((file[scan + 2] ?? 0) << 8) + (file[scan + 3] ?? 0), -2);
  return streamOf(function* parts() {
    yield file.subarray(0, scan);
    yield restart;
    yield file.subarray(scan, bits.byteOffset - file.byteOffset);
    for (let index = 0; index < stripes; index++) {
      yield bits;
      yield Uint8Array.of(0xff, index === stripes - 1 ? 0xd9 : 0xd0 + (index & 7));
    }
  });
}

/** A gray PNG of identical rows, which are compressed on demand. */
export function largePng(width: number, height: number): Source {
  const random = new Random(5);
  const row = Uint8Array.from({ length: 1 + width }, (_, at) => (at === 0 ? 1 : random.int(0, 3)));
  const header = new Uint8Array(13);
  new DataView(header.buffer).setUint32(0, width);
  new DataView(header.buffer).setUint32(4, height);
  header.set([8, 0], 8);
  return async () => {
    const rows = await streamOf(function* rowsOf() {
      for (let y = 0; y < height; y++) yield row;
    })();
    const compressed = rows.pipeThrough(new CompressionStream("deflate"));
    const chunks = new TransformStream<Uint8Array, Uint8Array>({
      start(controller) {
        controller.enqueue(Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a));
        controller.enqueue(pngChunk("IHDR", header));
      },
      transform(bytes, controller) {
        const data = new Uint8Array(bytes.byteLength + 12);
        new DataView(data.buffer).setUint32(0, bytes.byteLength);
        data.set([0x49, 0x44, 0x41, 0x54], 4);
        data.set(bytes, 8);
        controller.enqueue(data);
      },
      flush(controller) {
        controller.enqueue(pngChunk("IEND", new Uint8Array(0)));
      },
    });
    return compressed.pipeThrough(chunks);
  };
}

/** A progressive 4:4:4 JPEG: one 8-pixel stripe of random blocks, written as one tall picture of empty blocks below. */
export function largeProgressiveJpeg(width: number, height: number): Uint8Array {
  const random = new Random(9);
  const columns = Math.ceil(width / 8);
  const rows = Math.ceil(height / 8);
  const planes = [1, 2, 3].map((id): Plane => {
    const coefficients = new Int16Array(64 * columns * rows);
    const plane = { id, horizontal: 1, vertical: 1, quantTable: 0, columns, rows, coefficients };
    for (let block = 0; block < columns * 2; block++) {
      blockOf(plane, block % columns, Math.floor(block / columns))[0] = random.int(-50, 50);
      fillAc(random, plane, block);
    }
    return plane;
  });
  const picture: JpegPicture = {
    width,
    height,
    isProgressive: true,
    planes,
    quantSteps: [new Uint16Array(64).fill(3)],
  };
  const bands = [0, 1, 2].flatMap((plane) => [
    { planes: [plane], start: 1, end: 63, high: 0, low: 1 },
    { planes: [plane], start: 1, end: 63, high: 1, low: 0 },
  ]);
  return writeJpeg(picture, { scans: [{ planes: [0, 1, 2], start: 0, end: 0, high: 0, low: 0 }, ...bands] });
}
