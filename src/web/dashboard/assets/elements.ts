/** The element with this selector, which the page must have. Throws if it is missing. */
export function need<T extends Element>(within: ParentNode, selector: string, type: new () => T): T {
  const element = within.querySelector(selector);
  if (!(element instanceof type)) throw new Error(`The page has no ${selector}.`);
  return element;
}

/** The data that the page passes to its scripts. */
export function readData(editor: Element): unknown {
  return JSON.parse(need(editor, "[data-editor-data]", HTMLScriptElement).text);
}

/** A copy of a template's content. */
export function copyOf(template: HTMLTemplateElement): HTMLElement {
  const copy = template.content.firstElementChild?.cloneNode(true);
  if (!(copy instanceof HTMLElement)) throw new Error("The template is empty.");
  return copy;
}

const enhanced: WeakSet<Element> = new WeakSet();

/** Runs `enhance` once for each matching element, including those that are added later. */
export function enhanceEach<T extends Element>(
  selector: string,
  type: new () => T,
  enhance: (element: T) => void,
) {
  for (const element of document.querySelectorAll(selector)) {
    if (!(element instanceof type) || enhanced.has(element)) continue;
    enhanced.add(element);
    enhance(element);
  }
}
