import type { MuteRange } from "../../../records/masking/media-sound.ts";
import { TONE_LEVEL } from "./encoded-sound.ts";
import type { PacketTimes } from "./muted-times.ts";
import type { PacketMuter } from "./packet-muter.ts";
import type { PcmFormat } from "./pcm-samples.ts";

const TONE_HERTZ = 1000;

/** Replaces exactly the samples of uncompressed audio that lie in a range. */
export function pcmMuter(
  { startsSeconds, endSeconds }: PacketTimes,
  ranges: readonly MuteRange[],
  { format, channels }: { readonly format: PcmFormat; readonly channels: number },
): PacketMuter {
  const frameBytes = format.bytes * channels;
  return {
    sizesBytes: (sourceBytes) => sourceBytes,
    async *pass(packets) {
      let index = 0;
      let next = 0;
      for await (const { data } of packets) {
        const start = startsSeconds[index] ?? 0;
        const end = startsSeconds[index + 1] ?? endSeconds;
        index += 1;
        while ((ranges[next]?.endSeconds ?? Infinity) <= start) next += 1;
        if ((ranges[next]?.startSeconds ?? Infinity) >= end) {
          yield data;
          continue;
        }
        const copy = data.slice();
        const view = new DataView(copy.buffer);
        const frames = Math.floor(copy.length / frameBytes);
        const perSecond = frames / Math.max(end - start, 1e-9);
        for (let at = next; (ranges[at]?.startSeconds ?? Infinity) < end; at++) {
          const range = ranges[at];
          if (range === undefined) break;
          const from = Math.max(0, Math.floor((range.startSeconds - start) * perSecond));
          const to = Math.min(frames, Math.ceil((range.endSeconds - start) * perSecond));
          for (let frame = from; frame < to; frame++) {
            const phase = 2 * Math.PI * TONE_HERTZ * (start + frame / perSecond);
            const value = range.sound === "tone" ? TONE_LEVEL * Math.sin(phase) : 0;
            for (let channel = 0; channel < channels; channel++)
              format.write(view, frame * frameBytes + channel * format.bytes, value);
          }
        }
        yield copy;
      }
    },
  };
}
