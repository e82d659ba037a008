const RATES = [0.1, 0.25, 0.5, 1, 2];

/** What can be done with what is selected: `for` anything, what was found, what was added, or what has several keyframes. */
const ACTIONS = [
  { action: "toggle", name: "Hide", isFor: "found", hint: "Hide it, or leave it visible" },
  { action: "remove", name: "Remove", isFor: "added", hint: "Remove this mask" },
  { action: "split", name: "Split here", isFor: "some", hint: "Make two parts; the second begins here" },
  { action: "start", name: "Begin here", isFor: "some", hint: "Hide it from this frame on" },
  { action: "end", name: "End here", isFor: "some", hint: "Hide it up to this frame" },
  {
    action: "follow",
    name: "Follow",
    isFor: "added",
    hint: "Follow what is under the mask until it is lost",
  },
  { action: "keyframe", name: "Keyframe", isFor: "some", hint: "Fix the mask's place in this frame" },
  { action: "previous", name: "‹ Keyframe", isFor: "moving", hint: "Go to the previous keyframe" },
  { action: "next", name: "Keyframe ›", isFor: "moving", hint: "Go to the next keyframe" },
  { action: "middle", name: "Middle", isFor: "moving", hint: "Go to the middle between two keyframes" },
] as const;

/** The controls that play and scrub the video. */
export function Transport() {
  return (
    <div class="transport">
      <input type="range" min="0" max="1" step="any" value="0" data-scrub aria-label="Frame" />
      <span class="joined-buttons">
        <button type="button" data-action="farBack" aria-label="Ten frames back" title="Ten frames back">
          «
        </button>
        <button type="button" data-action="back" aria-label="One frame back" title="One frame back (,)">
          ‹
        </button>
        <button type="button" data-action="play" title="Play or pause (P)">
          Play
        </button>
        <button type="button" data-action="on" aria-label="One frame forward" title="One frame forward (.)">
          ›
        </button>
        <button type="button" data-action="farOn" aria-label="Ten frames forward" title="Ten frames forward">
          »
        </button>
      </span>
      <output class="time" data-time aria-live="off" />
      <select data-rate aria-label="Speed">
        {RATES.map((rate) => (
          <option value={String(rate)} selected={rate === 1}>{`${rate}×`}</option>
        ))}
      </select>
    </div>
  );
}

/** The actions on the selection; scripts hide those that do not apply. */
export function Selected() {
  return (
    <div class="selected-thing" data-selected role="group" aria-label="Selected" tabindex={-1}>
      <p class="soft" data-selected-name />
      <div class="buttons" data-for="some" hidden>
        {ACTIONS.map(({ action, name, isFor, hint }) => (
          <button type="button" data-action={action} data-for={isFor} title={hint} hidden>
            {name}
          </button>
        ))}
        <p class="hint" data-for="some" hidden>
          Keyframe: fixes the mask's place in this frame. Between two keyframes, the mask moves evenly.
        </p>
        <div class="merging" data-for="some" hidden>
          <label for="merge-with">Merge with</label>
          <select id="merge-with" aria-describedby="merge-hint" />
          <button type="button" data-merge>
            Merge
          </button>
          <p class="hint" id="merge-hint">
            Merging hides both as one thing, and the time between them too.
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
    <label class="candidates" title="What Veil found and left visible" hidden>
      <input type="checkbox" data-candidates autocomplete="off" />
    </label>
  );
}

/** How large a mask is that is led. */
export function LedSize() {
  return (
    <label class="led-size" title="Size of a drawn mask, as a share of the picture">
      <span>Size</span>
      <input
        type="range"
        min="0.03"
        max="0.6"
        step="0.01"
        value="0.15"
        data-led-size
        aria-label="Size of drawn masks"
      />
    </label>
  );
}

/** The control that removes the sound. */
export function Mute() {
  return (
    <label class="mute">
      <input type="checkbox" data-mute />
      Remove the sound
    </label>
  );
}

/** One lane for each thing; scripts fill it. */
export function Timeline() {
  return (
    <div class="timeline-frame">
      <div class="timeline-title">
        <h2>Timeline</h2>
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
          <canvas class="ruler" height="22" aria-hidden="true" />
          <canvas class="wave" height="32" aria-hidden="true" />
        </div>
        <div class="lanes" />
        <div class="playhead" aria-hidden="true" />
      </div>
    </div>
  );
}
