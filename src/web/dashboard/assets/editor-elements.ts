/** The one element of a page that something works on. */
export function one<T extends Element>(within: Element, selector: string, type: new () => T): T {
  const element = within.querySelector(selector);
  if (!(element instanceof type)) throw new Error(`The page has no ${selector}.`);
  return element;
}

/** What a page says to its scripts. */
export function readData(editor: Element): unknown {
  return JSON.parse(one(editor, "[data-editor-data]", HTMLScriptElement).text);
}
