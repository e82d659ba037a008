/** A larger file is not read a second time to draw its sound. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Enough to draw by, and little to keep. */
const SAMPLE_RATE = 8000;
const PEAKS_PER_SECOND = 50;

/**
 * How loud a video is over time, 0…1, fifty times a second; undefined where it has no sound, or too much of it.
 *
 * @param {string} source
 * @param {number} fileBytes
 * @returns {Promise<Float32Array | undefined>}
 */
export async function loudnessOf(source, fileBytes) {
  if (fileBytes > MOST_BYTES) return undefined;
  try {
    const answer = await fetch(source);
    if (!answer.ok) return undefined;
    const context = new OfflineAudioContext({ numberOfChannels: 1, length: 1, sampleRate: SAMPLE_RATE });
    const sound = await context.decodeAudioData(await answer.arrayBuffer());
    return peaksOf(sound.getChannelData(0));
  } catch {
    return undefined;
  }
}

/** @param {Float32Array} samples */
function peaksOf(samples) {
  const each = SAMPLE_RATE / PEAKS_PER_SECOND;
  const peaks = new Float32Array(Math.ceil(samples.length / each));
  for (const [index, sample] of samples.entries()) {
    const at = Math.floor(index / each);
    peaks[at] = Math.max(peaks[at] ?? 0, Math.abs(sample));
  }
  return peaks;
}

/**
 * Draws how loud a stretch of a video is, as wide as the canvas.
 *
 * @param {HTMLCanvasElement} canvas
 * @param {Float32Array} peaks
 * @param {{ readonly fromSeconds: number, readonly untilSeconds: number }} stretch
 */
export function drawLoudness(canvas, peaks, { fromSeconds, untilSeconds }) {
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = getComputedStyle(canvas).color;
  for (let x = 0; x < canvas.width; x++) {
    /** @param {number} column */
    const indexOf = (column) =>
      Math.floor((fromSeconds + ((untilSeconds - fromSeconds) * column) / canvas.width) * PEAKS_PER_SECOND);
    const loudest = peaks
      .slice(indexOf(x), Math.max(indexOf(x) + 1, indexOf(x + 1)))
      .reduce((a, b) => Math.max(a, b), 0);
    const high = Math.max(1, loudest * canvas.height);
    context.fillRect(x, (canvas.height - high) / 2, 1, high);
  }
}

/**
 * Whether a video has sound; undefined where the browser does not say.
 *
 * @param {HTMLVideoElement} video
 * @returns {boolean | undefined}
 */
export function hasSound(video) {
  if ("mozHasAudio" in video) return video.mozHasAudio === true;
  if ("captureStream" in video) {
    const { captureStream } = /** @type {{ captureStream: () => MediaStream }} */ (
      /** @type {unknown} */ (video)
    );
    return captureStream.call(video).getAudioTracks().length > 0;
  }
  if ("audioTracks" in video) return /** @type {{ length: number }} */ (video.audioTracks).length > 0;
  return undefined;
}

/**
 * Offers to mute the video, and shows its sound, where it has any.
 *
 * @param {object} parts
 * @param {HTMLElement} parts.editor
 * @param {HTMLVideoElement} parts.video
 * @param {import("./video-state.js").VideoState} parts.state
 * @param {{ showLoudness: (loudness: Float32Array | undefined) => void }} parts.timeline
 * @param {number} parts.fileBytes
 */
export function takeSound({ editor, video, state, timeline, fileBytes }) {
  const mute = editor.querySelector("input[data-mute]");
  if (!(mute instanceof HTMLInputElement)) return;
  mute.checked = state.isMuted;
  video.muted = state.isMuted;
  mute.addEventListener("change", () => {
    state.mute(mute.checked);
  });
  state.addEventListener("change", () => {
    mute.checked = state.isMuted;
    video.muted = state.isMuted;
  });
  const isSilent = hasSound(video) === false;
  if (isSilent) mute.closest("label")?.toggleAttribute("hidden", true);
  timeline.showLoudness(isSilent ? undefined : new Float32Array(1));
  if (isSilent) return;
  void showLoudness();

  async function showLoudness() {
    timeline.showLoudness(await loudnessOf(video.currentSrc || video.src, fileBytes));
  }
}
