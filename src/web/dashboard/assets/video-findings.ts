import { takeFindings } from "./editor-findings.ts";
import type { VideoTimeline } from "./video-timeline.ts";
import type { EditorView } from "./editor-view.ts";
import type { VideoPlayer } from "./video-player.ts";

interface Parts {
  readonly view: EditorView;
  readonly player: VideoPlayer;
  readonly timeline: VideoTimeline;
}

/** Shows the time and place of a finding when it is selected in the list or on the timeline. Each finding is marked in its frames. */
export function takeVideoFindings(editor: HTMLElement, { view, player, timeline }: Parts) {
  const buttons = [...editor.querySelectorAll("button[data-finding]")].filter(
    (element) => element instanceof HTMLButtonElement,
  );
  const spots = [...editor.querySelectorAll("button[data-finding-time]")].filter(
    (element) => element instanceof HTMLButtonElement,
  );
  const marks = [...editor.querySelectorAll(".finding-marks rect")].filter(
    (element) => element instanceof SVGElement,
  );
  const times = buttons.map(({ dataset }) => {
    const from = Number(dataset["fromSeconds"] ?? 0);
    return { from, until: Number(dataset["untilSeconds"] ?? from) };
  });
  if (buttons.length === 0) return;
  const showMarks = () => {
    for (const [index, mark] of marks.entries()) {
      const { from, until } = times[index] ?? { from: 0, until: 0 };
      const isShown = player.seconds >= from - player.frameSeconds / 2 && player.seconds <= until;
      mark.style.display = isShown ? "" : "none";
    }
  };
  for (const [index, button] of buttons.entries()) {
    button.addEventListener("click", () => {
      player.seek(times[index]?.from ?? 0);
    });
  }
  for (const [index, spot] of spots.entries()) {
    // Otherwise the timeline would show the frame under the pointer.
    spot.addEventListener("pointerdown", (event) => {
      event.stopPropagation();
    });
    spot.addEventListener("click", () => {
      buttons[index]?.click();
    });
  }
  player.addEventListener("frame", showMarks);
  timeline.addMarks(({ scale, fromSeconds }) => {
    for (const [index, spot] of spots.entries()) {
      const { from, until } = times[index] ?? { from: 0, until: 0 };
      spot.style.left = `${(from - fromSeconds) * scale}px`;
      spot.style.width = `${Math.max(8, (until - from) * scale)}px`;
    }
  });
  showMarks();
  takeFindings(editor, view);
}
