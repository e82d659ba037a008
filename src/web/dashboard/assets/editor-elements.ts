/** The element with this selector. Throws if it is missing. */
export function one<T extends Element>(within: Element, selector: string, type: new () => T): T {
  const element = within.querySelector(selector);
  if (!(element instanceof type)) throw new Error(`The page has no ${selector}.`);
  return element;
}

/** The data that the page passes to its scripts. */
export function readData(editor: Element): unknown {
  return JSON.parse(one(editor, "[data-editor-data]", HTMLScriptElement).text);
}
