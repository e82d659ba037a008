const RATES = [0.1, 0.25, 0.5, 1, 2];

const ACTIONS = [
  { action: "toggle", name: "Hide or show" },
  { action: "split", name: "Split here" },
  { action: "start", name: "Begin here" },
  { action: "end", name: "End here" },
  { action: "follow", name: "Follow" },
  { action: "previous", name: "‹ Keyframe" },
  { action: "middle", name: "Middle" },
  { action: "next", name: "Keyframe ›" },
  { action: "keyframe", name: "Keyframe" },
  { action: "remove", name: "Remove" },
] as const;

/** What plays and scrubs the video. */
export function Transport() {
  return (
    <div class="transport">
      <button class="plain" type="button" data-action="farBack" aria-label="Ten frames back">
        «
      </button>
      <button class="plain" type="button" data-action="back" aria-label="One frame back">
        ‹
      </button>
      <button class="plain" type="button" data-action="play">
        Play
      </button>
      <button class="plain" type="button" data-action="on" aria-label="One frame on">
        ›
      </button>
      <button class="plain" type="button" data-action="farOn" aria-label="Ten frames on">
        »
      </button>
      <select data-rate aria-label="Speed">
        {RATES.map((rate) => (
          <option value={String(rate)} selected={rate === 1}>{`${rate}×`}</option>
        ))}
      </select>
      <output class="time" data-time aria-live="off" />
      <input type="range" min="0" max="1" step="any" value="0" data-scrub aria-label="Frame" />
    </div>
  );
}

/** What can be done with what is selected. */
export function Selected() {
  return (
    <div class="selected-thing" data-selected role="group" aria-label="Selected">
      <p class="soft" data-selected-name>
        Nothing is selected.
      </p>
      <div class="buttons">
        {ACTIONS.map(({ action, name }) => (
          <button class="plain" type="button" data-action={action} disabled>
            {name}
          </button>
        ))}
        <span class="merging">
          <select aria-label="Merge with" disabled />
          <button class="plain" type="button" data-merge disabled>
            Merge
          </button>
        </span>
      </div>
      <p class="soft" role="status" data-editor-said />
    </div>
  );
}

/** One lane for each thing; scripts fill it. */
export function Timeline() {
  return (
    <div class="timeline-frame">
      <div class="timeline-title">
        <h2>Timeline</h2>
        <span class="zoom">
          <button class="plain" type="button" data-timeline-out aria-label="Zoom the timeline out">
            −
          </button>
          <button class="plain" type="button" data-timeline-fit title="Show the whole timeline">
            Fit
          </button>
          <button class="plain" type="button" data-timeline-in aria-label="Zoom the timeline in">
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
