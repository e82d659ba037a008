import type { Child } from "hono/jsx";

const RATES = [0.1, 0.25, 0.5, 1, 2];

/** The controls that play and scrub the video. */
export function Transport({ children }: { children?: Child }) {
  return (
    <div class="transport">
      <input
        type="range"
        min="0"
        max="1"
        step="any"
        value="0"
        data-scrub
        aria-label="Position in the video"
      />
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
      {children}
    </div>
  );
}
