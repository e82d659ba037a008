/** The least duration of a segment of a video, in seconds, where key frames allow it. */
export const SEGMENT_SECONDS = 4;
