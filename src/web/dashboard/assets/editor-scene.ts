import type { EditorSight } from "./editor-sight.ts";
import type { Detection, EditorState } from "./editor-state.ts";
import type { Scene, Shape } from "./editor-shapes.ts";

/**
 * What is seen of a photo: all that was found, and what was added.
 *
 * @param masks what is painted over detections, by id
 */
export function photoScene(
  state: EditorState,
  sight: EditorSight,
  masks: ReadonlyMap<string, Shape>,
): () => Scene {
  // What is drawn later lies above: a small thing inside a large one can be reached.
  const found = [...state.detections]
    .sort((a, b) => areaOf(b) - areaOf(a))
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

function areaOf({ box }: Detection) {
  return box.width * box.height;
}
