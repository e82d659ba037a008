const KEPT_AS = "veil-docs-language";

/** Turns lists of code in several languages into tabs. A selected language is selected everywhere and remembered in this browser. */
export function startTabs() {
  const groups = [...document.querySelectorAll("[data-tabs]")];
  for (const [index, group] of groups.entries()) build(group, index);
  const kept = read();
  if (kept !== null) choose(kept);
}

function build(group: Element, index: number) {
  const panels = [...group.querySelectorAll("[data-language]")];
  const list = document.createElement("div");
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", "Language");
  list.className = "tablist";
  for (const [position, panel] of panels.entries()) {
    const name = panel.getAttribute("data-language") ?? "";
    const tab = document.createElement("button");
    tab.type = "button";
    tab.id = `tab-${index}-${position}`;
    tab.textContent = name;
    tab.dataset["tab"] = name;
    tab.setAttribute("role", "tab");
    panel.id = `panel-${index}-${position}`;
    tab.setAttribute("aria-controls", panel.id);
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    panel.querySelector("h4")?.remove();
    tab.addEventListener("click", () => keep(name, tab));
    list.append(tab);
  }
  list.addEventListener("keydown", (event) => moveFocus(event, list));
  group.prepend(list);
  show(group, panels[0]?.getAttribute("data-language") ?? "");
}

function moveFocus(event: KeyboardEvent, list: Element) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return;
  const tabs = [...list.querySelectorAll("button")];
  const now = tabs.findIndex((tab) => tab === document.activeElement);
  const next = tabs.at((now + step) % tabs.length);
  next?.focus();
  next?.click();
  event.preventDefault();
}

function keep(name: string, tab: Element) {
  const before = tab.getBoundingClientRect().top;
  choose(name);
  // Blocks above have changed their heights, so the page is scrolled to keep the clicked tab in place.
  scrollBy(0, tab.getBoundingClientRect().top - before);
  try {
    localStorage.setItem(KEPT_AS, name);
  } catch {
    // The tab is shown even if the browser's storage is disabled.
  }
}

function read() {
  try {
    return localStorage.getItem(KEPT_AS);
  } catch {
    return null;
  }
}

function choose(name: string) {
  for (const group of document.querySelectorAll("[data-tabs]")) show(group, name);
}

function show(group: Element, name: string) {
  const panels = [...group.querySelectorAll("[data-language]")];
  if (!panels.some((panel) => panel.getAttribute("data-language") === name)) return;
  for (const panel of panels) {
    panel.toggleAttribute("hidden", panel.getAttribute("data-language") !== name);
  }
  for (const tab of group.querySelectorAll("button[data-tab]")) {
    const isChosen = tab.getAttribute("data-tab") === name;
    tab.setAttribute("aria-selected", String(isChosen));
    tab.setAttribute("tabindex", isChosen ? "0" : "-1");
  }
}
