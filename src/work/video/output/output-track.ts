import type { PlacedSpan } from "../containers/edit-list.ts";
import type { TrackSamples } from "../containers/movie-writer.ts";

/** A track of the output: its header's content and the source of its samples. */
export interface OutputTrack {
  readonly samples: Omit<TrackSamples, "edits"> & { readonly spans: readonly PlacedSpan[] };
  nextSample(): Promise<Uint8Array>;
}
