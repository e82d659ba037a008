import { begins, find, wordsOf } from "./docs-find.ts";
import type { Entry } from "./docs-find.ts";

/** Connects the search field in the bar. The text of all pages is fetched when the field is first used. */
export function startSearch() {
  const field = document.querySelector("#search");
  const results = document.querySelector("#results");
  const said = document.querySelector("#results-said");
  if (!(field instanceof HTMLInputElement) || results === null || said === null) return;
  field.hidden = false;
  let index: Promise<Entry[]> | undefined;
  const load = async () => {
    index ??= fetch("/docs/search.json").then(async (answer) => {
      if (!answer.ok) throw new Error(`Search is not available: ${answer.status}`);
      return answer.json() as Promise<Entry[]>;
    });
    try {
      return await index;
    } catch {
      index = undefined;
      return undefined;
    }
  };
  field.addEventListener("focus", () => void load());
  field.addEventListener("input", () => void search(field, results, said));
  async function search(input: HTMLInputElement, list: Element, status: Element) {
    const words = wordsOf(input.value);
    if (words.length === 0) return close();
    const entries = await load();
    if (words.join() !== wordsOf(input.value).join()) return;
    if (entries === undefined) {
      list.replaceChildren();
      status.textContent = "The search is not available right now. Try again.";
      return;
    }
    const found = find(entries, words);
    list.replaceChildren(...found.map((entry) => item(entry, words)));
    list.toggleAttribute("hidden", found.length === 0);
    status.textContent = found.length === 0 ? "No matches." : `${found.length} results`;
  }
  function close() {
    results?.replaceChildren();
    results?.toggleAttribute("hidden", true);
    if (said !== null) said.textContent = "";
  }
  field.closest("search")?.addEventListener("keydown", (event) => {
    if (event instanceof KeyboardEvent) moveInResults(event, field, close);
  });
  results.addEventListener("click", close);
  document.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest("search") === null) close();
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof Element && event.target.matches("input, textarea, select");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
}

function moveInResults(event: KeyboardEvent, field: HTMLInputElement, close: () => void) {
  if (event.key === "Escape") {
    close();
    field.focus();
    return;
  }
  const links = [...document.querySelectorAll("#results a")].filter(
    (one) => one instanceof HTMLAnchorElement,
  );
  const now = links.findIndex((link) => link === document.activeElement);
  if (event.key === "Enter" && document.activeElement === field) links[0]?.click();
  else if (event.key === "ArrowDown") links[now + 1]?.focus();
  else if (event.key === "ArrowUp" && now >= 0) (links[now - 1] ?? field).focus();
  else return;
  event.preventDefault();
}

function item(entry: Entry, words: string[][]) {
  const link = document.createElement("a");
  link.href = entry.address;
  const title = document.createElement("strong");
  title.textContent = entry.title;
  const where = document.createElement("small");
  where.textContent = entry.page;
  const around = document.createElement("span");
  around.textContent = excerpt(entry.text, words.flat());
  link.append(title, where, around);
  const listed = document.createElement("li");
  listed.append(link);
  return listed;
}

function excerpt(text: string, stems: string[]) {
  const places = stems.map((stem) => begins(text, stem)).filter((place) => place >= 0);
  const at = Math.max(0, Math.min(...places, text.length) - 40);
  const from = places.length === 0 ? 0 : at;
  return `${from > 0 ? "…" : ""}${text.slice(from, from + 120)}`;
}
