import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input, type InputTrack } from "mediabunny";

/** The times of video and audio packets, in seconds and ascending order. */
export interface Times {
  readonly video: readonly number[];
  readonly audio: readonly number[];
}

/** The times of the packets of a file's first video and audio track. */
export async function packetTimes(file: Uint8Array<ArrayBuffer>): Promise<Times> {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(file) });
  const [[video], [audio]] = [await input.getVideoTracks(), await input.getAudioTracks()];
  return { video: await secondsOf(video), audio: await secondsOf(audio) };
}

async function secondsOf(track: InputTrack | undefined): Promise<number[]> {
  const seconds: number[] = [];
  if (track === undefined) return seconds;
  for await (const { timestamp } of new EncodedPacketSink(track).packets()) seconds.push(timestamp);
  return seconds.sort((a, b) => a - b);
}
