import type { VideoState } from "./video-state.ts";

/** A larger file is not read a second time to draw its sound. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Enough to draw by, and little to keep. */
const SAMPLE_RATE = 8000;
const PEAKS_PER_SECOND = 50;

/** How loud a video is over time, 0…1, fifty times a second; undefined where it has no sound, or too much of it. */
async function loudnessOf(source: string | Blob, fileBytes: number): Promise<Float32Array | undefined> {
  if (fileBytes > MOST_BYTES) return undefined;
  try {
    const answer = source instanceof Blob ? new Response(source) : await fetch(source);
    if (!answer.ok) return undefined;
    const context = new OfflineAudioContext({ numberOfChannels: 1, length: 1, sampleRate: SAMPLE_RATE });
    const sound = await context.decodeAudioData(await answer.arrayBuffer());
    return peaksOf(sound.getChannelData(0));
  } catch {
    return undefined;
  }
}

function peaksOf(samples: Float32Array) {
  const each = SAMPLE_RATE / PEAKS_PER_SECOND;
  const peaks = new Float32Array(Math.ceil(samples.length / each));
  for (const [index, sample] of samples.entries()) {
    const at = Math.floor(index / each);
    peaks[at] = Math.max(peaks[at] ?? 0, Math.abs(sample));
  }
  return peaks;
}

/** Draws the loudness of a time range of a video across the canvas. */
export function drawLoudness(
  canvas: HTMLCanvasElement,
  peaks: Float32Array,
  { fromSeconds, untilSeconds }: { readonly fromSeconds: number; readonly untilSeconds: number },
) {
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = getComputedStyle(canvas).color;
  for (let x = 0; x < canvas.width; x++) {
    const indexOf = (column: number) =>
      Math.floor((fromSeconds + ((untilSeconds - fromSeconds) * column) / canvas.width) * PEAKS_PER_SECOND);
    const loudest = peaks
      .slice(indexOf(x), Math.max(indexOf(x) + 1, indexOf(x + 1)))
      .reduce((a, b) => Math.max(a, b), 0);
    const high = Math.max(1, loudest * canvas.height);
    context.fillRect(x, (canvas.height - high) / 2, 1, high);
  }
}

/** Whether a video has sound; undefined where the browser does not say. */
function hasSound(video: HTMLVideoElement): boolean | undefined {
  if ("mozHasAudio" in video) return video.mozHasAudio === true;
  if ("captureStream" in video) {
    const { captureStream } = video as unknown as { captureStream: () => MediaStream };
    return captureStream.call(video).getAudioTracks().length > 0;
  }
  if ("audioTracks" in video) return (video.audioTracks as { length: number }).length > 0;
  return undefined;
}

/**
 * Offers to mute the video or parts of it, and shows its sound, where it has any.
 *
 * @returns a function that does so with a copy that is played in place of the original
 */
export function takeSound({
  editor,
  video,
  state,
  timeline,
  fileBytes,
}: {
  readonly editor: HTMLElement;
  readonly video: HTMLVideoElement;
  readonly state: VideoState;
  readonly timeline: { showSound: (loudness: Float32Array | undefined) => void; hideSound: () => void };
  readonly fileBytes: number;
}): (copy: Blob) => void {
  const mute = editor.querySelector("input[data-mute]");
  if (!(mute instanceof HTMLInputElement)) return () => undefined;
  mute.checked = state.isMuted;
  video.muted = state.isMuted;
  mute.addEventListener("change", () => {
    state.mute(mute.checked);
  });
  state.addEventListener("change", () => {
    mute.checked = state.isMuted;
    video.muted = state.isMuted;
  });
  show(video.currentSrc || video.src, fileBytes);
  return (copy) => {
    show(copy, copy.size);
  };

  function show(source: string | Blob, bytes: number) {
    const isSilent = hasSound(video) === false;
    for (const control of editor.querySelectorAll("[data-sound]"))
      control.toggleAttribute("hidden", isSilent);
    if (isSilent) {
      timeline.hideSound();
      return;
    }
    timeline.showSound(new Float32Array(1));
    void showPeaks(source, bytes);
  }

  async function showPeaks(source: string | Blob, bytes: number) {
    timeline.showSound(await loudnessOf(source, bytes));
  }
}
