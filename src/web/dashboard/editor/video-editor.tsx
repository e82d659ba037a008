import { ENGINE_FILES } from "./files.generated.ts";
import { DASHBOARD_PATH } from "../request/dashboard.http.ts";
import { FindingTimes, type ShownFinding } from "../parts/findings.tsx";

/** The actions for the selection. `for` says what they apply to: anything, detections, added masks, or masks with several positions. */
const ACTIONS = [
  { action: "toggle", name: "Hide", key: "H", isFor: "found", hint: "Hide it, or leave it visible" },
  { action: "start", name: "Start here", key: "I", isFor: "some", hint: "Hide it from this frame on" },
  { action: "end", name: "End here", key: "O", isFor: "some", hint: "Hide it up to this frame" },
  {
    action: "split",
    name: "Cut in two here",
    key: "S",
    isFor: "some",
    hint: "Make two parts, to hide or change each by itself; the second starts in this frame",
  },
  {
    action: "follow",
    name: "Follow",
    key: "F",
    isFor: "added",
    hint: "Let Veil move the mask with what is under it, until that is out of sight",
  },
  {
    action: "keyframe",
    name: "Set position",
    key: "K",
    isFor: "some",
    hint: "Set where the mask is in this frame, or remove a set position",
  },
  {
    action: "previous",
    name: "Previous position",
    key: "<",
    isFor: "moving",
    hint: "Go to the previous set position",
  },
  { action: "next", name: "Next position", key: ">", isFor: "moving", hint: "Go to the next set position" },
  {
    action: "middle",
    name: "Halfway",
    key: "J",
    isFor: "moving",
    hint: "Go halfway between two set positions, to check the mask there",
  },
  { action: "remove", name: "Remove", key: "Delete", isFor: "added", hint: "Remove this mask" },
] as const;

const ENGINE_PATH = `${DASHBOARD_PATH}/assets/engine`;
const ENGINE_MEGABYTES = Math.round(ENGINE_FILES.wasmBytes / 1_000_000);

/** What there is to do about an original that the browser cannot play; scripts show it. */
export function Playable() {
  const engine = {
    worker: `${ENGINE_PATH}/${ENGINE_FILES.worker}`,
    core: `${ENGINE_PATH}/${ENGINE_FILES.core}`,
    wasm: ENGINE_FILES.wasm.map((name) => `${ENGINE_PATH}/${name}`),
    wasmBytes: ENGINE_FILES.wasmBytes,
  };
  return (
    <div
      class="playable"
      data-playable
      data-engine={JSON.stringify(engine)}
      role="group"
      aria-label="Original that does not play"
      hidden
    >
      <button type="button" data-playable-make aria-describedby="playable-hint">
        {`Make it playable on this device (downloads ${ENGINE_MEGABYTES} MB once)`}
      </button>
      <div class="playable-work" data-playable-work hidden>
        <progress max="1" value="0" aria-labelledby="playable-said" />
        <span data-playable-percent aria-hidden="true" />
        <button type="button" data-playable-cancel>
          Cancel
        </button>
      </div>
      <p class="soft" role="status" id="playable-said" data-playable-said />
      <p class="hint" id="playable-hint">
        Your browser converts a copy of lower quality, and keeps it until you leave this page. Nothing is
        uploaded, and your masks stay.
      </p>
    </div>
  );
}

/** The actions on the selection; scripts hide those that do not apply. */
export function Selected() {
  return (
    <div class="selected-thing" data-selected role="group" aria-label="Selected" tabindex={-1}>
      <p class="soft" data-selected-name />
      <div class="buttons" data-for="some" hidden>
        {ACTIONS.map(({ action, name, key, isFor, hint }) => (
          <button
            type="button"
            data-action={action}
            data-for={isFor}
            title={hint}
            aria-keyshortcuts={key}
            hidden
          >
            <span>{name}</span> <kbd aria-hidden="true">{key}</kbd>
          </button>
        ))}
        <p class="hint" data-for="some" hidden>
          “Here” is the frame that you see. Set position: fixes where the mask is in this frame. Between two
          set positions, the mask moves evenly.
        </p>
        <div class="merging" data-for="some" hidden>
          <label for="merge-with">Same thing as</label>
          <select id="merge-with" aria-describedby="merge-hint" />
          <button type="button" data-merge>
            Hide as one
          </button>
          <p class="hint" id="merge-hint">
            For something that was lost and found again: both are hidden, and so is the time between them.
          </p>
        </div>
      </div>
      <p class="soft" role="status" data-editor-said />
    </div>
  );
}

/** The switch that shows candidates. Its script adds their number. */
export function Candidates() {
  return (
    <label
      class="candidates"
      title="Candidates: what Veil found, but was not sure enough about to hide"
      hidden
    >
      <input type="checkbox" data-candidates autocomplete="off" />
    </label>
  );
}

/** The size of a led mask. */
export function LedSize() {
  return (
    <label class="led-size" title="Size of a guided mask">
      <span>Size</span>
      <input
        type="range"
        min="0.03"
        max="0.6"
        step="0.01"
        value="0.15"
        data-led-size
        aria-label="Size of guided masks"
      />
    </label>
  );
}

/** The control that removes the sound. */
export function Mute() {
  return (
    <label class="mute" data-sound hidden>
      <input type="checkbox" data-mute />
      Remove the sound
    </label>
  );
}

/** The speech that was found and the ranges that are muted; scripts fill the list. */
export function MutedRanges() {
  return (
    <details class="muted-ranges" data-muted data-sound hidden>
      <summary>Muted sound</summary>
      <ul data-muted-list aria-label="Speech and muted ranges" />
      <form data-muted-form>
        <label>
          From <input type="number" name="start" min="0" step="any" required /> s
        </label>
        <label>
          to <input type="number" name="end" min="0" step="any" required /> s
        </label>
        <select name="sound" aria-label="What is heard instead">
          <option value="silence">Silence</option>
          <option value="tone">Tone</option>
        </select>
        <button type="submit">Mute</button>
      </form>
    </details>
  );
}

/** The timeline with one lane per object, which scripts fill. */
export function Timeline({ findings }: { findings: readonly ShownFinding[] }) {
  return (
    <div class="timeline-frame">
      <div class="timeline-title">
        <h2>Timeline</h2>
        <button
          type="button"
          data-mute-part
          data-sound
          aria-pressed="false"
          title="Drag over the sound to mute that part"
          hidden
        >
          Mute a part
        </button>
        <span class="joined-buttons">
          <button type="button" data-timeline-out aria-label="Zoom the timeline out">
            −
          </button>
          <button type="button" data-timeline-fit title="Show the whole timeline">
            Fit
          </button>
          <button type="button" data-timeline-in aria-label="Zoom the timeline in">
            +
          </button>
        </span>
      </div>
      <div
        class="timeline"
        data-timeline
        tabindex={0}
        role="group"
        aria-label="Timeline"
        aria-describedby="editor-keys"
      >
        <div class="scale">
          <FindingTimes findings={findings} />
          <canvas class="ruler" height="22" aria-hidden="true" />
          <div class="sound" hidden>
            <canvas class="wave" height="32" aria-hidden="true" />
            <div class="muted-marks" />
          </div>
        </div>
        <div class="lanes" />
        <div class="playhead" aria-hidden="true" />
      </div>
    </div>
  );
}
