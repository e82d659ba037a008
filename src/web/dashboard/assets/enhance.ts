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
