import { areaOf } from "./editor-geometry.ts";
import { maskAround } from "./video-masks.ts";
import { boxAt, isDuring } from "./video-tracks.ts";
import type { Scene, Shape } from "./editor-shapes.ts";
import type { EditorSight } from "./editor-sight.ts";
import type { Detection } from "./editor-state.ts";
import type { MaskRules } from "./video-masks.ts";
import type { VideoPlayer } from "./video-player.ts";
import type { VideoState } from "./video-state.ts";

/** The shapes in the current frame of a video. */
export function sceneOfVideo(
  state: VideoState,
  { player, sight }: { readonly player: VideoPlayer; readonly sight: EditorSight },
  picture: { readonly width: number; readonly height: number; readonly rules: MaskRules },
): () => Scene {
  const byId = new Map(state.detections.map((detection) => [detection.id, detection]));
  return () =>
    state
      .lanes()
      .flatMap(({ bars }) => bars)
      .flatMap((bar) => {
        const { key, category, isHidden, isRegion } = bar;
        const isDrawn = isHidden || sight.isDrawn(key);
        const isSeen = isDrawn && isDuring(bar, player.seconds);
        const box = isSeen ? boxAt(bar.keyframes, player.seconds) : undefined;
        if (box === undefined) return [];
        const outline: Shape = { shape: "box", box };
        const found = byId.get(key);
        const mask = found === undefined ? outline : maskOf(found, outline);
        const shown = { isHidden, isRegion, isDrawn, isPeeked: sight.isPeeked(key) };
        return [{ key, category: isRegion ? "added" : (category ?? "none"), outline, mask, ...shown }];
      })
      .sort((a, b) => areaOf(b.outline.box) - areaOf(a.outline.box));

  function maskOf(detection: Detection, { box }: Shape) {
    return maskAround(detection, box, picture);
  }
}
