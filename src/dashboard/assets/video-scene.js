import { maskAround } from "./video-masks.js";
import { boxAt, isDuring } from "./video-tracks.js";

/** @import { Scene, Shape } from "./editor-shapes.js" */
/** @import { EditorSight } from "./editor-sight.js" */
/** @import { Detection } from "./editor-state.js" */
/** @import { MaskRules } from "./video-masks.js" */
/** @import { VideoPlayer } from "./video-player.js" */
/** @import { VideoState } from "./video-state.js" */

/**
 * What is seen of a video: what is in the frame that is shown.
 *
 * @param {VideoState} state
 * @param {{ readonly player: VideoPlayer, readonly sight: EditorSight }} parts
 * @param {{ readonly width: number, readonly height: number, readonly rules: MaskRules }} picture
 * @returns {() => Scene}
 */
export function sceneOfVideo(state, { player, sight }, picture) {
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
        /** @type {Shape} */
        const outline = { shape: "box", box };
        const found = byId.get(key);
        const mask = found === undefined ? outline : maskOf(found, outline);
        const shown = { isHidden, isRegion, isDrawn, isPeeked: sight.isPeeked(key) };
        return [{ key, category: isRegion ? "added" : (category ?? "none"), outline, mask, ...shown }];
      })
      .sort((a, b) => areaOf(b.outline) - areaOf(a.outline));

  /**
   * @param {Detection} detection
   * @param {Shape} outline
   */
  function maskOf(detection, { box }) {
    return maskAround(detection, box, picture);
  }
}

/** @param {Shape} shape */
function areaOf({ box }) {
  return box.width * box.height;
}
