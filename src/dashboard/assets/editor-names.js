import { byCategory } from "./editor-state.js";

/** @import { Detection, EditorState } from "./editor-state.js" */
/** @typedef {{ readonly nameOf: (key: string) => string, readonly categoryName: (category: string | null) => string }} Names */

/**
 * What things are called: those of a category are numbered, from the surest on, so that a name tells them apart.
 *
 * @param {EditorState} state
 * @param {Readonly<Record<string, string>>} categoryNames
 * @returns {Names}
 */
export function nameThings(state, categoryNames) {
  /** @type {Map<string, string>} */
  const names = new Map();
  for (const [category, detections] of byCategory(state.detections)) {
    for (const [index, { id, confidence }] of detections.entries()) {
      const sureness = confidence === null ? "" : `, ${Math.round(confidence * 100)}%`;
      names.set(id, `${categoryName(category)} ${index + 1}${sureness}`);
    }
  }
  return { nameOf, categoryName };

  /** @param {string} key */
  function nameOf(key) {
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

  /** @param {string | null} category */
  function categoryName(category) {
    return category === null ? "Your regions" : (categoryNames[category] ?? category);
  }
}
