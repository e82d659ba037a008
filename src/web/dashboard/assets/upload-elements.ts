/** An element that the page must have. */
export function need<T extends Element>(within: ParentNode, selector: string, type: new () => T): T {
  const element = within.querySelector(selector);
  if (!(element instanceof type)) throw new Error(`The page has no ${selector}.`);
  return element;
}

/** A copy of a template's content. */
export function copyOf(template: HTMLTemplateElement): HTMLElement {
  const copy = template.content.firstElementChild?.cloneNode(true);
  if (!(copy instanceof HTMLElement)) throw new Error("The template is empty.");
  return copy;
}
