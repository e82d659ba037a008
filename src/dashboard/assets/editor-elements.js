/**
 * The one element of a page that something works on.
 *
 * @template {Element} T
 * @param {Element} within
 * @param {string} selector
 * @param {new () => T} type
 * @returns {T}
 */
export function one(within, selector, type) {
  const element = within.querySelector(selector);
  if (!(element instanceof type)) throw new Error(`The page has no ${selector}.`);
  return element;
}

/**
 * What a page says to its scripts.
 *
 * @param {Element} editor
 * @returns {unknown}
 */
export function readData(editor) {
  return JSON.parse(one(editor, "[data-editor-data]", HTMLScriptElement).text);
}
