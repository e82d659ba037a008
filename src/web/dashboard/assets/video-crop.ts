import type { PixelSize } from "../../../pixels/geometry/box.ts";
import type { Box } from "./editor-geometry.ts";

export const WHOLE: Box = { x: 0, y: 0, width: 1, height: 1 };

/**
 * Returns the part of the played picture that the file shows. Browsers ignore a container's cropping; masks refer to the cropped picture.
 *
 * @param size size of the cropped picture, in pixels
 * @param path where the service tells it
 */
export async function shownPart(video: HTMLVideoElement, size: PixelSize, path: string): Promise<Box> {
  if (video.readyState === HTMLMediaElement.HAVE_NOTHING && video.error === null) {
    await new Promise((resolve) => {
      for (const kind of ["loadedmetadata", "error"]) video.addEventListener(kind, resolve, { once: true });
    });
  }
  const played = { width: video.videoWidth, height: video.videoHeight };
  if (played.width === 0 || (isNear(played.width, size.width, 1) && isNear(played.height, size.height, 1)))
    return WHOLE;
  const part = await storedPart(path);
  return part !== undefined && playsWhole(played, part) ? part : WHOLE;
}

/** Returns the part of the whole picture that the file shows; undefined if the service does not know it. */
export async function storedPart(path: string): Promise<(Box & { readonly whole: PixelSize }) | undefined> {
  const answer = await fetch(path, { headers: { Accept: "application/json" } }).catch(() => undefined);
  if (answer?.ok !== true) return undefined;
  return (await answer.json()) as Box & { readonly whole: PixelSize };
}

/** Whether the browser plays uncropped frames. Non-square pixels stretch one side of the video that it plays. */
function playsWhole(played: PixelSize, part: Box & { readonly whole: PixelSize }) {
  return (["width", "height"] as const).some(
    (side) => part[side] < 1 && isNear(played[side], part.whole[side], 2),
  );
}

/**
 * How a video that is contained in a view is to be moved, enlarged and clipped, so that a part of it lies as it would by itself.
 *
 * @param size of the part, in the pixels of the picture
 */
export function partStyle(view: PixelSize, size: PixelSize, part: Box) {
  const whole = { width: size.width / part.width, height: size.height / part.height };
  const scale = Math.min(view.width / whole.width, view.height / whole.height);
  const wanted = Math.min(view.width / size.width, view.height / size.height);
  const left = (view.width - whole.width * scale) / 2;
  const top = (view.height - whole.height * scale) / 2;
  const right = (0.5 - part.x - part.width / 2) * whole.width * wanted;
  const down = (0.5 - part.y - part.height / 2) * whole.height * wanted;
  const insets = [
    top + part.y * whole.height * scale,
    left + (1 - part.x - part.width) * whole.width * scale,
    top + (1 - part.y - part.height) * whole.height * scale,
    left + part.x * whole.width * scale,
  ];
  return {
    transform: `translate(${right}px, ${down}px) scale(${wanted / scale})`,
    clipPath: `inset(${insets.map((inset) => `${inset}px`).join(" ")})`,
  };
}

function isNear(one: number, other: number, most: number) {
  return Math.abs(one - other) <= most;
}
