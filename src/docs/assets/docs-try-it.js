/** The address of the file that was fetched last, so that only one is kept in memory. @type {string | undefined} */
let lastFile;

/** Shows the forms that send real requests to this service. The key stays in the page's memory: it is stored nowhere. */
export function startTryIt() {
  for (const part of document.querySelectorAll("details[data-try]")) {
    part.removeAttribute("hidden");
    const form = part.querySelector("form");
    if (form === null) continue;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void send(form);
    });
    form.querySelector("[data-key]")?.addEventListener("input", ({ target }) => {
      if (!(target instanceof HTMLInputElement)) return;
      for (const other of document.querySelectorAll("input[data-key]")) {
        if (other instanceof HTMLInputElement && other !== target) other.value = target.value;
      }
    });
  }
}

/** @param {HTMLFormElement} form */
async function send(form) {
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

/** @param {HTMLFormElement} form @returns {[string, RequestInit]} */
function requestOf(form) {
  const headers = new Headers();
  const query = new URLSearchParams();
  const multipart = new FormData();
  let path = form.dataset["path"] ?? "";
  /** @type {string | FormData | undefined} */
  let body;
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
  /** @type {RequestInit} */
  const init = { method, headers, credentials: "omit", ...(body !== undefined && { body }) };
  return [`/api/v1${path}${search}`, init];
}

/** @param {Response} answer @returns {Promise<HTMLElement[]>} */
async function shownBody(answer) {
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
