const RATES = [0.1, 0.25, 0.5, 1, 2];

/** What can be done with what is selected: `for` anything, what was found, what was added, or what has several keyframes. */
const ACTIONS = [
  { action: "toggle", name: "Hide", isFor: "found" },
  { action: "remove", name: "Remove", isFor: "added" },
  { action: "split", name: "Split here", isFor: "some" },
  { action: "start", name: "Begin here", isFor: "some" },
  { action: "end", name: "End here", isFor: "some" },
  { action: "follow", name: "Follow", isFor: "added" },
  { action: "keyframe", name: "Keyframe", isFor: "some" },
  { action: "previous", name: "‹ Keyframe", isFor: "moving" },
  { action: "next", name: "Keyframe ›", isFor: "moving" },
  { action: "middle", name: "Middle", isFor: "moving" },
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
        {ACTIONS.map(({ action, name, isFor }) => (
          <button type="button" data-action={action} data-for={isFor} hidden>
            {name}
          </button>
        ))}
        <span class="merging" data-for="some" hidden>
          <select aria-label="Merge with" />
          <button type="button" data-merge>
            Merge
          </button>
        </span>
      </div>
      <p class="soft" role="status" data-editor-said />
    </div>
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
