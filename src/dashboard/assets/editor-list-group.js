/** @import { EditorSight } from "./editor-sight.js" */
/** @import { Detection, EditorState } from "./editor-state.js" */
/**
 * @typedef {object} ListParts
 * @property {HTMLElement} list
 * @property {EditorState} state
 * @property {EditorSight} sight
 * @property {(key: string) => void} onShow called when a person wants to see a thing
 * @property {(id: string) => string} nameOf what a shape is, in words
 * @property {(category: string | null) => string} categoryName
 */
/** @typedef {{ readonly all: HTMLInputElement, readonly count: HTMLElement, readonly ids: readonly string[] }} Part Things with one switch for all. */
/**
 * @typedef {object} Group
 * @property {HTMLElement} element
 * @property {readonly { readonly element: Element | null, readonly keys: readonly string[] }[]} pointed what is drawn while a person
 *   points at something of the group
 * @property {(hidden: ReadonlySet<string>) => void} show
 */

/**
 * The things of one category: those that are drawn, and the faint candidates, each with one switch for all and one for each.
 *
 * @param {ListParts} parts
 * @param {{ readonly category: string | null, readonly detections: readonly Detection[] }} things
 * @returns {Group}
 */
export function groupOf(parts, { category, detections }) {
  const { sight, categoryName } = parts;
  const name = categoryName(category);
  const element = document.createElement("div");
  element.className = "kind";
  element.dataset["category"] = category ?? "none";
  const found = detections.filter(({ id }) => !sight.isFaint(id)).map(({ id }) => id);
  const faintKeys = detections.filter(({ id }) => sight.isFaint(id)).map(({ id }) => id);
  /** @type {Part[]} */
  const switches = [];
  /** @type {{ element: Element | null, keys: readonly string[] }[]} */
  const pointed = [];
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

  /** @param {ReadonlySet<string>} hidden */
  function show(hidden) {
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

/**
 * @param {ListParts} parts
 * @param {{ readonly name: string, readonly ids: readonly string[], readonly className: string }} what
 * @returns {[HTMLElement, Part]}
 */
function switchOf({ state }, { name, ids, className }) {
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

/**
 * @param {ListParts} parts
 * @param {{ readonly ids: readonly string[], readonly text: string, readonly label: string, readonly name: string,
 *   readonly first?: HTMLElement }} what
 */
function eachOf(parts, { ids, text, label, name, first }) {
  const each = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = text;
  summary.setAttribute("aria-label", label);
  const items = document.createElement("ul");
  each.append(summary, ...(first === undefined ? [] : [first]), items);
  // There may be thousands, which nobody may ever look at.
  each.addEventListener(
    "toggle",
    () => {
      items.append(...ids.map((id) => itemOf(parts, { id, name })));
    },
    { once: true },
  );
  return each;
}

/**
 * @param {ListParts} parts
 * @param {{ readonly id: string, readonly name: string }} what with the name of its category
 */
function itemOf({ state, sight, nameOf, onShow }, { id, name }) {
  const item = document.createElement("li");
  item.dataset["key"] = id;
  const label = document.createElement("label");
  const box = checkbox();
  box.dataset["id"] = id;
  box.checked = state.draft.hidden.has(id);
  box.addEventListener("change", () => {
    // What is switched here stays drawn.
    sight.keep([id]);
    state.setHidden([id], box.checked);
  });
  // The category stands above; a screen reader may come from elsewhere.
  box.setAttribute("aria-label", nameOf(id));
  label.append(box, document.createTextNode(nameOf(id).replace(name, "").trim()));
  item.append(label, findButton(id, { nameOf, onShow }));
  return item;
}

/**
 * What shows a thing in the picture.
 *
 * @param {string} key
 * @param {Pick<ListParts, "nameOf" | "onShow">} parts
 */
export function findButton(key, { nameOf, onShow }) {
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
