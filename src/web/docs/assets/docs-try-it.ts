import { onKey, shownKey } from "./docs-key.ts";

/** The longest time to wait for a form. */
const LOADING_MS = 10_000;
/** The address of the file that was fetched last, so that only one is kept in memory. */
let lastFile: string | undefined;

/** Entered once for all forms. An entered key stays in the page's memory and is not stored. */
let apiKey = "";

/** Shows the sections with forms that send real requests to this service. Each form is loaded when its section is opened. */
export function startTryIt() {
  apiKey = shownKey();
  onKey(fillIn);
  for (const place of document.querySelectorAll("details[data-try]")) {
    if (!(place instanceof HTMLDetailsElement)) continue;
    place.hidden = false;
    place.addEventListener("toggle", () => void fill(place));
  }
}

async function fill(place: HTMLDetailsElement) {
  if (!place.open || place.querySelector("form, [data-coming]") !== null) return;
  const coming = document.createElement("p");
  coming.dataset["coming"] = "";
  coming.textContent = "Loading…";
  place.append(coming);
  try {
    const answer = await fetch(place.dataset["try"] ?? "", { signal: AbortSignal.timeout(LOADING_MS) });
    if (!answer.ok) throw new Error(`The form was answered ${answer.status}.`);
    const form = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("form");
    if (form === null) throw new Error("The answer has no form.");
    offer(form);
    coming.replaceWith(form);
  } catch {
    coming.textContent = "The form did not load. Close this and open it again.";
    delete coming.dataset["coming"];
    place.addEventListener("toggle", () => coming.remove(), { once: true });
  }
}

function offer(form: HTMLFormElement) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void send(form);
  });
  const key = form.querySelector("input[data-key]");
  if (!(key instanceof HTMLInputElement)) return;
  key.value = apiKey;
  key.addEventListener("input", () => fillIn(key.value));
}

function fillIn(key: string) {
  apiKey = key;
  for (const field of document.querySelectorAll("input[data-key]")) {
    if (field instanceof HTMLInputElement && field.value !== key) field.value = key;
  }
}

async function send(form: HTMLFormElement) {
  const output = form.querySelector("[data-answer]");
  const button = form.querySelector("button");
  if (output === null || button === null) return;
  button.disabled = true;
  output.textContent = "Sending…";
  const startedAtMs = performance.now();
  try {
    const answer = await fetch(...requestOf(form));
    const durationMs = Math.round(performance.now() - startedAtMs);
    const line = document.createElement("p");
    const id = answer.headers.get("X-Request-Id");
    line.textContent = `${answer.status} in ${durationMs} ms${id === null ? "" : ` · ${id}`}`;
    const body = await shownBody(answer);
    output.replaceChildren(line, ...body);
  } catch {
    output.textContent = "The service cannot be reached.";
  } finally {
    button.disabled = false;
  }
}

function requestOf(form: HTMLFormElement): [string, RequestInit] {
  const headers = new Headers();
  const query = new URLSearchParams();
  const multipart = new FormData();
  let path = form.dataset["path"] ?? "";
  let body: string | FormData | undefined;
  for (const field of form.elements) {
    const isField =
      field instanceof HTMLInputElement ||
      field instanceof HTMLSelectElement ||
      field instanceof HTMLTextAreaElement;
    if (!isField) continue;
    const { name, value } = field;
    const where = field.dataset["in"];
    if (field instanceof HTMLInputElement && field.type === "checkbox" && !field.checked) continue;
    if (where === "body") body = value;
    else if (field instanceof HTMLInputElement && field.type === "file") {
      for (const file of field.files ?? []) multipart.append(name, file);
    } else if (value === "") continue;
    else if (where === "path") path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (where === "query") query.set(name, value);
    else if (where === "header") headers.set(name, value);
    else if (where === "form") multipart.append(name, value);
    else if (where === "key") headers.set("Authorization", `Bearer ${value.trim()}`);
  }
  if (form.dataset["body"] === "multipart/form-data") body = multipart;
  else if (body !== undefined) headers.set("Content-Type", "application/json");
  const search = query.size === 0 ? "" : `?${query.toString()}`;
  const method = form.dataset["method"] ?? "GET";
  const init: RequestInit = { method, headers, credentials: "omit", ...(body !== undefined && { body }) };
  return [`/api/v1${path}${search}`, init];
}

async function shownBody(answer: Response): Promise<HTMLElement[]> {
  const type = answer.headers.get("Content-Type") ?? "";
  if (lastFile !== undefined) URL.revokeObjectURL(lastFile);
  lastFile = undefined;
  if (type.startsWith("application/json")) {
    const shown = document.createElement("pre");
    shown.tabIndex = 0;
    shown.textContent = JSON.stringify(await answer.json(), null, 2);
    return [shown];
  }
  const file = await answer.blob();
  if (file.size === 0) return [];
  lastFile = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = lastFile;
  link.download = "redacted";
  link.textContent = `Save the file (${type}, ${file.size} bytes)`;
  return [link];
}
