import type { EditorSight } from "./editor-sight.ts";
import { areaOf } from "./editor-geometry.ts";
import type { EditorState } from "./editor-state.ts";
import type { Scene, Shape } from "./editor-shapes.ts";

/**
 * The visible shapes of a photo: detections and added regions.
 *
 * @param masks the masks of detections by ID
 */
export function photoScene(
  state: EditorState,
  sight: EditorSight,
  masks: ReadonlyMap<string, Shape>,
): () => Scene {
  // Later shapes are on top, so small shapes come last and can be reached inside large ones.
  const found = [...state.detections]
    .sort((a, b) => areaOf(b.box) - areaOf(a.box))
    .map(({ id, category, box, polygon }) => {
      const outline: Shape =
        polygon === undefined ? { shape: "box", box } : { shape: "polygon", box, polygon };
      return { key: id, category: category ?? "none", outline, mask: masks.get(id) ?? outline };
    });
  return () => {
    const { hidden, regions } = state.draft;
    return [
      ...found.map(({ key, category, outline, mask }) => {
        const isHidden = hidden.has(key);
        const isPeeked = sight.isPeeked(key);
        const isDrawn = isHidden || sight.isDrawn(key);
        return { key, category, outline, mask, isHidden, isRegion: false, isPeeked, isDrawn };
      }),
      ...regions.map(({ key, kind, box }) => {
        const outline = { shape: kind, box };
        const isPeeked = sight.isPeeked(key);
        const [mask, category, isDrawn] = [outline, "added", true];
        return { key, category, outline, mask, isHidden: true, isRegion: true, isPeeked, isDrawn };
      }),
    ];
  };
}
