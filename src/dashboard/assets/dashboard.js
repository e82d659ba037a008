// Makes pages pleasanter where scripts run: uploads, fresh lists, the slider, local times. Sent as it stands here.

const REFRESH_MS = 1000;
const REFRESH_SLOW_MS = 5000;
const FAST_REFRESHES = 30;

/** @type {WeakSet<Element>} */
const enhanced = new WeakSet();

/**
 * Runs `enhance` once for each element of the page that fits.
 *
 * @template {Element} T
 * @param {string} selector
 * @param {new () => T} type
 * @param {(element: T) => void} enhance
 */
function each(selector, type, enhance) {
  for (const element of document.querySelectorAll(selector)) {
    if (!(element instanceof type) || enhanced.has(element)) continue;
    enhanced.add(element);
    enhance(element);
  }
}

function enhancePage() {
  each("time", HTMLTimeElement, localTime);
  each("form[data-confirm]", HTMLFormElement, askFirst);
  each("button[data-copy]", HTMLButtonElement, copyButton);
  each("[data-compare]", HTMLElement, slider);
  each("[data-boxes]", HTMLInputElement, boxesSwitch);
  each("form[data-upload]", HTMLFormElement, uploadForm);
}

/**
 * Scrolls the sections sideways to the current one, where they have no room. Scrolling it into view would also move
 * where the tabulator key begins.
 *
 * @param {HTMLElement} link
 */
function showSection(link) {
  const sections = link.closest(".sections");
  if (sections === null) return;
  const show = () => {
    sections.scrollLeft = link.offsetLeft - (sections.clientWidth - link.offsetWidth) / 2;
  };
  show();
  window.addEventListener("resize", show);
}

/** @param {HTMLTimeElement} element */
function localTime(element) {
  const moment = new Date(element.dateTime);
  element.textContent = moment.toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
  element.title = moment.toISOString();
}

/** @param {HTMLFormElement} form */
function askFirst(form) {
  form.addEventListener("submit", (event) => {
    if (!window.confirm(form.dataset["confirm"])) event.preventDefault();
  });
}

/** @param {HTMLButtonElement} button */
function copyButton(button) {
  const input = document.getElementById(button.dataset["copy"] ?? "");
  if (!(input instanceof HTMLInputElement)) return;
  button.hidden = false;
  input.addEventListener("focus", () => {
    input.select();
  });
  button.addEventListener("click", () => {
    void copy(input, button);
  });
}

/**
 * @param {HTMLInputElement} input
 * @param {HTMLButtonElement} button
 */
async function copy(input, button) {
  try {
    await navigator.clipboard.writeText(input.value);
    button.textContent = "Copied";
  } catch {
    // Where the clipboard is out of reach, the text is selected to be copied by hand.
    input.focus();
  }
}

/** @param {HTMLElement} compare */
function slider(compare) {
  const row = compare.querySelector(".slider");
  const range = compare.querySelector("input[type=range]");
  const views = compare.querySelector(".views");
  const under = compare.querySelector("figure:not(.before) .picture");
  const before = compare.querySelector(".before img");
  if (
    !(row instanceof HTMLElement) ||
    !(range instanceof HTMLInputElement) ||
    !(views instanceof HTMLElement) ||
    !(before instanceof HTMLImageElement) ||
    under === null
  ) {
    return;
  }
  // Without its original there is nothing to compare with.
  before.addEventListener("error", () => {
    compare.classList.remove("sliding");
    row.hidden = true;
    before.closest("figure")?.remove();
  });
  compare.classList.add("sliding");
  row.hidden = false;
  const line = document.createElement("span");
  line.className = "line";
  before.closest("figure")?.append(line);
  const move = () => {
    views.style.setProperty("--share", `${range.value}%`);
  };
  range.addEventListener("input", move);
  move();
  // The picture itself can be dragged too.
  views.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse" && event.buttons !== 1) return;
    const area = under.getBoundingClientRect();
    range.value = String(Math.round(((event.clientX - area.left) / area.width) * 100));
    move();
  });
  views.addEventListener("dragstart", (event) => {
    event.preventDefault();
  });
}

/** @param {HTMLInputElement} box */
function boxesSwitch(box) {
  box.addEventListener("change", () => {
    for (const group of document.querySelectorAll(`g[data-category="${box.dataset["boxes"]}"]`)) {
      group.classList.toggle("off", !box.checked);
    }
  });
}

/** @param {HTMLFormElement} form */
function uploadForm(form) {
  const drop = form.querySelector(".drop");
  const files = form.querySelector("input[type=file]");
  const list = form.querySelector(".uploads");
  if (drop === null || list === null || !(files instanceof HTMLInputElement)) return;
  form.hidden = false;
  form.parentElement?.querySelector("[data-without-script]")?.remove();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
  });
  files.addEventListener("change", () => {
    void uploadAll(form, list, [...(files.files ?? [])]);
    files.value = "";
  });
  for (const kind of ["dragenter", "dragover"]) {
    drop.addEventListener(kind, (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
  }
  // A file that comes over the page finds where to be dropped.
  document.addEventListener("dragenter", () => {
    form.closest("details")?.setAttribute("open", "");
  });
  drop.addEventListener("dragleave", () => {
    drop.classList.remove("over");
  });
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    if (event instanceof DragEvent) void uploadAll(form, list, [...(event.dataTransfer?.files ?? [])]);
  });
}

/**
 * Sends files one after the other, and shows the media list once all are sent.
 *
 * @param {HTMLFormElement} form
 * @param {Element} list
 * @param {File[]} files
 */
async function uploadAll(form, list, files) {
  const waiting = files.map((file) => ({ file, item: uploadItem(list, file.name) }));
  /** @type {string[]} */
  const mediaIds = [];
  for (const { file, item } of waiting) {
    const mediaId = await uploadOne(form, file, item);
    if (mediaId !== undefined) mediaIds.push(mediaId);
  }
  if (mediaIds.length === 0 || mediaIds.length < files.length) return;
  const target = form.dataset["upload"] ?? "";
  window.location.assign(mediaIds.length === 1 ? `${target}/${mediaIds[0]}` : target);
}

/**
 * @param {Element} list
 * @param {string} name
 */
function uploadItem(list, name) {
  const item = document.createElement("li");
  const title = document.createElement("span");
  title.textContent = name;
  const state = document.createElement("span");
  state.textContent = "waiting";
  const bar = document.createElement("progress");
  bar.max = 1;
  bar.value = 0;
  bar.setAttribute("aria-label", `Upload of ${name}`);
  item.append(title, state, bar);
  list.append(item);
  /** @param {string} fault */
  const refuse = (fault) => {
    state.textContent = "refused";
    const text = document.createElement("p");
    text.className = "fault";
    text.textContent = fault;
    bar.replaceWith(text);
  };
  return { state, bar, refuse };
}

/**
 * Sends one file with the form's choices. Resolves with the id of its media, or undefined when it was refused.
 *
 * @param {HTMLFormElement} form
 * @param {File} file
 * @param {ReturnType<typeof uploadItem>} item
 * @returns {Promise<string | undefined>}
 */
function uploadOne(form, file, { state, bar, refuse }) {
  return new Promise((resolve) => {
    const data = new FormData(form);
    data.append("file", file);
    const fail = (/** @type {string} */ fault) => {
      refuse(fault);
      resolve(undefined);
    };
    const maxBytes = Number(form.dataset["maxBytes"]);
    if (file.size > maxBytes) {
      fail(`The file has ${(file.size / 1e6).toFixed(1)} MB; accepted are up to ${maxBytes / 1e6} MB.`);
      return;
    }
    const request = new XMLHttpRequest();
    request.open("POST", form.dataset["upload"] ?? "");
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("X-CSRF-Token", form.dataset["csrf"] ?? "");
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      bar.value = loaded / total;
      state.textContent = loaded === total ? "storing" : `${Math.floor((loaded / total) * 100)} %`;
    });
    request.addEventListener("load", () => {
      if (request.status !== 201) {
        fail(faultOf(request.responseText));
        return;
      }
      bar.value = 1;
      state.textContent = "uploaded";
      resolve(readAnswer(request.responseText).id);
    });
    request.addEventListener("error", () => {
      fail("The connection broke off. Try again.");
    });
    request.send(data);
  });
}

/**
 * An answer of the service: the id of a media, or what was wrong.
 *
 * @param {string} body
 * @returns {{ id?: string, error?: { code: string, message: string, details: Record<string, string[]> } }}
 */
function readAnswer(body) {
  try {
    return /** @type {ReturnType<typeof readAnswer>} */ (JSON.parse(body));
  } catch {
    return {};
  }
}

/**
 * The sentences of an error answer.
 *
 * @param {string} body
 */
function faultOf(body) {
  const { error } = readAnswer(body);
  if (error === undefined) return "The service gave no answer that can be read. Try again.";
  return error.code === "validation_failed" ? Object.values(error.details).flat().join(" ") : error.message;
}

/** While something on the page is on its way, asks for the page again and puts in what has changed. */
async function keepFresh() {
  for (let refreshes = 1; ; refreshes++) {
    if (document.querySelector("[data-live]") === null) return;
    await new Promise((resolve) => {
      window.setTimeout(resolve, refreshes < FAST_REFRESHES ? REFRESH_MS : REFRESH_SLOW_MS);
    });
    if (!document.hidden) await refresh();
  }
}

async function refresh() {
  const answer = await fetch(window.location.href, { headers: { Accept: "text/html" } }).catch(
    () => undefined,
  );
  if (answer?.redirected === true) window.location.reload();
  if (answer?.ok !== true) return;
  const page = await answer.text();
  for (const region of document.querySelectorAll("[data-live]")) replaceRegion(region, page);
}

/**
 * @param {Element} region
 * @param {string} page
 */
function replaceRegion(region, page) {
  const fresh = new DOMParser().parseFromString(page, "text/html").getElementById(region.id);
  if (fresh === null) return;
  if (region.tagName === "UL") {
    for (const item of fresh.children) {
      const old = document.getElementById(item.id);
      // Rows that say the same keep the focus that may be in them.
      if (old !== null && versionOf(old) !== versionOf(item))
        old.replaceWith(document.importNode(item, true));
    }
    region.toggleAttribute("data-live", fresh.hasAttribute("data-live"));
  } else if (versionOf(region) !== versionOf(fresh)) {
    region.replaceWith(document.importNode(fresh, true));
  }
  enhancePage();
}

/** @param {Element} element */
function versionOf(element) {
  return element.getAttribute("data-version");
}

enhancePage();
each(".sections [aria-current]", HTMLElement, showSection);
void keepFresh();
