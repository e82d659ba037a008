/**
 * An element that the page is made with.
 *
 * @template {Element} T
 * @param {ParentNode} within
 * @param {string} selector
 * @param {new () => T} type
 * @returns {T}
 */
export function need(within, selector, type) {
  const element = within.querySelector(selector);
  if (!(element instanceof type)) throw new Error(`The page has no ${selector}.`);
  return element;
}

/**
 * A copy of what a template holds.
 *
 * @param {HTMLTemplateElement} template
 * @returns {HTMLElement}
 */
export function copyOf(template) {
  const copy = template.content.firstElementChild?.cloneNode(true);
  if (!(copy instanceof HTMLElement)) throw new Error("The template is empty.");
  return copy;
}
