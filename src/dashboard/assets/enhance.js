/** @type {WeakSet<Element>} */
const enhanced = new WeakSet();

/**
 * Runs `enhance` once for each element of the page that matches, however often the page changes.
 *
 * @template {Element} T
 * @param {string} selector
 * @param {new () => T} type
 * @param {(element: T) => void} enhance
 */
export function enhanceEach(selector, type, enhance) {
  for (const element of document.querySelectorAll(selector)) {
    if (!(element instanceof type) || enhanced.has(element)) continue;
    enhanced.add(element);
    enhance(element);
  }
}
