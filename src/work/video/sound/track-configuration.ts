import type { InputAudioTrack } from "mediabunny";
import { reading } from "../containers/track-packets.ts";

/** What a track's decoder is configured with. */
export interface SoundConfiguration {
  /** Undefined if the codec is unknown. */
  readonly codec: string | undefined;
  readonly samplesPerSecond: number;
  readonly channels: number;
  /** The codec's own configuration, if it has one. */
  readonly description: Uint8Array | undefined;
}

/** Reads a track's configuration. @throws ContainerError, StorageReadError */
export async function soundConfiguration(track: InputAudioTrack): Promise<SoundConfiguration> {
  return await reading(async () => {
    const codec = (await track.getCodec()) ?? undefined;
    // The type is from the DOM, which a Worker does not have.
    const config = (codec === undefined ? null : await track.getDecoderConfig()) as {
      readonly description?: ArrayBufferLike | ArrayBufferView;
    } | null;
    return {
      codec: config === null ? undefined : codec,
      samplesPerSecond: await track.getSampleRate(),
      channels: await track.getNumberOfChannels(),
      description: config?.description === undefined ? undefined : bytesOf(config.description),
    };
  });
}

function bytesOf(source: ArrayBufferLike | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
}
