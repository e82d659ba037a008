import type { EditorSight } from "./editor-sight.ts";
import type { Detection, EditorState } from "./editor-state.ts";

export interface ListParts {
  list: HTMLElement;
  state: EditorState;
  sight: EditorSight;
  /** called when a person wants to see a detection */
  onShow: (key: string) => void;
  /** the name of a shape */
  nameOf: (id: string) => string;
  categoryName: (category: string | null) => string;
}

/** Detections with one common switch. */
interface Part {
  readonly all: HTMLInputElement;
  readonly count: HTMLElement;
  readonly ids: readonly string[];
}

interface Group {
  element: HTMLElement;
  /** the keys that are drawn while the pointer is on an element of the group */
  pointed: readonly { readonly element: Element | null; readonly keys: readonly string[] }[];
  show: (hidden: ReadonlySet<string>) => void;
}

/**
 * The detections of one category in two parts, those that are drawn and the faint candidates. Each part has a switch for all and one for
 * each detection.
 */
export function groupOf(
  parts: ListParts,
  { category, detections }: { readonly category: string | null; readonly detections: readonly Detection[] },
): Group {
  const { sight, categoryName } = parts;
  const name = categoryName(category);
  const element = document.createElement("div");
  element.className = "kind";
  element.dataset["category"] = category ?? "none";
  const found = detections.filter(({ id }) => !sight.isFaint(id)).map(({ id }) => id);
  const faintKeys = detections.filter(({ id }) => sight.isFaint(id)).map(({ id }) => id);
  const switches: Part[] = [];
  const pointed: { element: Element | null; keys: readonly string[] }[] = [];
  if (found.length === 0) {
    const none = document.createElement("p");
    none.className = "kind-name";
    none.append(name);
    element.append(none);
  } else {
    const [label, part] = switchOf(parts, { name, ids: found, className: "kind-name" });
    switches.push(part);
    const each = eachOf(parts, {
      ids: found,
      text: "Show one by one",
      label: `Show one by one: ${name}`,
      name,
    });
    pointed.push({ element: label, keys: found }, { element: each.querySelector("summary"), keys: found });
    element.append(label, each);
  }
  if (faintKeys.length > 0) {
    const text = faintKeys.length === 1 ? "1 unlikely candidate" : `${faintKeys.length} unlikely candidates`;
    const [label, part] = switchOf(parts, { name: "All of these", ids: faintKeys, className: "all-faint" });
    part.all.setAttribute("aria-label", `All unlikely candidates of ${name}`);
    switches.push(part);
    const each = eachOf(parts, { ids: faintKeys, text, label: `${text}, ${name}`, name, first: label });
    pointed.push({ element: each.querySelector("summary"), keys: faintKeys });
    element.append(each);
  }
  return { element, pointed, show };

  function show(hidden: ReadonlySet<string>) {
    for (const { all, count, ids } of switches) {
      const hiddenOnes = ids.filter((id) => hidden.has(id)).length;
      all.checked = hiddenOnes === ids.length;
      all.indeterminate = hiddenOnes > 0 && hiddenOnes < ids.length;
      count.textContent = `${hiddenOnes} of ${ids.length}`;
    }
    for (const box of element.querySelectorAll("input[data-id]")) {
      if (box instanceof HTMLInputElement) box.checked = hidden.has(box.dataset["id"] ?? "");
    }
  }
}

function switchOf(
  { state }: ListParts,
  {
    name,
    ids,
    className,
  }: { readonly name: string; readonly ids: readonly string[]; readonly className: string },
): [HTMLElement, Part] {
  const label = document.createElement("label");
  label.className = className;
  const all = checkbox();
  all.addEventListener("change", () => {
    state.setHidden(ids, all.checked);
  });
  const count = document.createElement("span");
  count.className = "count";
  count.title = "Hidden, of all that was found";
  label.append(all, document.createTextNode(name), count);
  return [label, { all, count, ids }];
}

function eachOf(
  parts: ListParts,
  {
    ids,
    text,
    label,
    name,
    first,
  }: {
    readonly ids: readonly string[];
    readonly text: string;
    readonly label: string;
    readonly name: string;
    readonly first?: HTMLElement;
  },
) {
  const each = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = text;
  summary.setAttribute("aria-label", label);
  const items = document.createElement("ul");
  each.append(summary, ...(first === undefined ? [] : [first]), items);
  // There may be thousands, so they are created only when the list is opened.
  each.addEventListener(
    "toggle",
    () => {
      items.append(...ids.map((id) => itemOf(parts, { id, name })));
    },
    { once: true },
  );
  return each;
}

/** @param what the name, with its category */
function itemOf(
  { state, sight, nameOf, onShow }: ListParts,
  { id, name }: { readonly id: string; readonly name: string },
) {
  const item = document.createElement("li");
  item.dataset["key"] = id;
  const label = document.createElement("label");
  const box = checkbox();
  box.dataset["id"] = id;
  box.checked = state.draft.hidden.has(id);
  box.addEventListener("change", () => {
    // A detection that is switched here stays drawn.
    sight.keep([id]);
    state.setHidden([id], box.checked);
  });
  // The category is in the heading above, but a screen reader may not have read it.
  box.setAttribute("aria-label", nameOf(id));
  label.append(box, document.createTextNode(nameOf(id).replace(name, "").trim()));
  item.append(label, findButton(id, { nameOf, onShow }));
  return item;
}

/** The button that shows a detection in the picture. */
export function findButton(key: string, { nameOf, onShow }: Pick<ListParts, "nameOf" | "onShow">) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet";
  button.textContent = "Find";
  button.setAttribute("aria-label", `Find ${nameOf(key)} in the picture`);
  button.addEventListener("click", () => {
    onShow(key);
  });
  return button;
}

function checkbox() {
  const box = document.createElement("input");
  box.type = "checkbox";
  return box;
}
