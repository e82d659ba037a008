import { shownTime } from "./video-player.ts";

/** Possible distances between marks, in seconds. The smallest with enough space for the text is used. */
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 600, 1800];
const LEAST_PX = 72;

/** Draws marks and times of a time range of a video across the canvas. */
export function drawRuler(
  canvas: HTMLCanvasElement,
  { fromSeconds, untilSeconds }: { readonly fromSeconds: number; readonly untilSeconds: number },
) {
  const context = canvas.getContext("2d");
  if (context === null || untilSeconds <= fromSeconds) return;
  const scale = canvas.width / (untilSeconds - fromSeconds);
  const step = STEPS.find((seconds) => seconds * scale >= LEAST_PX) ?? 3600;
  const { color, fontFamily } = getComputedStyle(canvas);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = color;
  context.font = `11px ${fontFamily}`;
  for (let mark = Math.floor(fromSeconds / step); mark * step <= untilSeconds; mark++) {
    const x = Math.round((mark * step - fromSeconds) * scale);
    context.fillRect(x, canvas.height - 6, 1, 6);
    context.fillText(shownTime(mark * step), x + 3, canvas.height - 8);
  }
}
