import { byCategory } from "./editor-state.ts";
import type { EditorState } from "./editor-state.ts";

interface Names {
  readonly nameOf: (key: string) => string;
  readonly categoryName: (category: string | null) => string;
}

/** The names of detections. Those of a category are numbered by confidence, so that names are unique. */
export function nameThings(state: EditorState, categoryNames: Readonly<Record<string, string>>): Names {
  const names = new Map<string, string>();
  for (const [category, detections] of byCategory(state.detections)) {
    for (const [index, { id, confidence }] of detections.entries()) {
      const sureness = confidence === null ? "" : `, ${Math.round(confidence * 100)}%`;
      names.set(id, `${categoryName(category)} ${index + 1}${sureness}`);
    }
  }
  return { nameOf, categoryName };

  function nameOf(key: string) {
    const region = state.regionOf(key);
    if (region === undefined) return names.get(key) ?? key;
    const { track } = region;
    if (track !== undefined) {
      const whole = names.get(track.from ?? "")?.replace(/,.*/, "");
      const number = key.replace("region-", "");
      return whole === undefined ? `Mask ${number}` : `Part ${number} of ${whole}`;
    }
    return `${region.kind === "box" ? "Box" : "Ellipse"} ${key.replace("region-", "")}`;
  }

  function categoryName(category: string | null) {
    return category === null ? "Your regions" : (categoryNames[category] ?? category);
  }
}
