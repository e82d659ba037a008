const KEY = "veil.upload-presets";
const MOST_PRESETS = 20;

/**
 * What is chosen for files, as the form has it.
 *
 * @typedef {object} Chosen
 * @property {readonly string[]} categories
 * @property {string} method
 * @property {string} sensitivity
 * @property {boolean} isMuted
 * @property {boolean} [isSpeechMuted]
 * @property {boolean} isOnlyLook
 */

/** @typedef {{ readonly name: string, readonly chosen: Chosen }} OwnPreset */

/**
 * The presets that were made in this browser. What is there and makes no sense is left out: anybody may write there.
 *
 * @returns {OwnPreset[]}
 */
export function readPresets() {
  try {
    /** @type {unknown} */
    const kept = JSON.parse(window.localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isPreset).slice(0, MOST_PRESETS) : [];
  } catch {
    return [];
  }
}

/**
 * @param {readonly OwnPreset[]} presets
 * @returns {boolean} Whether the browser keeps them.
 */
export function writePresets(presets) {
  try {
    window.localStorage.setItem(KEY, JSON.stringify(presets.slice(-MOST_PRESETS)));
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {unknown} value
 * @returns {value is OwnPreset}
 */
function isPreset(value) {
  if (typeof value !== "object" || value === null) return false;
  const { name, chosen } = /** @type {Partial<Record<keyof OwnPreset, unknown>>} */ (value);
  if (typeof name !== "string" || typeof chosen !== "object" || chosen === null) return false;
  const { categories, method, sensitivity } = /** @type {Partial<Record<keyof Chosen, unknown>>} */ (chosen);
  return (
    Array.isArray(categories) &&
    categories.every((category) => typeof category === "string") &&
    typeof method === "string" &&
    typeof sensitivity === "string"
  );
}
